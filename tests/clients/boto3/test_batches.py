"""BatchWriteItem and BatchGetItem."""

import threading

import pytest

VALIDATION = "ValidationException"


def put(number, **more):
    return {"PutRequest": {"Item": {"pk": {"S": f"b{number}"}, "sk": {"S": "1"}, **more}}}


def key(number):
    return {"pk": {"S": f"b{number}"}, "sk": {"S": "1"}}


def test_a_batch_of_several_tables(client, make_table):
    one, two = make_table(), make_table()
    response = client.batch_write_item(
        RequestItems={one.name: [put(1), put(2)], two.name: [put(3)]},
        ReturnConsumedCapacity="TOTAL",
    )
    assert response["UnprocessedItems"] == {}
    assert {c["TableName"]: c["CapacityUnits"] for c in response["ConsumedCapacity"]} == {
        one.name: 2, two.name: 1,
    }
    response = client.batch_get_item(
        RequestItems={
            one.name: {"Keys": [key(1), key(2), key(99)], "ConsistentRead": True},
            two.name: {"Keys": [key(3)], "ProjectionExpression": "pk"},
        }
    )
    assert sorted(item["pk"]["S"] for item in response["Responses"][one.name]) == ["b1", "b2"]
    assert response["Responses"][two.name] == [{"pk": {"S": "b3"}}]
    assert response["UnprocessedKeys"] == {}
    client.batch_write_item(RequestItems={one.name: [{"DeleteRequest": {"Key": key(1)}}, put(4)]})
    left = client.scan(TableName=one.name)["Items"]
    assert sorted(item["pk"]["S"] for item in left) == ["b2", "b4"]


def test_a_table_named_twice_keeps_both(client, make_table):
    """Named once by its name and once by its ARN, a table lost the writes of one of the two."""
    table = make_table()
    client.batch_write_item(RequestItems={table.name: [put(1)], table.table_arn: [put(2)]})
    assert client.scan(TableName=table.name)["Count"] == 2
    response = client.batch_get_item(
        RequestItems={table.name: {"Keys": [key(1)]}, table.table_arn: {"Keys": [key(2)]}}
    )
    assert response["Responses"] == {table.name: [key(1)], table.table_arn: [key(2)]}


def test_batches_that_are_refused(raw, table, refused):
    name = table.name
    duplicates = "Provided list of item keys contains duplicates"
    refused(VALIDATION, duplicates, raw.batch_write_item, RequestItems={name: [put(1), put(1)]})
    refused(
        VALIDATION, duplicates, raw.batch_get_item, RequestItems={name: {"Keys": [key(1), key(1)]}}
    )
    with pytest.raises(raw.exceptions.ClientError, match="less than or equal to 25"):
        raw.batch_write_item(RequestItems={name: [put(number) for number in range(26)]})
    with pytest.raises(raw.exceptions.ClientError, match="less than or equal to 100"):
        raw.batch_get_item(RequestItems={name: {"Keys": [key(number) for number in range(101)]}})
    for call in (raw.batch_write_item, raw.batch_get_item):
        with pytest.raises(raw.exceptions.ClientError) as raised:
            call(RequestItems={})
        assert raised.value.response["Error"]["Code"] == VALIDATION


def test_numbers_that_are_equal_are_one_key_to_write(client, make_table, refused):
    """And two to read, unless they are written alike (rule 45)."""
    table = make_table("pk N")
    one, other = ({"pk": {"N": number}} for number in ("1000", "1e3"))
    writes = [{"PutRequest": {"Item": item}} for item in (one, other)]
    text = "Provided list of item keys contains duplicates"
    refused(VALIDATION, text, client.batch_write_item, RequestItems={table.name: writes})
    client.put_item(TableName=table.name, Item=one)
    response = client.batch_get_item(RequestItems={table.name: {"Keys": [one, other]}})
    assert response["Responses"] == {table.name: [one, one]}
    asked = {table.name: {"Keys": [one, other, other]}}
    refused(VALIDATION, text, client.batch_get_item, RequestItems=asked)


def test_nothing_is_written_if_one_is_refused(client, make_table):
    table = make_table()
    bad = {"PutRequest": {"Item": {"pk": {"S": "x"}}}}
    with pytest.raises(client.exceptions.ClientError):
        client.batch_write_item(RequestItems={table.name: [put(1), bad]})
    assert client.scan(TableName=table.name)["Count"] == 0


def test_answers_stop_at_16_megabytes_and_name_the_rest(client, make_table):
    table = make_table()
    value = {"v": {"S": "x" * 390_000}}
    for start in range(0, 50, 10):
        writes = [put(number, **value) for number in range(start, start + 10)]
        client.batch_write_item(RequestItems={table.name: writes})
    wanted = {table.name: {"Keys": [key(number) for number in range(50)]}}
    seen, rounds = [], 0
    while wanted:
        response = client.batch_get_item(RequestItems=wanted)
        seen += [item["pk"]["S"] for item in response["Responses"][table.name]]
        wanted = response["UnprocessedKeys"]
        rounds += 1
    assert rounds == 2 and sorted(seen) == sorted(f"b{number}" for number in range(50))


def test_the_batch_writer_of_a_resource(make_table):
    table = make_table()
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for number in range(60):
            batch.put_item(Item={"pk": f"b{number % 50}", "sk": "1", "n": number})
        batch.delete_item(Key={"pk": "b7", "sk": "1"})
    assert table.scan()["Count"] == 49


def test_items_of_a_running_transaction_come_back_as_unprocessed(client, make_table):
    """Whatever comes back is written in the end, and nothing else is lost."""
    table = make_table()
    stop = threading.Event()

    def transact():
        update = {
            "Update": {
                "TableName": table.name, "Key": key(0), "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
        }
        while not stop.is_set():
            try:
                client.transact_write_items(TransactItems=[update])
            except client.exceptions.TransactionCanceledException:
                pass

    thread = threading.Thread(target=transact)
    thread.start()
    try:
        for round in range(30):
            wanted = {table.name: [put(number) for number in range(5)]}
            while wanted:
                wanted = client.batch_write_item(RequestItems=wanted)["UnprocessedItems"]
    finally:
        stop.set()
        thread.join()
    assert client.scan(TableName=table.name)["Count"] == 5
