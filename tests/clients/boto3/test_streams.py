"""Streams: what is written appears once, in order, in the view that was asked for."""

import time

import pytest

VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def enabled(view="NEW_AND_OLD_IMAGES"):
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}


def read(streams, arn, kind="TRIM_HORIZON", limit=None):
    """Every record of every shard, and whether all shards have come to an end."""
    records, ended = [], True
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind
        )["ShardIterator"]
        while iterator:
            limited = {"Limit": limit} if limit else {}
            response = streams.get_records(ShardIterator=iterator, **limited)
            records += response["Records"]
            iterator = response.get("NextShardIterator")
            if not response["Records"]:
                break
        ended = ended and iterator is None
    return records, ended


@pytest.mark.parametrize("view", VIEWS)
def test_views(make_table, streams, view):
    table = make_table("pk S", **enabled(view))
    table.put_item(Item={"pk": "a", "v": 1})
    table.update_item(
        Key={"pk": "a"}, UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": 2}
    )
    table.delete_item(Key={"pk": "a"})
    records, _ = read(streams, table.latest_stream_arn)
    one, two = ({"pk": {"S": "a"}, "v": {"N": number}} for number in "12")
    images = [(None, one), (one, two), (two, None)]
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    for record, (old, new) in zip(records, images):
        assert (record["eventSource"], record["eventVersion"]) == ("aws:dynamodb", "1.1")
        assert record["awsRegion"] == "us-east-1" and "userIdentity" not in record
        change = record["dynamodb"]
        assert change["Keys"] == {"pk": {"S": "a"}} and change["StreamViewType"] == view
        assert change.get("OldImage") == (old if view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES") else None)
        assert change.get("NewImage") == (new if view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES") else None)
        assert change["SizeBytes"] > 0 and change["ApproximateCreationDateTime"]
    order = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    assert order == sorted(set(order))
    assert len({record["eventID"] for record in records}) == 3


def test_what_changes_nothing_is_not_recorded(make_table, streams):
    table = make_table("pk S", **enabled())
    item = {"pk": "a", "s": {"x", "y"}, "m": {"a": 1, "b": 2}}
    table.put_item(Item=item)
    table.put_item(Item={"m": {"b": 2, "a": 1}, "s": {"y", "x"}, "pk": "a"})
    table.delete_item(Key={"pk": "absent"})
    table.update_item(Key={"pk": "a"}, UpdateExpression="REMOVE absent")
    records, _ = read(streams, table.latest_stream_arn)
    assert [record["eventName"] for record in records] == ["INSERT"]


def test_every_kind_of_write_is_recorded(client, make_table, streams):
    table = make_table("pk S", **enabled("KEYS_ONLY"))
    put = lambda name: {"Item": {"pk": {"S": name}}}  # noqa: E731
    client.batch_write_item(RequestItems={table.name: [{"PutRequest": put("batch")}]})
    client.transact_write_items(TransactItems=[
        {"Put": {"TableName": table.name, **put("one")}},
        {"Put": {"TableName": table.name, **put("two")}},
    ])
    records, _ = read(streams, table.latest_stream_arn, limit=1)
    keys = [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]
    assert keys[0] == "batch" and sorted(keys) == ["batch", "one", "two"]


def test_iterators(make_table, streams):
    table = make_table("pk S", **enabled())
    for number in range(5):
        table.put_item(Item={"pk": str(number)})
    arn = table.latest_stream_arn
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    records, ended = read(streams, arn)
    assert len(records) == 5 and not ended
    assert read(streams, arn, "LATEST") == ([], False)
    middle = records[2]["dynamodb"]["SequenceNumber"]
    for kind, expected in (("AT_SEQUENCE_NUMBER", ["2", "3", "4"]), ("AFTER_SEQUENCE_NUMBER", ["3", "4"])):
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard, ShardIteratorType=kind, SequenceNumber=middle
        )["ShardIterator"]
        found = streams.get_records(ShardIterator=iterator)["Records"]
        assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in found] == expected


def test_a_latest_iterator_sees_what_comes_after_it(make_table, streams):
    table = make_table("pk S", **enabled())
    table.put_item(Item={"pk": "before"})
    arn = table.latest_stream_arn
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][-1]["ShardId"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST"
    )["ShardIterator"]
    table.put_item(Item={"pk": "after"})
    found = streams.get_records(ShardIterator=iterator)["Records"]
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in found] == ["after"]


def test_a_stream_is_switched_off_and_on(client, make_table, streams):
    table = make_table("pk S", **enabled())
    table.put_item(Item={"pk": "a"})
    first = table.latest_stream_arn
    client.update_table(TableName=table.name, StreamSpecification={"StreamEnabled": False})
    records, ended = read(streams, first)
    assert len(records) == 1 and ended
    described = streams.describe_stream(StreamArn=first)["StreamDescription"]
    assert described["StreamStatus"] == "DISABLED"
    table.put_item(Item={"pk": "between"})
    client.update_table(TableName=table.name, **enabled("KEYS_ONLY"))
    table.reload()
    assert table.latest_stream_arn != first
    table.put_item(Item={"pk": "b"})
    records, _ = read(streams, table.latest_stream_arn)
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["b"]
    listed = streams.list_streams(TableName=table.name)["Streams"]
    assert {stream["StreamArn"] for stream in listed} == {first, table.latest_stream_arn}
    page = streams.list_streams(TableName=table.name, Limit=1)
    rest = streams.list_streams(
        TableName=table.name, ExclusiveStartStreamArn=page["LastEvaluatedStreamArn"]
    )
    assert len(page["Streams"] + rest["Streams"]) == 2


def test_what_is_refused(client, make_table, streams, refused):
    table = make_table("pk S", **enabled())
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.update_table(TableName=table.name, **enabled("KEYS_ONLY"))
    assert raised.value.response["Error"]["Code"] == "ValidationException"
    arn = table.table_arn + "/stream/2020-01-01T00:00:00.000"
    refused(
        "ResourceNotFoundException", f"Requested resource not found: Stream: {arn} not found",
        streams.describe_stream, StreamArn=arn,
    )
    with pytest.raises(streams.exceptions.ClientError) as raised:
        streams.get_records(ShardIterator="nonsense")
    assert raised.value.response["Error"]["Code"] == "ValidationException"


def test_an_expired_item_leaves_a_record_with_its_identity(client, make_table, streams):
    table = make_table("pk S", **enabled())
    client.update_time_to_live(
        TableName=table.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    now = int(time.time())
    table.put_item(Item={"pk": "over", "until": now - 10})
    table.put_item(Item={"pk": "future", "until": now + 3600})
    table.put_item(Item={"pk": "ancient", "until": now - 6 * 365 * 86400})
    table.put_item(Item={"pk": "text", "until": str(now - 10)})
    deadline = time.monotonic() + 60
    removed = []
    while not removed and time.monotonic() < deadline:
        time.sleep(0.25)
        records, _ = read(streams, table.latest_stream_arn)
        removed = [record for record in records if record["eventName"] == "REMOVE"]
    [record] = removed
    assert record["dynamodb"]["Keys"] == {"pk": {"S": "over"}}
    assert record["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    left = {item["pk"] for item in table.scan()["Items"]}
    assert left == {"future", "ancient", "text"}
