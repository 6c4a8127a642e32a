"""`plinth tables apply` on moto: boto3 reads back thirty tables, and a second run does nothing."""

import subprocess
import sys

import peers

plinth, endpoint = sys.argv[1:]
peers.wait_for(endpoint)


def run(*arguments, expected=0):
    command = [plinth, "tables", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == expected, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


target = ["--endpoint", endpoint, "--region", "af-south-1"]
dynamodb = peers.client("dynamodb", endpoint)
for environment in ("dev", "prod"):
    peers.reset(endpoint)
    options = [*target, "--environment", environment]
    run("diff", *options, expected=1)
    run("apply", *options)
    documents = peers.documents(environment)
    assert len(documents) == 30
    for name, document in documents.items():
        table = peers.compare(dynamodb, name, document, environment)
        tags = dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == document["tags"][environment], name
        backups = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        status = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        assert status == "ENABLED", name
    again = run("apply", *options)
    assert "Nothing to do" in again, again
    assert "Nothing to do" in run("diff", *options), "diff"
    print(f"apply: 30 tables on moto are as the documents say ({environment}); a second run does nothing")

# An index that was removed by hand comes back; the demonstration set can be written.
peers.reset(endpoint)
run("apply", *target, "popcorn")
update = [{"Delete": {"IndexName": "email-index"}}]
dynamodb.update_table(TableName="popcorn-accounts", GlobalSecondaryIndexUpdates=update)
assert "add the index email-index" in run("apply", *target, "popcorn")
peers.compare(dynamodb, "popcorn-accounts", peers.documents("dev")["popcorn-accounts"], "dev")
run("seed", *target, "popcorn", "--count", "30")
assert dynamodb.scan(TableName="popcorn-orders", Select="COUNT")["Count"] == 30
print("apply: a missing index was added, 30 items of each kind were written")

# Nobody there: the words of the client, and nothing half done.
unreachable = run("apply", "--endpoint", "http://127.0.0.1:9", "--region", "af-south-1", "popcorn", expected=1)
assert "no answer" in unreachable and "Nothing was done" in unreachable, unreachable
print("apply: an endpoint that does not answer is reported")
