"""What is refused, in which words: the whole text, as botocore shows it."""

import pytest

VALIDATION = "ValidationException"
# Since 2026 the service puts this before what is wrong with a write of one item, and before nothing else
# that is tested here.
ONE = "1 validation error detected: "
KEY = {"pk": {"S": "errors"}, "sk": {"S": "1"}}
OVERLAP = (
    "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one "
    "of these paths; path one: [a], path two: [a, b]"
)

# An operation, its arguments beside the table's name, and the text.
CASES = {
    "unused name": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "attribute_not_exists(pk)", "ExpressionAttributeNames": {"#x": "x"}},
        ONE + "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
    ),
    "unused value": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "attribute_not_exists(pk)", "ExpressionAttributeValues": {":x": {"S": "x"}}},
        ONE + "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}",
    ),
    "undefined name": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "attribute_not_exists(#x)"},
        ONE + "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #x",
    ),
    "undefined value": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "a = :x"},
        ONE + "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x",
    ),
    "names without an expression": (
        "get_item",
        {"Key": KEY, "ExpressionAttributeNames": {"#x": "x"}},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    "values without an expression": (
        "put_item",
        {"Item": KEY, "ExpressionAttributeValues": {":x": {"S": "x"}}},
        ONE + "ExpressionAttributeValues can only be specified when using expressions",
    ),
    "old and new parameters": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "attribute_exists(a)", "Expected": {"a": {"Exists": False}}},
        ONE + "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
    ),
    "reserved word": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET status = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}},
        ONE + "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    "redundant parentheses": (
        "put_item",
        {"Item": KEY, "ConditionExpression": "((attribute_exists(a)))"},
        ONE + "Invalid ConditionExpression: The expression has redundant parentheses;",
    ),
    "overlapping paths": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET a = :v, a.b = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
        ONE + OVERLAP,
    ),
    "key attribute updated": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET #p = :v", "ExpressionAttributeNames": {"#p": "pk"}, "ExpressionAttributeValues": {":v": {"S": "x"}}},
        "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
    ),
    "path into nothing": (
        "update_item",
        {"Key": KEY, "UpdateExpression": "SET a.b.c = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
        "The document path provided in the update expression is invalid for update",
    ),
    "missing sort key": (
        "get_item",
        {"Key": {"pk": {"S": "a"}}},
        "The provided key element does not match the schema",
    ),
    "wrong key type in a get": (
        "get_item",
        {"Key": {"pk": {"N": "1"}, "sk": {"S": "1"}}},
        "The provided key element does not match the schema",
    ),
    "missing key in a put": (
        "put_item",
        {"Item": {"pk": {"S": "a"}}},
        "One or more parameter values were invalid: Missing the key sk in the item",
    ),
    "wrong key type in a put": (
        "put_item",
        {"Item": {"pk": {"N": "1"}, "sk": {"S": "1"}}},
        "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
    ),
    "empty key": (
        "put_item",
        {"Item": {"pk": {"S": ""}, "sk": {"S": "1"}}},
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
    ),
    "long partition key": (
        "put_item",
        {"Item": {"pk": {"S": "x" * 2049}, "sk": {"S": "1"}}},
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    "long sort key": (
        "put_item",
        {"Item": {"pk": {"S": "x"}, "sk": {"S": "x" * 1025}}},
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    ),
    "return values of a put": (
        "put_item",
        {"Item": KEY, "ReturnValues": "ALL_NEW"},
        ONE + "ReturnValues can only be ALL_OLD or NONE",
    ),
    "no key condition": (
        "query",
        {},
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    ),
    "key condition without the key": (
        "query",
        {"KeyConditionExpression": "sk = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
        "Query condition missed key schema element: pk",
    ),
    "key condition with an unordered pair": (
        "query",
        {"KeyConditionExpression": "pk = :p AND sk BETWEEN :b AND :a", "ExpressionAttributeValues": {":p": {"S": "x"}, ":a": {"S": "a"}, ":b": {"S": "b"}}},
        "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
    ),
    "filter on a key": (
        "query",
        {"KeyConditionExpression": "pk = :p", "FilterExpression": "sk = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}},
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
    ),
    "unknown index": (
        "query",
        {"IndexName": "nowhere", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}},
        "The table does not have the specified index: nowhere",
    ),
    "segment without total": (
        "scan",
        {"Segment": 0},
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    ),
    "total without segment": (
        "scan",
        {"TotalSegments": 2},
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    ),
    "segment beyond the total": (
        "scan",
        {"Segment": 2, "TotalSegments": 2},
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
        "Segment: 2 is not less than TotalSegments: 2",
    ),
    "counting with a projection": (
        "scan",
        {"Select": "COUNT", "ProjectionExpression": "a"},
        ONE + "Cannot specify the ProjectionExpression when choosing to get only the Count",
    ),
    "wrong type for a function": (
        "scan",
        {"FilterExpression": "begins_with(a, :n)", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        "Invalid FilterExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
    ),
    "the same operand twice": (
        "scan",
        {"FilterExpression": "contains(a, a)"},
        "Invalid FilterExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [a]",
    ),
    "empty expression": (
        "scan",
        {"FilterExpression": ""},
        "Invalid FilterExpression: The expression can not be empty;",
    ),
    "syntax": (
        "scan",
        {"FilterExpression": "a = = b"},
        "Invalid FilterExpression: Syntax error; token: \"=\", near: \"= = b\"",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_texts(raw, table, refused, name):
    operation, arguments, text = CASES[name]
    refused(VALIDATION, text, getattr(raw, operation), TableName=table.name, **arguments)


def test_a_missing_table(client, refused):
    text = "Requested resource not found"
    missing = "ResourceNotFoundException"
    for call, arguments in {
        client.get_item: {"Key": KEY},
        client.put_item: {"Item": KEY},
        client.scan: {},
    }.items():
        refused(missing, text, call, TableName="nowhere", **arguments)
    text = "Requested resource not found: Table: nowhere not found"
    for call in (client.describe_table, client.delete_table, client.describe_time_to_live):
        refused(missing, text, call, TableName="nowhere")


def test_expressions_are_checked_before_the_table(client, refused):
    text = ONE + "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: name"
    refused(
        VALIDATION, text, client.put_item, TableName="nowhere", Item=KEY,
        ConditionExpression="attribute_exists(name)",
    )


def test_long_expressions_and_many_operands(client, table, refused):
    values = {f":{number}": {"N": str(number)} for number in range(101)}
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.scan(
            TableName=table.name, FilterExpression=f"a IN ({', '.join(values)})",
            ExpressionAttributeValues=values,
        )
    error = raised.value.response["Error"]
    assert error["Code"] == VALIDATION and error["Message"].startswith("Invalid FilterExpression: ")
    text = "Invalid FilterExpression: Expression size has exceeded the maximum allowed size;"
    long = "attribute_exists(" + "a" * (4097 - len("attribute_exists()")) + ")"
    refused(VALIDATION, text, client.scan, TableName=table.name, FilterExpression=long)


def test_bad_base64_is_refused(table):
    """botocore encodes by itself, so the bytes are put into the request after it."""
    import boto3

    client = boto3.client("dynamodb")
    spoil = lambda request, **_: setattr(  # noqa: E731
        request, "data", request.data.replace(b"AAAA", b"AAA!")
    )
    client.meta.events.register("before-sign.dynamodb.PutItem", spoil)
    with pytest.raises(client.exceptions.ClientError) as raised:
        client.put_item(TableName=table.name, Item={**KEY, "v": {"B": b"\0\0\0"}})
    assert raised.value.response["Error"]["Code"] == "SerializationException"
