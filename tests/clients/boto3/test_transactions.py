"""TransactWriteItems and TransactGetItems: all or nothing, with reasons and tokens."""

import threading
import uuid

import pytest

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons "


@pytest.fixture
def key(request):
    return lambda sk: {"pk": {"S": request.node.name}, "sk": {"S": str(sk)}}


@pytest.fixture
def act(table):
    """An action of a transaction: `act.put(item)`, `act.check(key, "attribute_exists(pk)")`."""

    class Act:
        def put(self, item, **more):
            return {"Put": {"TableName": table.name, "Item": item, **more}}

        def delete(self, key, **more):
            return {"Delete": {"TableName": table.name, "Key": key, **more}}

        def check(self, key, condition, **more):
            more = {"TableName": table.name, "Key": key, "ConditionExpression": condition, **more}
            return {"ConditionCheck": more}

        def add(self, key, number=1, **more):
            values = {":n": {"N": str(number)}}
            update = {"UpdateExpression": "ADD n :n", "ExpressionAttributeValues": values}
            return {"Update": {"TableName": table.name, "Key": key, **update, **more}}

        def get(self, key, **more):
            return {"Get": {"TableName": table.name, "Key": key, **more}}

    return Act()


def items(client, act, *keys):
    response = client.transact_get_items(TransactItems=[act.get(key) for key in keys])
    return [entry.get("Item") for entry in response["Responses"]]


def test_all_four_actions(client, table, key, act):
    client.put_item(TableName=table.name, Item=key("old"))
    client.put_item(TableName=table.name, Item={**key("checked"), "a": {"S": "x"}})
    client.transact_write_items(TransactItems=[
        act.put(key("new")), act.delete(key("old")), act.add(key("count"), 5),
        act.check(key("checked"), "attribute_exists(a)"),
    ])
    assert items(client, act, key("new"), key("old"), key("count")) == [
        key("new"), None, {**key("count"), "n": {"N": "5"}},
    ]


