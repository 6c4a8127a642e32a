"""Tables that take a while to be made and deleted, and the waiters that people use."""

import time

import pytest
from botocore.exceptions import ClientError
from conftest import key_schema, make_client
from plinth_server import REGION, Server

# Longer than any test waits: only a waiter ends it.
AN_HOUR = "3600000"


@pytest.fixture(scope="module")
def slow():
    with Server("--table-creation-time", AN_HOUR) as server:
        yield make_client(
            endpoint_url=server.url, region_name=REGION, aws_access_key_id=server.access_key,
            aws_secret_access_key=server.secret,
        )


def create(client, name):
    client.create_table(
        TableName=name, KeySchema=key_schema("pk"), BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    )


def seconds(waiter, name):
    """How long a waiter of boto3 takes, as it is: it sleeps 20 seconds between two polls."""
    started = time.monotonic()
    waiter.wait(TableName=name)
    return time.monotonic() - started


def test_who_does_not_wait_fails_and_who_waits_does_not_wait_long(slow):
    create(slow, "things")
    item = {"TableName": "things", "Item": {"pk": {"S": "a"}}}
    with pytest.raises(slow.exceptions.ResourceNotFoundException, match="Requested resource not found$"):
        slow.put_item(**item)
    assert seconds(slow.get_waiter("table_exists"), "things") < 1
    slow.put_item(**item)

    slow.delete_table(TableName="things")
    with pytest.raises(slow.exceptions.ResourceInUseException, match="being deleted"):
        create(slow, "things")
    assert seconds(slow.get_waiter("table_not_exists"), "things") < 1
    create(slow, "things")


def test_a_table_that_is_being_made_cannot_be_changed(slow):
    create(slow, "others")
    for call in (
        lambda: slow.delete_table(TableName="others"),
        lambda: slow.update_table(TableName="others", DeletionProtectionEnabled=True),
    ):
        with pytest.raises(ClientError, match="Table is being created: others"):
            call()
