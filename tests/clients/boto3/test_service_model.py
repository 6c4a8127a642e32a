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
OPERATIONS = [
    (service, operation)
    for service in TARGETS
    for operation in SESSION.get_service_model(service).operation_names
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


def input_members(service, operation, only_required=False):
    shape = SESSION.get_service_model(service).operation_model(operation).input_shape
    if shape is None:
        return {}
    return {
        name: member for name, member in shape.members.items()
        if not only_required or name in shape.required_members
    }


WITH_REQUIRED = [
    (service, operation) for service, operation in OPERATIONS
    if input_members(service, operation, only_required=True)
]


@pytest.mark.parametrize(("service", "operation"), WITH_REQUIRED)
def test_required_members_are_required(service, operation):
    """A request with nothing in it is refused, in words that name what is missing."""
    status, body = send(f"{TARGETS[service]}.{operation}", {})
    assert status == 400
    code, message = body["__type"].split("#")[1], body.get("message") or body.get("Message") or ""
    if code != "UnknownOperationException":
        assert code == "ValidationException"
        # The tag operations call their ResourceArn so.
        named = [*input_members(service, operation, only_required=True), "TableArn"]
        assert any(name.lower() in message.lower() for name in named), message


WRONG = {
    "string": 5, "integer": "x", "long": "x", "boolean": "x", "list": {}, "map": 5, "structure": "x",
}


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_every_member_is_read_or_refused_by_name(service, operation):
    """A value of the wrong type shows whether a member is looked at, all the way down."""
    for member, kind in input_members(service, operation).items():
        if kind.type_name not in WRONG:
            continue
        status, body = send(f"{TARGETS[service]}.{operation}", {member: WRONG[kind.type_name]})
        code, message = body["__type"].split("#")[1], body.get("message") or ""
        assert status == 400, f"{operation}.{member} is silently ignored"
        if code == "ValidationException":
            assert message.startswith(f"{member} is not offered: "), f"{operation}.{member}: {body}"
        else:
            assert code in ("SerializationException", "UnknownOperationException")
