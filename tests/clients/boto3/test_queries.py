"""Query and Scan: conditions, order, pages, indexes, segments, paginators."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key
from conftest import index

COUNT = 60


@pytest.fixture(scope="module")
def filled(make_table):
    """Three partitions of twenty items; `group` and `rank` are keys of indexes."""
    table = make_table(
        "pk S", "sk N", attributes=("group S", "rank N"),
        LocalSecondaryIndexes=[index("ByRank", "pk", "rank", projection="KEYS_ONLY")],
        GlobalSecondaryIndexes=[
            index("ByGroup", "group", "rank"),
            index("Some", "group", projection="INCLUDE", NonKeyAttributes=["note"]),
            index("Keys", "group", projection="KEYS_ONLY"),
        ],
    )
    with table.batch_writer() as batch:
        for number in range(COUNT):
            batch.put_item(Item=item(number))
    return table


def item(number):
    return {
        "pk": f"p{number % 3}", "sk": number // 3, "group": f"g{number % 2}",
        "rank": -(number // 10), "note": f"n{number}", "even": number % 2 == 0,
    }


def numbers(items):
    return [int(item["note"][1:]) for item in items]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Key("sk").eq(3), [3]),
        (Key("sk").lt(3), [0, 1, 2]),
        (Key("sk").lte(3), [0, 1, 2, 3]),
        (Key("sk").gt(17), [18, 19]),
        (Key("sk").gte(17), [17, 18, 19]),
        (Key("sk").between(Decimal("2.5"), 5), [3, 4, 5]),
    ],
)
def test_sort_conditions(filled, condition, expected):
    found = filled.query(KeyConditionExpression=Key("pk").eq("p1") & condition)["Items"]
    assert [item["sk"] for item in found] == expected
    found = filled.query(
        KeyConditionExpression=Key("pk").eq("p1") & condition, ScanIndexForward=False
    )["Items"]
    assert [item["sk"] for item in found] == expected[::-1]


def test_begins_with(make_table):
    table = make_table("pk S", "sk S")
    for name in ("a", "ab", "abc", "b", "ab\uffff"):
        table.put_item(Item={"pk": "x", "sk": name})
    found = table.query(KeyConditionExpression=Key("pk").eq("x") & Key("sk").begins_with("ab"))
    assert [item["sk"] for item in found["Items"]] == ["ab", "abc", "ab\uffff"]


def test_older_key_conditions(filled):
    response = filled.query(
        KeyConditions={
            "pk": {"AttributeValueList": ["p0"], "ComparisonOperator": "EQ"},
            "sk": {"AttributeValueList": [5], "ComparisonOperator": "LT"},
        },
        QueryFilter={"even": {"AttributeValueList": [True], "ComparisonOperator": "EQ"}},
    )
    assert (response["Count"], response["ScannedCount"]) == (3, 5)


def test_a_limit_counts_before_the_filter(filled):
    response = filled.query(
        KeyConditionExpression=Key("pk").eq("p0"), FilterExpression=Attr("even").eq(True), Limit=4
    )
    assert (response["Count"], response["ScannedCount"]) == (2, 4)
    assert response["LastEvaluatedKey"] == {"pk": "p0", "sk": 3}
    nothing = filled.query(
        KeyConditionExpression=Key("pk").eq("p0"), FilterExpression=Attr("absent").exists(), Limit=1
    )
    assert nothing["Items"] == [] and "LastEvaluatedKey" in nothing


def test_a_limit_at_the_very_end_still_gives_a_key(filled):
    response = filled.query(KeyConditionExpression=Key("pk").eq("p0"), Limit=20)
    assert response["LastEvaluatedKey"] == {"pk": "p0", "sk": 19}
    response = filled.query(
        KeyConditionExpression=Key("pk").eq("p0"), ExclusiveStartKey=response["LastEvaluatedKey"]
    )
    assert response["Items"] == [] and "LastEvaluatedKey" not in response


@pytest.mark.parametrize("limit", [1, 3, 7])
@pytest.mark.parametrize("forward", [True, False])
def test_an_index_with_equal_keys_is_paged_without_gaps(filled, limit, forward):
    whole = filled.query(
        IndexName="ByGroup", KeyConditionExpression=Key("group").eq("g1"), ScanIndexForward=forward
    )["Items"]
    assert sorted(numbers(whole)) == [number for number in range(COUNT) if number % 2]
    paged, start = [], {}
    while True:
        response = filled.query(
            IndexName="ByGroup", KeyConditionExpression=Key("group").eq("g1"), Limit=limit,
            ScanIndexForward=forward, **start,
        )
        paged += response["Items"]
        if "LastEvaluatedKey" not in response:
            break
        assert set(response["LastEvaluatedKey"]) == {"group", "rank", "pk", "sk"}
        start = {"ExclusiveStartKey": response["LastEvaluatedKey"]}
    assert paged == whole


def test_projections_of_indexes(filled):
    group = Key("group").eq("g0")
    some = filled.query(IndexName="Some", KeyConditionExpression=group)["Items"][0]
    assert set(some) == {"group", "pk", "sk", "note"}
    keys = filled.query(IndexName="Keys", KeyConditionExpression=group)["Items"][0]
    assert set(keys) == {"group", "pk", "sk"}
    rank = filled.query(IndexName="ByRank", KeyConditionExpression=Key("pk").eq("p0"))["Items"]
    assert set(rank[0]) == {"pk", "sk", "rank"}
    assert [item["rank"] for item in rank] == sorted(item["rank"] for item in rank)
    everything = filled.query(
        IndexName="ByRank", KeyConditionExpression=Key("pk").eq("p0"), Select="ALL_ATTRIBUTES"
    )["Items"]
    assert sorted(numbers(everything)) == list(range(0, COUNT, 3))


def test_what_an_index_refuses(filled, refused):
    group = {"KeyConditionExpression": Key("group").eq("g0")}
    refused(
        "ValidationException", "Consistent reads are not supported on global secondary indexes",
        filled.query, IndexName="ByGroup", ConsistentRead=True, **group,
    )
    text = (
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for "
        "global secondary index Keys because its projection type is not ALL"
    )
    refused(
        "ValidationException", text, filled.query, IndexName="Keys", Select="ALL_ATTRIBUTES", **group
    )


def test_counting(filled):
    response = filled.scan(Select="COUNT", FilterExpression=Attr("sk").lt(2))
    assert (response["Count"], response["ScannedCount"]) == (6, COUNT)
    assert "Items" not in response


def test_a_parallel_scan_sees_each_item_once(make_table):
    table = make_table("pk N")
    with table.batch_writer() as batch:
        for number in range(100):
            batch.put_item(Item={"pk": number})

    def segment(number):
        seen, start = [], {}
        while True:
            response = table.scan(Segment=number, TotalSegments=4, Limit=5, **start)
            seen += [int(item["pk"]) for item in response["Items"]]
            if "LastEvaluatedKey" not in response:
                return seen
            start = {"ExclusiveStartKey": response["LastEvaluatedKey"]}

    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(segment, range(4)))
    assert sorted(sum(parts, [])) == list(range(100))
    assert all(parts), "every segment has something to do"


def test_paginators(client, filled):
    pages = list(client.get_paginator("scan").paginate(
        TableName=filled.name, PaginationConfig={"PageSize": 7, "MaxItems": 40}
    ))
    assert sum(len(page["Items"]) for page in pages) == 40
    result = client.get_paginator("query").paginate(
        TableName=filled.name, IndexName="ByGroup", KeyConditionExpression="#g = :g",
        ExpressionAttributeNames={"#g": "group"}, ExpressionAttributeValues={":g": {"S": "g0"}},
        PaginationConfig={"PageSize": 4},
    ).build_full_result()
    assert result["Count"] == len(result["Items"]) == 30


def test_a_page_has_a_megabyte_at_most(client, make_table):
    table = make_table("pk S", "sk N")
    for number in range(6):
        table.put_item(Item={"pk": "x", "sk": number, "v": "x" * 300_000})
    first = table.query(KeyConditionExpression=Key("pk").eq("x"))
    assert (first["Count"], first["LastEvaluatedKey"]) == (3, {"pk": "x", "sk": 2})
    pages = client.get_paginator("scan").paginate(TableName=table.name)
    assert [page["Count"] for page in pages] == [3, 3]


def test_a_bad_start_key_is_refused(filled, refused):
    text = "The provided starting key is outside query boundaries based on provided conditions"
    refused(
        "ValidationException", text, filled.query, KeyConditionExpression=Key("pk").eq("p0"),
        ExclusiveStartKey={"pk": "p1", "sk": 1},
    )
    refused(
        "ValidationException", "The provided starting key is invalid", filled.query,
        KeyConditionExpression=Key("pk").eq("p0"), ExclusiveStartKey={"pk": "p0"},
    )
