"""What the boto3 tests share: clients, and tables that are ready and have a name of their own."""

import itertools
import os

import answer_shapes
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

# One try: a test wants to see the first answer.
ONE_TRY = Config(retries={"total_max_attempts": 1})
NUMBERS = itertools.count(1)

boto3.setup_default_session()
answer_shapes.watch(boto3.DEFAULT_SESSION)


def make_client(service="dynamodb", **options):
    options.setdefault("config", ONE_TRY)
    return boto3.client(service, **options)


@pytest.fixture(scope="session")
def client():
    return make_client()


@pytest.fixture(scope="session")
def raw():
    """A client that sends whatever it is given, so that the server has to refuse it."""
    return make_client(config=ONE_TRY.merge(Config(parameter_validation=False)))


@pytest.fixture(scope="session")
def streams():
    return make_client("dynamodbstreams")


@pytest.fixture(scope="session")
def dynamodb():
    return boto3.resource("dynamodb", config=ONE_TRY)


@pytest.fixture(scope="session")
def make_table(dynamodb):
    """Makes a table: `make_table("pk S", "sk N", LocalSecondaryIndexes=[...])`."""

    def make(*keys, attributes=(), **options):
        name = options.pop("TableName", f"table-{os.getpid()}-{next(NUMBERS)}")
        keys = [key.split() for key in keys or ("pk S", "sk S")]
        defined = keys + [attribute.split() for attribute in attributes]
        table = dynamodb.create_table(
            TableName=name,
            KeySchema=key_schema(*(key for key, _ in keys)),
            AttributeDefinitions=[
                {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in defined
            ],
            **{"BillingMode": "PAY_PER_REQUEST", **options},
        )
        table.wait_until_exists()
        return table

    return make


@pytest.fixture(scope="module")
def table(make_table):
    """A table with the keys `pk` and `sk`, for the tests of one file."""
    return make_table()


def key_schema(*names):
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds)]


def index(name, *keys, projection="ALL", **projected):
    return {
        "IndexName": name,
        "KeySchema": key_schema(*keys),
        "Projection": {"ProjectionType": projection, **projected},
    }


@pytest.fixture(scope="session")
def refused():
    """Calls, and gives the error after comparing its code and its whole text."""

    def check(code, text, call, **arguments):
        with pytest.raises(ClientError) as raised:
            call(**arguments)
        error = raised.value.response["Error"]
        assert (error["Code"], error["Message"]) == (code, text)
        return raised.value

    return check