def test_reasons_are_in_the_order_of_the_actions(client, table, key, act):
    client.put_item(TableName=table.name, Item={**key(1), "a": {"S": "x"}})
    with pytest.raises(client.exceptions.TransactionCanceledException) as raised:
        client.transact_write_items(TransactItems=[
            act.put(key(2)),
            act.put(
                key(1), ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            act.check(key(3), "attribute_exists(pk)"),
        ])
    response = raised.value.response
    assert response["Error"]["Message"] == (
        CANCELLED + "[None, ConditionalCheckFailed, ConditionalCheckFailed]"
    )
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert response["CancellationReasons"] == [
        {"Code": "None"}, {**failed, "Item": {**key(1), "a": {"S": "x"}}}, failed,
    ]
    assert items(client, act, key(2)) == [None]


def test_a_token_makes_a_repetition_harmless(client, key, act):
    token = str(uuid.uuid4())
    request = {"TransactItems": [act.add(key(1))], "ClientRequestToken": token}
    first = client.transact_write_items(**request, ReturnConsumedCapacity="TOTAL")
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2
    again = client.transact_write_items(**request, ReturnConsumedCapacity="TOTAL")
    assert again["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2
    assert items(client, act, key(1)) == [{**key(1), "n": {"N": "1"}}]
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=[act.add(key(1), 2)], ClientRequestToken=token)


def test_one_token_from_many_threads_runs_once(client, key, act):
    token, errors = str(uuid.uuid4()), []

    def call():
        try:
            client.transact_write_items(TransactItems=[act.add(key(1))], ClientRequestToken=token)
        except client.exceptions.ClientError as error:
            errors.append(error.response["Error"]["Code"])

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(errors) <= {"TransactionInProgressException", "TransactionCanceledException"}
    assert items(client, act, key(1)) == [{**key(1), "n": {"N": "1"}}]


def test_what_is_refused(raw, key, act, refused):
    validation = "ValidationException"
    refused(
        validation, "Transaction request cannot include multiple operations on one item",
        raw.transact_write_items, TransactItems=[act.put(key(1)), act.add(key(1))],
    )
    for call in (raw.transact_write_items, raw.transact_get_items):
        with pytest.raises(raw.exceptions.ClientError) as raised:
            call(TransactItems=[])
        assert raised.value.response["Error"]["Code"] == validation
    with pytest.raises(raw.exceptions.ClientError, match="less than or equal to 100"):
        raw.transact_write_items(TransactItems=[act.put(key(number)) for number in range(101)])
    with pytest.raises(raw.exceptions.ResourceNotFoundException):
        raw.transact_write_items(TransactItems=[{"Put": {"TableName": "nowhere", "Item": key(1)}}])
    with pytest.raises(raw.exceptions.ClientError, match="length less than or equal to 36"):
        raw.transact_write_items(TransactItems=[act.put(key(1))], ClientRequestToken="x" * 37)


def test_a_hundred_actions_are_taken(client, key, act):
    client.transact_write_items(TransactItems=[act.put(key(number)) for number in range(100)])
    found = items(client, act, *(key(number) for number in range(100)))
    assert found == [key(number) for number in range(100)]


def test_a_key_of_the_wrong_type_cancels(client, table, key, act):
    bad = {"pk": {"N": "1"}, "sk": {"S": "1"}}
    with pytest.raises(client.exceptions.TransactionCanceledException) as raised:
        client.transact_write_items(TransactItems=[act.put(key(1)), act.delete(bad)])
    reasons = raised.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
    assert reasons[1]["Message"] == "The provided key element does not match the schema"


def test_an_item_too_large_to_update_cancels(client, table, key, act):
    client.put_item(TableName=table.name, Item={**key(1), "v": {"S": "x" * 400_000}})
    update = act.add(key(1))
    update["Update"] |= {
        "UpdateExpression": "SET w = :w", "ExpressionAttributeValues": {":w": {"S": "x" * 20_000}},
    }
    with pytest.raises(client.exceptions.TransactionCanceledException) as raised:
        client.transact_write_items(TransactItems=[update])
    assert raised.value.response["CancellationReasons"] == [{
        "Code": "ValidationError",
        "Message": "Item size to update has exceeded the maximum allowed size",
    }]


def test_reads_of_a_transaction(client, table, key, act):
    client.put_item(TableName=table.name, Item={**key(1), "a": {"S": "x"}, "b": {"S": "y"}})
    response = client.transact_get_items(
        TransactItems=[
            act.get(key(1), ProjectionExpression="#a", ExpressionAttributeNames={"#a": "a"}),
            act.get(key(2)),
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    assert response["Responses"] == [{"Item": {"a": {"S": "x"}}}, {}]
    assert response["ConsumedCapacity"][0]["CapacityUnits"] == 4


def test_money_is_neither_made_nor_lost(client, table, key, act):
    """Transfers in threads, with conflicts: the sum stays, and no account goes below zero."""
    accounts = [key(number) for number in range(4)]
    for account in accounts:
        client.put_item(TableName=table.name, Item={**account, "n": {"N": "100"}})
    cancelled = []

    def transfer(seed):
        for step in range(25):
            source, target = accounts[(seed + step) % 4], accounts[(seed + 3 * step + 1) % 4]
            if source == target:
                continue
            take = act.add(source, -7)
            take["Update"]["ConditionExpression"] = "n >= :seven"
            take["Update"]["ExpressionAttributeValues"][":seven"] = {"N": "7"}
            try:
                client.transact_write_items(TransactItems=[take, act.add(target, 7)])
            except client.exceptions.TransactionCanceledException as error:
                cancelled.extend(r["Code"] for r in error.response["CancellationReasons"])

    threads = [threading.Thread(target=transfer, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    balances = [int(item["n"]["N"]) for item in items(client, act, *accounts)]
    assert sum(balances) == 400 and min(balances) >= 0
    assert set(cancelled) <= {"None", "ConditionalCheckFailed", "TransactionConflict"}
