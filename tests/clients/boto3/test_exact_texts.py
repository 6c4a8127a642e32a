"""Texts that look-alikes get wrong: of table definitions, members, batches, transactions.

Each was answered by the service itself, according to the public conformance suites.
"""

import re

import pytest
from conftest import index, key_schema

VALIDATION = "ValidationException"
ONE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
EMPTY_KEY = "The AttributeValue for a key attribute cannot contain an empty string value. "


def definitions(*names):
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


TABLES = {
    "no name": (
        {"TableName": None},
        "The parameter 'TableName' is required but was not present in the request",
    ),
    "short name": (
        {"TableName": "ab"},
        ONE + "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
    ),
    "one attribute twice": (
        {"KeySchema": key_schema("pk", "pk")},
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    "three keys": (
        {
            "KeySchema": [*key_schema("pk", "sk"), {"AttributeName": "x", "KeyType": "RANGE"}],
            "AttributeDefinitions": definitions("pk", "sk", "x"),
        },
        ONE + "Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, "
        "keyType=RANGE), KeySchemaElement(attributeName=x, keyType=RANGE)]' at 'keySchema' failed to satisfy "
        "constraint: Member must have length less than or equal to 2",
    ),
    "unknown kind of key": (
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "INVALID"}]},
        ONE + "Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy "
        "enum value set: [HASH, RANGE]",
    ),
    "unknown type": (
        {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "INVALID"}]},
        ONE + "Value 'INVALID' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: "
        "Member must satisfy enum value set: [B, N, S]",
    ),
    "local index without a sort key": (
        {
            "LocalSecondaryIndexes": [index("local", "pk", "sk")],
            "AttributeDefinitions": definitions("pk", "sk"),
        },
        INVALID + "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex",
    ),
    "two indexes of one name": (
        {
            "GlobalSecondaryIndexes": [index("same", "a"), index("same", "b")],
            "AttributeDefinitions": definitions("pk", "a", "b"),
        },
        INVALID + "Duplicate index name: same",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_definitions(raw, refused, name):
    changes, text = TABLES[name]
    arguments = {
        "TableName": "exact-texts", "KeySchema": key_schema("pk"), "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions("pk"), **changes,
    }
    arguments = {member: value for member, value in arguments.items() if value is not None}
    refused(VALIDATION, text, raw.create_table, **arguments)


KEY = {"pk": {"S": "a"}, "sk": {"S": "1"}}
QUERY = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}
MEMBERS = {
    "limit of a query": (
        "query", {**QUERY, "Limit": 0},
        ONE + "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
    "select": (
        "query", {**QUERY, "Select": "INVALID"},
        ONE + "Value 'INVALID' at 'select' failed to satisfy constraint: Member must satisfy enum value set: "
        "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
    ),
    "empty key condition": (
        "query", {**QUERY, "KeyConditionExpression": ""},
        "Invalid KeyConditionExpression: The expression can not be empty;",
    ),
    "names of a query": (
        "query", {**QUERY, "ExpressionAttributeNames": {"#x": "x"}},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
    ),
    "paths of a projection": (
        "get_item", {"Key": KEY, "ProjectionExpression": "a, a.b"},
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one "
        "of these paths; path one: [a], path two: [a, b]",
    ),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members(raw, table, refused, name):
    operation, arguments, text = MEMBERS[name]
    refused(VALIDATION, text, getattr(raw, operation), TableName=table.name, **arguments)


@pytest.mark.parametrize("operation", ["put_item", "get_item", "update_item", "delete_item", "query", "scan"])
def test_an_empty_table_name_is_reported_alone(raw, refused, operation):
    arguments = {
        "put_item": {"Item": KEY, "ReturnValues": "INVALID"}, "query": QUERY, "scan": {},
    }.get(operation, {"Key": KEY})
    text = ONE + "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
    refused(VALIDATION, text, getattr(raw, operation), TableName="", **arguments)


def test_batches(raw, table, refused):
    refused(
        VALIDATION, "The requestItems parameter is required for BatchWriteItem",
        raw.batch_write_item, RequestItems={},
    )
    text = ONE + f"Value at 'RequestItems.{table.name}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100"
    keys = [{"pk": {"S": str(number)}, "sk": {"S": "1"}} for number in range(101)]
    refused(VALIDATION, text, raw.batch_get_item, RequestItems={table.name: {"Keys": keys}})
    with pytest.raises(raw.exceptions.ClientError) as raised:
        raw.batch_write_item(RequestItems={table.name: [{"PutRequest": {"Item": key}} for key in keys[:26]]})
    assert re.fullmatch(
        ONE + rf"Value '\{{{table.name}=\[.+\]\}}' at 'requestItems' failed to satisfy constraint: Map value "
        r"must satisfy constraint: \[Member must have length less than or equal to 25, Member must have length "
        r"greater than or equal to 1\]",
        raised.value.response["Error"]["Message"], re.DOTALL,
    )
    bad = {"PutRequest": {"Item": {**KEY, "pk": {"N": "5"}}}}
    text = "The provided key element does not match the schema"
    refused(VALIDATION, text, raw.batch_write_item, RequestItems={table.name: [bad]})
    empty = {"PutRequest": {"Item": {**KEY, "pk": {"S": ""}}}}
    text = NOT_VALID + EMPTY_KEY + "Key: pk"
    refused(VALIDATION, text, raw.batch_write_item, RequestItems={table.name: [empty]})
    for call, request in (
        (raw.batch_write_item, [{"PutRequest": {"Item": KEY}}]), (raw.batch_get_item, {"Keys": [KEY]}),
    ):
        refused(
            "ResourceNotFoundException", "Requested resource not found", call,
            RequestItems={"nowhere": request},
        )


@pytest.fixture(scope="module")
def indexed(make_table):
    return make_table(
        "pk S", "sk S", attributes=("key S",), GlobalSecondaryIndexes=[index("by-key", "key")]
    ).name


MISMATCH = INVALID + "Type mismatch for Index Key key Expected: S Actual: N IndexName: by-key"
EMPTY_INDEX_KEY = (
    NOT_VALID + "A value specified for a secondary index key is not supported. " + EMPTY_KEY
    + "IndexName: by-key, IndexKey: key"
)
EMPTY_INDEX_UPDATE = (
    NOT_VALID + "The update expression attempted to update a secondary index key to a value that is not "
    "supported. " + EMPTY_KEY.strip()
)


def update(value):
    return {"Key": KEY, "UpdateExpression": "SET #k = :v", "ExpressionAttributeNames": {"#k": "key"},
            "ExpressionAttributeValues": {":v": value}}


def test_keys_of_an_index(raw, indexed, refused):
    wrong, empty = {"N": "5"}, {"S": ""}
    name = {"TableName": indexed}
    refused(VALIDATION, MISMATCH, raw.put_item, **name, Item={**KEY, "key": wrong})
    refused(VALIDATION, EMPTY_INDEX_KEY, raw.put_item, **name, Item={**KEY, "key": empty})
    refused(VALIDATION, EMPTY_INDEX_UPDATE, raw.update_item, **name, **update(empty))
    put = {"PutRequest": {"Item": {**KEY, "key": wrong}}}
    refused(VALIDATION, MISMATCH, raw.batch_write_item, RequestItems={indexed: [put]})


def test_keys_of_an_index_in_a_transaction(raw, indexed, refused):
    """A wrong type cancels; what is empty is refused before anything is tried."""
    wrong, empty = {"N": "5"}, {"S": ""}

    def write(**action):
        [(kind, arguments)] = action.items()
        return {"TransactItems": [{kind: {"TableName": indexed, **arguments}}]}

    for request in (write(Put={"Item": {**KEY, "key": wrong}}), write(Update=update(wrong))):
        with pytest.raises(raw.exceptions.TransactionCanceledException) as raised:
            raw.transact_write_items(**request)
        reasons = raised.value.response["CancellationReasons"]
        assert reasons == [{"Code": "ValidationError", "Message": MISMATCH}]
    for request, text in (
        (write(Put={"Item": {**KEY, "key": empty}}), EMPTY_INDEX_KEY),
        (write(Update=update(empty)), EMPTY_INDEX_UPDATE),
        (write(Put={"Item": {**KEY, "pk": empty}}), NOT_VALID + EMPTY_KEY + "Key: pk"),
    ):
        refused(VALIDATION, text, raw.transact_write_items, **request)


def test_counts_of_a_transaction(raw, table, refused):
    text = ONE + "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"
    refused(VALIDATION, text, raw.transact_write_items, TransactItems=[])
    refused(VALIDATION, text, raw.transact_get_items, TransactItems=[])
    gets = [
        {"Get": {"TableName": table.name, "Key": {"pk": {"S": str(number)}, "sk": {"S": "1"}}}}
        for number in range(101)
    ]
    with pytest.raises(raw.exceptions.ClientError) as raised:
        raw.transact_get_items(TransactItems=gets)
    assert re.fullmatch(
        ONE + r"Value '\[.+\]' at 'transactItems' failed to satisfy constraint: Member must have length less "
        r"than or equal to 100",
        raised.value.response["Error"]["Message"], re.DOTALL,
    )
    refused(
        "ResourceNotFoundException", "Requested resource not found", raw.transact_write_items,
        TransactItems=[{"Put": {"TableName": "nowhere", "Item": KEY}}],
    )
    with pytest.raises(raw.exceptions.TransactionCanceledException) as raised:
        raw.transact_get_items(TransactItems=[{"Get": {"TableName": table.name, "Key": {"pk": {"S": "a"}}}}])
    assert raised.value.response["CancellationReasons"] == [
        {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}
    ]
