"""The AWS command line interface: the commands of a day with a table, as they are typed.

Most commands run through the interface's own entry point in this process, since a new process takes
half a second to start; a few are typed into a shell's place.
"""

import base64
import contextlib
import io
import itertools
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from awscli.clidriver import create_clidriver

AWS = Path(os.environ["CLIENTS_BIN"]) / "aws"
DRIVER = create_clidriver()
NAMES = (f"cli-{number}" for number in itertools.count(1))
KEY = "AttributeName=pk,KeyType=HASH"
ATTRIBUTE = "AttributeName=pk,AttributeType=S"


def line(*words):
    """The words of a command: what is not a text is written as JSON."""
    return [word if isinstance(word, str) else json.dumps(word) for word in words]


def run(*words):
    """One command in this process: exit code, output, errors."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = DRIVER.main(line(*words))
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


def typed(*words, **environment):
    """One command in a process of its own."""
    environment = {**os.environ, **environment}
    return subprocess.run([AWS, *line(*words)], capture_output=True, text=True, env=environment)


def aws(*words, service="dynamodb"):
    ran = run(service, *words)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout) if ran.stdout.strip() else None


def refused(*words):
    ran = run("dynamodb", *words)
    assert ran.returncode != 0
    return ran.stderr.strip()


def make_table(*options):
    name = next(NAMES)
    made = aws(
        "create-table", "--table-name", name, "--key-schema", KEY, "--attribute-definitions", ATTRIBUTE,
        "--billing-mode", "PAY_PER_REQUEST", *options,
    )
    assert made["TableDescription"]["TableStatus"] == "CREATING"
    return name


def test_a_day_with_an_item():
    name = make_table()
    assert aws("wait", "table-exists", "--table-name", name) is None
    item = {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": "plain"}, "s": {"SS": ["x"]}}
    # Version 1 of the command line takes bytes as they are, and shows them in base64.
    shown = {**item, "b": {"B": base64.b64encode(b"plain").decode()}}
    key = {"pk": {"S": "a"}}
    table = ("--table-name", name)
    assert aws("put-item", *table, "--item", item) is None
    assert aws("get-item", *table, "--key", key, "--consistent-read")["Item"] == shown
    updated = aws(
        "update-item", *table, "--key", key, "--update-expression", "SET n = n + :one REMOVE s",
        "--expression-attribute-values", {":one": {"N": "1"}}, "--return-values", "UPDATED_NEW",
    )
    assert updated["Attributes"] == {"n": {"N": "2"}}
    message = refused(
        "put-item", *table, "--item", item, "--condition-expression", "attribute_not_exists(pk)"
    )
    assert "(ConditionalCheckFailedException)" in message
    assert message.endswith("The conditional request failed")
    removed = aws("delete-item", *table, "--key", key, "--return-values", "ALL_OLD")
    assert removed["Attributes"]["n"] == {"N": "2"}
    assert aws("get-item", *table, "--key", key) is None


def test_batches_transactions_and_pages():
    name = make_table()
    table = ("--table-name", name)
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"k{n:02}"}}}} for n in range(20)]
    assert aws("batch-write-item", "--request-items", {name: puts}) == {"UnprocessedItems": {}}
    keys = {"Keys": [{"pk": {"S": "k01"}}, {"pk": {"S": "absent"}}]}
    found = aws("batch-get-item", "--request-items", {name: keys})
    assert found["Responses"] == {name: [{"pk": {"S": "k01"}}]}
    put = {"Put": {"TableName": name, "Item": {"pk": {"S": "t1"}}}}
    check = {"ConditionCheck": {
        "TableName": name, "Key": {"pk": {"S": "k01"}}, "ConditionExpression": "attribute_exists(pk)",
    }}
    assert aws("transact-write-items", "--transact-items", [put, check]) is None
    gets = [{"Get": {"TableName": name, "Key": {"pk": {"S": pk}}}} for pk in ("t1", "absent")]
    assert aws("transact-get-items", "--transact-items", gets)["Responses"] == [
        {"Item": {"pk": {"S": "t1"}}}, {},
    ]
    check["ConditionCheck"]["ConditionExpression"] = "attribute_not_exists(pk)"
    put["Put"]["Item"]["pk"]["S"] = "t2"
    message = refused("transact-write-items", "--transact-items", [put, check])
    assert message.endswith("specific reasons [None, ConditionalCheckFailed]")
    # The command line asks for page after page by itself, and gives a token if it is told to stop.
    everything = aws("scan", *table, "--page-size", "4")
    assert len(everything["Items"]) == everything["Count"] == 21
    first = aws("scan", *table, "--page-size", "3", "--max-items", "7")
    rest = aws("scan", *table, "--starting-token", first["NextToken"])
    assert len(first["Items"]) == 7 and len(rest["Items"]) == 14
    assert not {json.dumps(i) for i in first["Items"]} & {json.dumps(i) for i in rest["Items"]}
    one = aws("scan", *table, "--no-paginate", "--limit", "2")
    assert one["Count"] == 2 and one["LastEvaluatedKey"]


def test_queries_of_an_index_that_was_added():
    name = make_table()
    for pk, kind in (("a", "x"), ("b", "x"), ("c", "y")):
        aws("put-item", "--table-name", name, "--item", {"pk": {"S": pk}, "kind": {"S": kind}})
    create = {"Create": {
        "IndexName": "ByKind", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}],
    }}
    aws(
        "update-table", "--table-name", name, "--global-secondary-index-updates", [create],
        "--attribute-definitions", ATTRIBUTE, "AttributeName=kind,AttributeType=S",
    )
    for _ in range(20):
        described = aws("describe-table", "--table-name", name)["Table"]
        if described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE":
            break
        time.sleep(0.2)
    found = aws(
        "query", "--table-name", name, "--index-name", "ByKind", "--no-scan-index-forward",
        "--key-condition-expression", "kind = :k", "--expression-attribute-values", {":k": {"S": "x"}},
        "--projection-expression", "pk", "--page-size", "1",
    )
    assert found["Items"] == [{"pk": {"S": "b"}}, {"pk": {"S": "a"}}]
    text = run(
        "dynamodb", "query", "--table-name", name, "--key-condition-expression", "pk = :p",
        "--expression-attribute-values", {":p": {"S": "a"}}, "--query", "Items[0].kind.S", "--output", "text",
    )
    assert text.stdout == "x\n"


def test_settings_of_a_table():
    name = make_table("--tags", "Key=team,Value=base", "--deletion-protection-enabled")
    assert name in aws("list-tables")["TableNames"]
    assert len(aws("list-tables", "--max-items", "1")["TableNames"]) == 1
    arn = aws("describe-table", "--table-name", name)["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=env,Value=test")
    aws("untag-resource", "--resource-arn", arn, "--tag-keys", "team")
    tags = aws("list-tags-of-resource", "--resource-arn", arn)["Tags"]
    assert tags == [{"Key": "env", "Value": "test"}]
    answer = aws(
        "update-time-to-live", "--table-name", name,
        "--time-to-live-specification", "Enabled=true,AttributeName=until",
    )
    assert answer["TimeToLiveSpecification"]["AttributeName"] == "until"
    described = aws("describe-time-to-live", "--table-name", name)["TimeToLiveDescription"]
    assert described["TimeToLiveStatus"] in ("ENABLING", "ENABLED")
    assert aws("describe-limits")["TableMaxReadCapacityUnits"] > 0
    assert len(aws("describe-endpoints")["Endpoints"]) == 1
    assert "protected against deletion" in refused("delete-table", "--table-name", name)
    aws("update-table", "--table-name", name, "--no-deletion-protection-enabled")
    aws("delete-table", "--table-name", name)
    assert aws("wait", "table-not-exists", "--table-name", name) is None


def test_streams():
    name = make_table("--stream-specification", "StreamEnabled=true,StreamViewType=NEW_IMAGE")
    aws("put-item", "--table-name", name, "--item", {"pk": {"S": "a"}})
    service = "dynamodbstreams"
    [stream] = aws("list-streams", "--table-name", name, service=service)["Streams"]
    arn = stream["StreamArn"]
    shards = aws("describe-stream", "--stream-arn", arn, service=service)["StreamDescription"]["Shards"]
    iterator = aws(
        "get-shard-iterator", "--stream-arn", arn, "--shard-id", shards[0]["ShardId"],
        "--shard-iterator-type", "TRIM_HORIZON", service=service,
    )["ShardIterator"]
    [record] = aws("get-records", "--shard-iterator", iterator, service=service)["Records"]
    assert record["eventName"] == "INSERT" and record["dynamodb"]["NewImage"] == {"pk": {"S": "a"}}


def test_errors_are_told_as_the_service_tells_them():
    assert refused("describe-table", "--table-name", "nowhere").endswith(
        "(ResourceNotFoundException) when calling the DescribeTable operation: "
        "Requested resource not found: Table: nowhere not found"
    )
    message = refused("list-backups")
    assert "(UnknownOperationException)" in message and "ListBackups is not offered: " in message


def test_commands_in_processes_of_their_own():
    name = make_table()
    update = (
        "dynamodb", "update-item", "--table-name", name, "--key", {"pk": {"S": "a"}},
        "--update-expression", "ADD n :one", "--expression-attribute-values", {":one": {"N": "1"}},
        "--return-values", "ALL_NEW",
    )
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: typed(*update), range(2)))
    numbers = {json.loads(answer.stdout)["Attributes"]["n"]["N"] for answer in answers}
    assert numbers == {"1", "2"}
    ran = typed("dynamodb", "list-tables", AWS_SECRET_ACCESS_KEY="wrong")
    assert ran.returncode != 0 and "(UnrecognizedClientException)" in ran.stderr


def test_a_request_from_a_file(tmp_path):
    file = tmp_path / "table.json"
    name = next(NAMES)
    file.write_text(json.dumps({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }))
    made = aws("create-table", "--cli-input-json", f"file://{file}")
    assert made["TableDescription"]["TableName"] == name
