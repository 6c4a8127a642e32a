"""Tables: made, described, changed while in use, tagged, protected, listed, deleted."""

import threading

import pytest
from boto3.dynamodb.conditions import Key
from conftest import index, key_schema

VALIDATION = "ValidationException"


def test_the_life_of_a_table(client):
    name = "life-of-a-table"
    arguments = {
        "TableName": name, "KeySchema": key_schema("pk"), "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }
    made = client.create_table(**arguments)["TableDescription"]
    assert made["TableStatus"] == "CREATING" and made["ItemCount"] == 0
    with pytest.raises(client.exceptions.ResourceInUseException):
        client.create_table(**arguments)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    table = client.describe_table(TableName=name)["Table"]
    assert table["TableStatus"] == "ACTIVE" and table["TableId"] == made["TableId"]
    assert table["TableArn"] == f"arn:aws:dynamodb:us-east-1:000000000000:table/{name}"
    assert client.delete_table(TableName=name)["TableDescription"]["TableStatus"] == "DELETING"
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    again = client.create_table(**arguments)["TableDescription"]
    assert again["TableId"] != made["TableId"]


def test_continuous_backups_are_described(client, make_table):
    table = make_table("pk S")
    described = client.describe_continuous_backups(TableName=table.name)["ContinuousBackupsDescription"]
    assert described == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    with pytest.raises(client.exceptions.TableNotFoundException, match="Table not found: no-such-table"):
        client.describe_continuous_backups(TableName="no-such-table")


def test_provisioned_throughput(client, make_table):
    table = make_table(
        "pk S", BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
    )
    shown = client.describe_table(TableName=table.name)["Table"]["ProvisionedThroughput"]
    assert (shown["ReadCapacityUnits"], shown["WriteCapacityUnits"]) == (5, 6)
    client.update_table(TableName=table.name, BillingMode="PAY_PER_REQUEST")
    table.wait_until_exists()
    table.reload()
    assert table.billing_mode_summary["BillingMode"] == "PAY_PER_REQUEST"


def test_an_index_is_added_and_removed_while_items_are_written(client, make_table):
    table = make_table("pk S")
    with table.batch_writer() as batch:
        for number in range(200):
            batch.put_item(Item={"pk": f"before-{number}", "kind": "k", "n": number})
    table.put_item(Item={"pk": "wrong", "kind": 5})
    table.put_item(Item={"pk": "without"})
    stop, written = threading.Event(), []

    def write():
        number = 0
        while not stop.is_set():
            table.put_item(Item={"pk": f"during-{number}", "kind": "k"})
            written.append(number)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        client.update_table(
            TableName=table.name,
            AttributeDefinitions=[{"AttributeName": "kind", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": index("ByKind", "kind")}],
        )
        wait_for_index(client, table.name, "ACTIVE")
    finally:
        stop.set()
        writer.join()
    response = table.query(
        IndexName="ByKind", KeyConditionExpression=Key("kind").eq("k"), Select="COUNT"
    )
    assert response["Count"] == 200 + len(written)
    client.update_table(
        TableName=table.name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByKind"}}]
    )
    wait_for_index(client, table.name, None)
    table.reload()
    assert table.attribute_definitions == [{"AttributeName": "pk", "AttributeType": "S"}]
    table.put_item(Item={"pk": "free", "kind": 5})


def wait_for_index(client, name, status):
    for _ in range(600):
        indexes = client.describe_table(TableName=name)["Table"].get("GlobalSecondaryIndexes", [])
        if [index["IndexStatus"] for index in indexes] == ([status] if status else []):
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"{name} has {indexes}")


def test_definitions_that_are_refused(raw, refused):
    def create(**changes):
        arguments = {
            "TableName": "refused", "KeySchema": key_schema("pk"), "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], **changes,
        }
        with pytest.raises(raw.exceptions.ClientError) as raised:
            raw.create_table(**arguments)
        error = raised.value.response["Error"]
        assert error["Code"] == VALIDATION
        return error["Message"]

    definition = lambda *names: [  # noqa: E731
        {"AttributeName": name, "AttributeType": "S"} for name in names
    ]
    assert "Number of attributes in KeySchema does not exactly match" in create(
        AttributeDefinitions=definition("pk", "unused")
    )
    assert "Some index key attributes are not defined in AttributeDefinitions" in create(
        KeySchema=key_schema("other")
    )
    create(TableName="ab")
    create(TableName="no spaces")
    create(BillingMode="FREE")
    create(LocalSecondaryIndexes=[index("l", "pk", "sk")], AttributeDefinitions=definition("pk", "sk"))
    create(
        GlobalSecondaryIndexes=[index("g", "pk", projection="ALL", NonKeyAttributes=["a"])],
    )
    create(StreamSpecification={"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"})
    # What would be left undone is refused by name.
    assert create(ResourcePolicy="{}").startswith("ResourcePolicy is not offered: ")
    assert "refused" not in raw.list_tables()["TableNames"]


def test_deletion_protection(client, make_table, refused):
    table = make_table("pk S", DeletionProtectionEnabled=True)
    text = (
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion "
        "protection first."
    )
    refused(VALIDATION, text, client.delete_table, TableName=table.name)
    client.update_table(TableName=table.name, DeletionProtectionEnabled=False)
    client.delete_table(TableName=table.name)
    table.wait_until_not_exists()


def test_tables_are_listed_in_pages(client, make_table):
    made = {make_table("pk S").name for _ in range(5)}
    pages = list(client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2}))
    names = [name for page in pages for name in page["TableNames"]]
    assert made <= set(names) and names == sorted(names) and len(pages) >= 3


