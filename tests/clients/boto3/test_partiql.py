"""PartiQL: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction."""

import uuid

import pytest


@pytest.fixture
def name(table):
    return table.name


@pytest.fixture
def execute(client):
    """Runs a statement; parameters are given in DynamoDB's form."""

    def run(statement, *parameters, **more):
        if parameters:
            more["Parameters"] = list(parameters)
        return client.execute_statement(Statement=statement, **more)

    return run


@pytest.fixture
def pk(request):
    return request.node.name


def s(text):
    return {"S": text}


def test_insert_select_update_delete(execute, name, pk):
    execute(f"""INSERT INTO "{name}" VALUE {{'pk': ?, 'sk': '1', 'n': 1, 'l': [1, 'a'], 's': <<'x'>>}}""", s(pk))
    where = "WHERE pk = ? AND sk = '1'"
    [item] = execute(f'SELECT * FROM "{name}" {where}', s(pk))["Items"]
    expected = {"pk": s(pk), "sk": s("1"), "n": {"N": "1"}, "l": {"L": [{"N": "1"}, s("a")]}, "s": {"SS": ["x"]}}
    assert item == expected
    [updated] = execute(
        f'UPDATE "{name}" SET n = n + 4 REMOVE l {where} RETURNING ALL NEW *', s(pk)
    )["Items"]
    assert updated == {"pk": s(pk), "sk": s("1"), "n": {"N": "5"}, "s": {"SS": ["x"]}}
    [removed] = execute(f'DELETE FROM "{name}" {where} RETURNING ALL OLD *', s(pk))["Items"]
    assert removed == updated
    assert execute(f'SELECT * FROM "{name}" {where}', s(pk))["Items"] == []


def test_an_insert_does_not_replace(client, execute, name, pk):
    insert = f"""INSERT INTO "{name}" VALUE {{'pk': ?, 'sk': '1'}}"""
    execute(insert, s(pk))
    with pytest.raises(client.exceptions.DuplicateItemException):
        execute(insert, s(pk))


def test_conditions(client, execute, name, pk):
    for sk, a in (("1", "x"), ("2", "y"), ("3", None)):
        item = {"pk": s(pk), "sk": s(sk)} | ({"a": s(a)} if a else {})
        client.put_item(TableName=name, Item=item)

    def found(condition):
        answer = execute(f'SELECT sk FROM "{name}" WHERE pk = ? AND {condition}', s(pk))
        return [item["sk"]["S"] for item in answer["Items"]]

    assert found("a = 'x'") == ["1"]
    assert found("NOT a = 'x'") == ["2", "3"]
    assert found("a IN ['x', 'y']") == ["1", "2"]
    assert found("a IS MISSING") == ["3"]
    assert found("begins_with(sk, '2')") == ["2"]
    assert found("sk BETWEEN '2' AND '3'") == ["2", "3"]
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        execute(f"""UPDATE "{name}" SET b = 1 WHERE pk = ? AND sk = '1' AND a = 'nothing'""", s(pk))


def test_pages(client, execute, name, pk):
    for number in range(10):
        client.put_item(TableName=name, Item={"pk": s(pk), "sk": s(str(number))})
    seen, token = [], {}
    while True:
        answer = execute(f'SELECT sk FROM "{name}" WHERE pk = ?', s(pk), Limit=3, **token)
        seen += [item["sk"]["S"] for item in answer["Items"]]
        if "NextToken" not in answer:
            break
        token = {"NextToken": answer["NextToken"]}
    assert seen == [str(number) for number in range(10)]


def test_a_batch_tells_of_each_statement(client, name, pk):
    key = [s(pk), s("1")]
    client.put_item(TableName=name, Item={"pk": key[0], "sk": key[1], "n": {"N": "1"}})
    select = f'SELECT n FROM "{name}" WHERE pk = ? AND sk = ?'
    answer = client.batch_execute_statement(Statements=[
        {"Statement": select, "Parameters": key},
        {"Statement": select, "Parameters": [s(pk), s("absent")]},
        {"Statement": 'SELECT n FROM "nowhere" WHERE pk = ? AND sk = ?', "Parameters": key},
    ])
    first, second, third = answer["Responses"]
    assert first["Item"] == {"n": {"N": "1"}} and "Item" not in second
    assert third["Error"]["Code"] == "ResourceNotFound"


def test_a_transaction_is_all_or_nothing(client, name, pk):
    insert = f"""INSERT INTO "{name}" VALUE {{'pk': ?, 'sk': ?}}"""
    statement = lambda sk: {"Statement": insert, "Parameters": [s(pk), s(sk)]}  # noqa: E731
    token = str(uuid.uuid4())
    for _ in range(2):
        client.execute_transaction(
            TransactStatements=[statement("1"), statement("2")], ClientRequestToken=token
        )
    with pytest.raises(client.exceptions.TransactionCanceledException) as raised:
        client.execute_transaction(TransactStatements=[statement("3"), statement("1")])
    codes = [reason["Code"] for reason in raised.value.response["CancellationReasons"]]
    assert codes == ["None", "DuplicateItem"]
    select = {"Statement": f'SELECT sk FROM "{name}" WHERE pk = ? AND sk = ?'}
    answer = client.execute_transaction(TransactStatements=[
        {**select, "Parameters": [s(pk), s(sk)]} for sk in ("1", "3")
    ])
    assert answer["Responses"] == [{"Item": {"sk": s("1")}}, {}]


def test_paginators(client, name, pk):
    for number in range(5):
        client.put_item(TableName=name, Item={"pk": s(pk), "sk": s(str(number))})
    statement = f"""SELECT * FROM "{name}" WHERE pk = '{pk}'"""
    result = client.execute_statement(Statement=statement, ReturnConsumedCapacity="TOTAL")
    assert len(result["Items"]) == 5 and result["ConsumedCapacity"]["CapacityUnits"] == 0.5


def test_what_is_refused(client, execute, name):
    for statement in ("nonsense", f'SELECT COUNT(*) FROM "{name}"', f'DELETE FROM "{name}"', ""):
        with pytest.raises(client.exceptions.ClientError) as raised:
            client.execute_statement(Statement=statement or " ")
        assert raised.value.response["Error"]["Code"] == "ValidationException"
