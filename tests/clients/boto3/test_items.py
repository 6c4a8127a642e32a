"""PutItem, GetItem, UpdateItem, DeleteItem: what they change, return, refuse and cost."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import ClientError


@pytest.fixture
def key(request):
    return {"pk": request.node.name, "sk": "1"}


def test_put_get_delete(table, key):
    assert "Attributes" not in table.put_item(Item={**key, "a": 1})
    assert table.put_item(Item={**key, "a": 2}, ReturnValues="ALL_OLD")["Attributes"] == {**key, "a": 1}
    assert table.get_item(Key=key, ConsistentRead=True)["Item"] == {**key, "a": 2}
    assert table.delete_item(Key=key, ReturnValues="ALL_OLD")["Attributes"] == {**key, "a": 2}
    assert "Item" not in table.get_item(Key=key)
    assert "Attributes" not in table.delete_item(Key=key, ReturnValues="ALL_OLD")


def test_a_projection_takes_what_it_names(table, key):
    table.put_item(Item={**key, "l": [{"a": 1, "b": 2}, "x", "y"], "m": {"a": {"b": 3}}, "name": "n"})
    response = table.get_item(
        Key=key, ProjectionExpression="l[2], l[0].a, l[0].b, m.a.b, #n, absent",
        ExpressionAttributeNames={"#n": "name"},
    )
    assert response["Item"] == {"l": [{"a": 1, "b": 2}, "y"], "m": {"a": {"b": 3}}, "name": "n"}
    assert table.get_item(Key=key, AttributesToGet=["name"])["Item"] == {"name": "n"}


@pytest.mark.parametrize(
    ("expression", "values", "expected"),
    [
        ("SET a = :v, b = a", {":v": 5}, {"a": 5, "b": 1, "l": [1, 2, 3], "s": {"x", "y"}}),
        ("SET a = a + :v", {":v": Decimal("0.1")}, {"a": Decimal("1.1"), "l": [1, 2, 3], "s": {"x", "y"}}),
        ("SET c = if_not_exists(c, :v)", {":v": 7}, {"a": 1, "c": 7, "l": [1, 2, 3], "s": {"x", "y"}}),
        ("SET l = list_append(l, :v)", {":v": [4]}, {"a": 1, "l": [1, 2, 3, 4], "s": {"x", "y"}}),
        ("SET l[99] = :v", {":v": 9}, {"a": 1, "l": [1, 2, 3, 9], "s": {"x", "y"}}),
        ("REMOVE l[0], l[2], absent", None, {"a": 1, "l": [2], "s": {"x", "y"}}),
        ("ADD a :v, n :v", {":v": 2}, {"a": 3, "n": 2, "l": [1, 2, 3], "s": {"x", "y"}}),
        ("ADD s :v", {":v": {"z"}}, {"a": 1, "l": [1, 2, 3], "s": {"x", "y", "z"}}),
        ("DELETE s :v", {":v": {"x"}}, {"a": 1, "l": [1, 2, 3], "s": {"y"}}),
        ("DELETE s :v", {":v": {"x", "y"}}, {"a": 1, "l": [1, 2, 3]}),
        ("SET l = :v REMOVE a ADD s :t DELETE u :t", {":v": [], ":t": {"z"}}, {"l": [], "s": {"x", "y", "z"}}),
    ],
)
def test_updates(table, key, expression, values, expected):
    table.put_item(Item={**key, "a": 1, "l": [1, 2, 3], "s": {"x", "y"}})
    arguments = {"ExpressionAttributeValues": values} if values else {}
    response = table.update_item(
        Key=key, UpdateExpression=expression, ReturnValues="ALL_NEW", **arguments
    )
    assert response["Attributes"] == {**key, **expected}


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("NONE", None),
        ("ALL_OLD", {"a": 1, "m": {"x": 1, "y": 2}}),
        ("UPDATED_OLD", {"a": 1, "m": {"x": 1}}),
        ("ALL_NEW", {"a": 2, "m": {"x": 3, "y": 2}}),
        ("UPDATED_NEW", {"a": 2, "m": {"x": 3}}),
    ],
)
def test_return_values(table, key, returned, expected):
    table.put_item(Item={**key, "a": 1, "m": {"x": 1, "y": 2}})
    response = table.update_item(
        Key=key, UpdateExpression="SET a = :a, m.x = :x",
        ExpressionAttributeValues={":a": 2, ":x": 3}, ReturnValues=returned,
    )
    if expected and returned.startswith("ALL"):
        expected = {**key, **expected}
    assert response.get("Attributes") == expected


def test_an_update_makes_an_item_unless_it_only_removes(table, key):
    response = table.update_item(Key=key, UpdateExpression="REMOVE a.b", ReturnValues="ALL_NEW")
    assert "Item" not in table.get_item(Key=key), response
    table.update_item(Key=key)
    assert table.get_item(Key=key)["Item"] == key


def test_older_parameters(table, key):
    table.put_item(Item={**key, "a": 1}, Expected={"pk": {"Exists": False}})
    response = table.update_item(
        Key=key, AttributeUpdates={"a": {"Action": "ADD", "Value": 4}, "b": {"Value": "x"}},
        Expected={"a": {"ComparisonOperator": "GE", "AttributeValueList": [1]}}, ReturnValues="ALL_NEW",
    )
    assert response["Attributes"] == {**key, "a": 5, "b": "x"}
    with pytest.raises(table.meta.client.exceptions.ConditionalCheckFailedException):
        table.delete_item(Key=key, Expected={"a": {"Value": 1}})


def test_a_failed_condition_shows_the_item_if_asked(client, table, key):
    table.put_item(Item={**key, "a": 1})
    failed = client.exceptions.ConditionalCheckFailedException
    typed = {name: {"S": value} for name, value in key.items()}
    calls = {
        client.put_item: {"Item": typed},
        client.delete_item: {"Key": typed},
        client.update_item: {"Key": typed, "UpdateExpression": "REMOVE a"},
    }
    for call, arguments in calls.items():
        arguments |= {"TableName": table.name, "ConditionExpression": "attribute_not_exists(a)"}
        with pytest.raises(failed) as raised:
            call(**arguments)
        assert raised.value.response["Error"]["Message"] == "The conditional request failed"
        assert "Item" not in raised.value.response
        with pytest.raises(failed) as raised:
            call(**arguments, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        assert raised.value.response["Item"] == {**typed, "a": {"N": "1"}}


CONDITIONS = [
    (Attr("n").eq(5), True),
    (Attr("n").ne(5), False),
    (Attr("absent").ne(5), True),
    (Attr("n").lt(Decimal("5.0000000000000000000000000000000000001")), True),
    (Attr("n").between(1, 5), True),
    (Attr("n").is_in([1, 5]), True),
    (Attr("n").eq("5"), False),
    (Attr("t").begins_with("ab"), True),
    (Attr("t").contains("bc"), True),
    (Attr("s").contains("x"), True),
    (Attr("l").contains(2), True),
    (Attr("t").size().eq(4), True),
    (Attr("t").attribute_type("S"), True),
    (Attr("t").attribute_type("N"), False),
    (Attr("m.a").exists() & Attr("m.b").not_exists(), True),
    (~Attr("n").eq(5) | Attr("t").eq("abcd"), True),
    (Attr("s").eq({"y", "x"}), True),
    (Attr("m").eq({"a": {"c": 1}}), True),
]


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_conditions(table, key, condition, holds):
    item = {**key, "n": 5, "t": "abcd", "s": {"x", "y"}, "l": [1, 2], "m": {"a": {"c": 1}}}
    table.put_item(Item=item)
    try:
        table.put_item(Item=item, ConditionExpression=condition)
        assert holds
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ConditionalCheckFailedException"
        assert not holds


def test_capacity(client, make_table):
    table = make_table("pk S")
    item = {"pk": {"S": "a"}, "v": {"S": "x" * 2000}}
    name = {"TableName": table.name, "ReturnConsumedCapacity": "TOTAL"}
    units = lambda response: response["ConsumedCapacity"]["CapacityUnits"]  # noqa: E731
    assert units(client.put_item(Item=item, **name)) == 2
    key = {"Key": {"pk": {"S": "a"}}}
    assert units(client.get_item(**key, **name)) == 0.5
    assert units(client.get_item(**key, **name, ConsistentRead=True)) == 1
    assert units(client.get_item(Key={"pk": {"S": "missing"}}, **name)) == 0.5
    assert units(client.scan(**name)) == 0.5
    assert units(client.delete_item(**key, **name)) == 2
    assert units(client.delete_item(**key, **name)) == 1
    response = client.put_item(Item=item, **{**name, "ReturnConsumedCapacity": "INDEXES"})
    assert response["ConsumedCapacity"] == {
        "TableName": table.name, "CapacityUnits": 2.0, "Table": {"CapacityUnits": 2.0},
    }


def test_a_table_can_be_named_by_its_arn(client, table, key):
    typed = {name: {"S": value} for name, value in key.items()}
    client.put_item(TableName=table.table_arn, Item=typed)
    assert client.get_item(TableName=table.table_arn, Key=typed)["Item"] == typed
    request = {table.table_arn: {"Keys": [typed]}}
    assert client.batch_get_item(RequestItems=request)["Responses"] == {table.table_arn: [typed]}
    get = {"Get": {"TableName": table.table_arn, "Key": typed}}
    assert client.transact_get_items(TransactItems=[get])["Responses"] == [{"Item": typed}]
    described = client.describe_table(TableName=table.table_arn)["Table"]
    assert described["TableName"] == table.name
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": typed["pk"]}}
    assert client.query(TableName=table.table_arn, **query)["Count"] == 1