def test_tags(client, make_table):
    table = make_table("pk S", Tags=[{"Key": "a", "Value": "1"}])
    arn = table.table_arn
    tags = lambda: {  # noqa: E731
        tag["Key"]: tag["Value"]
        for page in client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
        for tag in page["Tags"]
    }
    assert tags() == {"a": "1"}
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": ""}])
    assert tags() == {"a": "2", "b": ""}
    client.untag_resource(ResourceArn=arn, TagKeys=["a", "absent"])
    assert tags() == {"b": ""}
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.tag_resource(
            ResourceArn=arn, Tags=[{"Key": f"k{n}", "Value": ""} for n in range(51)]
        )
    assert raised.value.response["Error"]["Code"] == VALIDATION
    for unknown, code in ((arn + "x", "AccessDeniedException"), ("nonsense", VALIDATION)):
        with pytest.raises(client.exceptions.ClientError) as raised:
            client.list_tags_of_resource(ResourceArn=unknown)
        assert raised.value.response["Error"]["Code"] == code


def test_time_to_live(client, make_table):
    table = make_table("pk S")
    describe = lambda: client.describe_time_to_live(  # noqa: E731
        TableName=table.name
    )["TimeToLiveDescription"]
    assert describe() == {"TimeToLiveStatus": "DISABLED"}
    setting = {"Enabled": True, "AttributeName": "until"}
    answer = client.update_time_to_live(TableName=table.name, TimeToLiveSpecification=setting)
    assert answer["TimeToLiveSpecification"] == setting
    assert describe()["AttributeName"] == "until"
    assert describe()["TimeToLiveStatus"] in ("ENABLING", "ENABLED")
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.update_time_to_live(
            TableName=table.name, TimeToLiveSpecification={**setting, "AttributeName": "other"}
        )
    assert raised.value.response["Error"]["Code"] == VALIDATION


def test_local_indexes_and_their_collections(client, make_table):
    table = make_table(
        "pk S", "sk S", attributes=("rank N",),
        LocalSecondaryIndexes=[index("ByRank", "pk", "rank")],
    )
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}, "rank": {"N": "5"}}
    answer = client.put_item(
        TableName=table.name, Item=item, ReturnItemCollectionMetrics="SIZE",
        ReturnConsumedCapacity="INDEXES",
    )
    metrics = answer["ItemCollectionMetrics"]
    assert metrics["ItemCollectionKey"] == {"pk": {"S": "a"}}
    assert len(metrics["SizeEstimateRangeGB"]) == 2
    capacity = answer["ConsumedCapacity"]
    assert capacity["CapacityUnits"] == 2
    assert capacity["LocalSecondaryIndexes"] == {"ByRank": {"CapacityUnits": 1.0}}
    found = client.query(
        TableName=table.name, IndexName="ByRank", ConsistentRead=True,
        KeyConditionExpression="pk = :p AND #r > :r",
        ExpressionAttributeNames={"#r": "rank"},
        ExpressionAttributeValues={":p": {"S": "a"}, ":r": {"N": "1"}},
    )
    assert found["Items"] == [item]


def test_limits_and_endpoints(client):
    limits = client.describe_limits()
    assert limits["AccountMaxReadCapacityUnits"] > 0 and limits["TableMaxWriteCapacityUnits"] > 0
    [endpoint] = client.describe_endpoints()["Endpoints"]
    assert endpoint["Address"] and endpoint["CachePeriodInMinutes"] > 0


def test_counts_and_sizes(client, make_table):
    table = make_table("pk S")
    table.put_item(Item={"pk": "a", "v": "xyz"})
    described = client.describe_table(TableName=table.name)["Table"]
    assert (described["ItemCount"], described["TableSizeBytes"]) == (1, len("pk" "a" "v" "xyz"))
