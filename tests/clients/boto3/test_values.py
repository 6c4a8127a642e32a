"""Values go in and come out as they were: every type, at its limits, through both interfaces."""

from decimal import Decimal

import pytest
from boto3.dynamodb.types import Binary

TYPES = {
    "S": "",
    "N": "0",
    "B": b"",
    "SS": ["a", "b"],
    "NS": ["-1", "2.5"],
    "BS": [b"\x00", b"\xff"],
    "M": {"nested": {"L": [{"M": {}}, {"L": []}, {"NULL": True}]}},
    "L": [{"S": "x"}, {"N": "1"}, {"BOOL": False}],
    "BOOL": True,
    "NULL": True,
}


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_comes_back(client, table, kind):
    key = {"pk": {"S": "types"}, "sk": {"S": kind}}
    client.put_item(TableName=table.name, Item={**key, "v": {kind: TYPES[kind]}})
    item = client.get_item(TableName=table.name, Key=key)["Item"]
    found = item["v"][kind]
    assert sorted(found) == TYPES[kind] if kind in ("SS", "NS", "BS") else found == TYPES[kind]


def test_a_resource_has_python_values(table):
    item = {
        "pk": "resource", "sk": "1", "text": "näïve ☃ 😀", "number": Decimal("-12.5"),
        "bytes": b"\x00\x01\xff", "true": True, "none": None, "list": [1, "a", [Decimal("0.1")]],
        "map": {"a": {"b": {}}}, "texts": {"a", "b"}, "numbers": {Decimal(1), Decimal("2.5")},
        "binaries": {b"a", b"b"},
    }
    table.put_item(Item=item)
    found = table.get_item(Key={"pk": "resource", "sk": "1"})["Item"]
    assert found == {**item, "bytes": Binary(b"\x00\x01\xff"), "binaries": {Binary(b"a"), Binary(b"b")}}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("00042", "42"), ("1.0", "1"), ("1.5E2", "150"), ("-0", "0"), ("+5", "5"), (".5", "0.5"),
        ("1E125", "1" + "0" * 125), ("1E-130", "0." + "0" * 129 + "1"), ("9" * 38, "9" * 38),
        ("-0.000", "0"), ("1e3", "1000"),
    ],
)
def test_numbers_are_normalised(client, table, written, read):
    key = {"pk": {"S": "numbers"}, "sk": {"S": written}}
    client.put_item(TableName=table.name, Item={**key, "n": {"N": written}})
    assert client.get_item(TableName=table.name, Key=key)["Item"]["n"] == {"N": read}


OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"N": "9" * 39}, "Attempting to store more than 38 significant digits in a Number"),
        ({"N": "1E126"}, OVERFLOW),
        ({"N": "-1E126"}, OVERFLOW),
        ({"N": "1E-131"}, UNDERFLOW),
        ({"N": "dog"}, "The parameter cannot be converted to a numeric value: dog"),
        ({"N": "NaN"}, "The parameter cannot be converted to a numeric value: NaN"),
        ({"N": ""}, "The parameter cannot be converted to a numeric value: "),
        ({"N": " 1"}, "The parameter cannot be converted to a numeric value:  1"),
        ({"SS": []}, "One or more parameter values were invalid: An string set  may not be empty"),
        ({"L": [{"NS": []}]}, "One or more parameter values were invalid: An number set  may not be empty"),
        ({"SS": ["a", "a"]}, 'One or more parameter values were invalid: Input collection ["a", "a"] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, "One or more parameter values were invalid: Input collection contains duplicates."),
    ],
)
def test_bad_values_are_refused(client, table, refused, value, text):
    item = {"pk": {"S": "bad"}, "sk": {"S": "1"}, "v": value}
    text = "1 validation error detected: " + text
    refused("ValidationException", text, client.put_item, TableName=table.name, Item=item)


def test_null_is_true(client, table, refused):
    key = {"pk": {"S": "null"}, "sk": {"S": "1"}}
    text = (
        "1 validation error detected: One or more parameter values were invalid: Null attribute "
        "value types must have the value of true"
    )
    item = {**key, "v": {"NULL": False}}
    refused("ValidationException", text, client.put_item, TableName=table.name, Item=item)
    client.put_item(TableName=table.name, Item={**key, "v": {"NULL": True}})
    assert client.get_item(TableName=table.name, Key=key)["Item"]["v"] == {"NULL": True}


def test_a_number_must_be_a_text(raw, table, refused):
    item = {"pk": {"S": "bad"}, "sk": {"S": "1"}, "v": {"N": 123}}
    text = "NUMBER_VALUE cannot be converted to String"
    refused("SerializationException", text, raw.put_item, TableName=table.name, Item=item)


def test_an_item_has_409600_bytes_at_most(table, refused):
    names = len("pk" + "sk" + "v") + len("size") + len("1")
    item = {"pk": "size", "sk": "1", "v": "x" * (409_600 - names)}
    table.put_item(Item=item)
    assert table.get_item(Key={"pk": "size", "sk": "1"})["Item"] == item
    text = "Item size has exceeded the maximum allowed size"
    refused("ValidationException", text, table.put_item, Item={**item, "v": item["v"] + "x"})


def test_documents_are_32_levels_deep_at_most(client, table, refused):
    def nested(levels):
        value = {"S": "x"}
        for _ in range(levels):
            value = {"L": [value]}
        return {"pk": {"S": "deep"}, "sk": {"S": "1"}, "v": value}

    client.put_item(TableName=table.name, Item=nested(31))
    text = (
        "1 validation error detected: Nesting Levels have exceeded supported limits: Attributes in the "
        "item have nested levels beyond supported limit"
    )
    refused("ValidationException", text, client.put_item, TableName=table.name, Item=nested(33))


def test_keys_of_every_type_are_in_order(make_table):
    for kind, values in {
        "N": [Decimal("-100"), Decimal("-1.5"), Decimal(0), Decimal("0.001"), Decimal(2), Decimal(10)],
        "B": [Binary(b"\x00"), Binary(b"\x00\x00"), Binary(b"\x7f"), Binary(b"\x80"), Binary(b"\xff")],
        "S": ["A", "a", "aa", "b", "ä", "\uffff", "😀"],
    }.items():
        table = make_table("pk S", f"sk {kind}")
        with table.batch_writer() as batch:
            for value in reversed(values):
                batch.put_item(Item={"pk": "x", "sk": value})
        found = table.query(
            KeyConditionExpression="pk = :x", ExpressionAttributeValues={":x": "x"}
        )["Items"]
        assert [item["sk"] for item in found] == values
