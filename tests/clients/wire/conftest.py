"""What the tests of the wire share: a server of their own, whose access keys they can change."""

import boto3
import pytest
from botocore.config import Config
from plinth_server import REGION, Server


@pytest.fixture(scope="session")
def server():
    with Server() as server:
        yield server


@pytest.fixture(scope="session")
def table(server):
    """The name of a table with the key `pk`."""
    make_table(client_of(server), "wire")
    return "wire"


def client_of(server, **options):
    return boto3.client("dynamodb", **{
        "endpoint_url": server.url, "region_name": REGION, "aws_access_key_id": server.access_key,
        "aws_secret_access_key": server.secret,
        "config": Config(retries={"total_max_attempts": 1}, max_pool_connections=50), **options,
    })


def make_table(client, name):
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    )
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
