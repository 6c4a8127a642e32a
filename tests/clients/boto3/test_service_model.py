"""botocore's own model of the service: every operation is offered, or refused by name."""

import http.client
import json
import os
from urllib.parse import urlsplit

import boto3
import botocore.session
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

SESSION = botocore.session.get_session()
TARGETS = {"dynamodb": "DynamoDB_20120810", "dynamodbstreams": "DynamoDBStreams_20120810"}
PARTIQL = {"BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"}
OPERATIONS = [
    (service, operation)
    for service in TARGETS
    for operation in SESSION.get_service_model(service).operation_names
    if os.environ.get("PLINTH_PARTIQL") or operation not in PARTIQL
]


def send(target, body):
    """One signed request with any target and any body."""
    url = os.environ["PLINTH_ENDPOINT"] + "/"
    request = AWSRequest("POST", url, data=json.dumps(body).encode(), headers={
        "x-amz-target": target, "content-type": "application/x-amz-json-1.0",
    })
    credentials = boto3.Session().get_credentials().get_frozen_credentials()
    SigV4Auth(credentials, "dynamodb", "us-east-1").add_auth(request)
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("POST", "/", request.data, dict(request.headers))
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_it_is_offered_or_refused_by_name(service, operation):
    status, body = send(f"{TARGETS[service]}.{operation}", {})
    if status == 200:
        return
    assert status == 400
    code = body["__type"].split("#")[1]
    message = body.get("message") or body.get("Message")
    if code == "UnknownOperationException":
        assert message and message.startswith(f"{operation} is not offered: ")
        assert message.endswith(".") and len(message) > 60, "a sentence that says what to do"
    else:
        known = {shape.name for shape in SESSION.get_service_model(service).operation_model(operation).error_shapes}
        assert code in known | {"ValidationException"}


def test_what_the_model_does_not_know_is_unknown():
    for target in ("DynamoDB_20120810.Nothing", "DynamoDBStreams_20120810.PutItem", "Other.PutItem"):
        status, body = send(target, {})
        assert (status, body) == (400, {"__type": "com.amazon.coral.service#UnknownOperationException"})


REQUIRED = [
    (service, operation, member)
    for service, operation in OPERATIONS
    for member in (SESSION.get_service_model(service).operation_model(operation).input_shape or type(
        "None", (), {"required_members": []}
    )).required_members
]


@pytest.mark.parametrize(("service", "operation", "member"), REQUIRED)
def test_a_required_member_is_required(service, operation, member):
    """A request with nothing in it is refused, in words that name what is missing."""
    status, body = send(f"{TARGETS[service]}.{operation}", {})
    assert status == 400
    code, message = body["__type"].split("#")[1], body.get("message") or body.get("Message") or ""
    if code == "ValidationException":
        required = [name for _, o, name in REQUIRED if o == operation]
        assert any(name.lower() in message.lower() for name in required), message
    else:
        assert code == "UnknownOperationException"


UNKNOWN_TYPES = {"string": 5, "integer": "x", "long": "x", "boolean": "x", "list": {}, "map": 5, "structure": "x"}


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_members_of_the_wrong_type_are_a_serialization_error(service, operation):
    shape = SESSION.get_service_model(service).operation_model(operation).input_shape
    for member, kind in (shape.members if shape else {}).items():
        if kind.type_name not in UNKNOWN_TYPES:
            continue
        status, body = send(
            f"{TARGETS[service]}.{operation}", {member: UNKNOWN_TYPES[kind.type_name]}
        )
        code = body["__type"].split("#")[1]
        assert status == 400 and code in ("SerializationException", "UnknownOperationException"), (
            f"{operation}.{member}: {body}"
        )
