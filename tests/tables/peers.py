"""What the checks share: waiting for moto, and the documents as boto3 shows tables."""

import json
import pathlib
import time
import urllib.error
import urllib.request

import boto3


def wait_for(endpoint):
    for _ in range(100):
        try:
            urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=1).read()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"moto does not answer on {endpoint}; its log is target/tables-check/moto.log")


def client(service, endpoint):
    return boto3.client(service, endpoint_url=endpoint, region_name="af-south-1")


def reset(endpoint):
    request = urllib.request.Request(f"{endpoint}/moto-api/reset", method="POST")
    urllib.request.urlopen(request).read()


def documents(environment):
    """Every table document by the table's name in the environment."""
    found = {}
    for system in sorted(pathlib.Path("tables").glob("*/system.json")):
        prefix = json.loads(system.read_text())["prefix"]
        for file in sorted(system.parent.glob("*.json")):
            if file.name != "system.json":
                document = json.loads(file.read_text())
                name = document["names"][environment].replace("{prefix}", prefix)
                found[name] = document
    return found


def keys(schema):
    order = sorted(schema, key=lambda element: element["KeyType"] != "HASH")
    return [element["AttributeName"] for element in order]


def document_keys(document):
    primary = document["primaryKey"]
    return [primary[part]["name"] for part in ("partitionKey", "sortKey") if part in primary]


def index_keys(index):
    return [index[part] for part in ("partitionKey", "sortKey") if part in index]


def compare(dynamodb, name, document, environment, sees_ttl=True):
    """The table is what its document says, as far as boto3 can see."""
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert keys(table["KeySchema"]) == document_keys(document), name
    found = {index["IndexName"]: index for index in table.get("GlobalSecondaryIndexes", [])}
    wanted = {index["indexName"]: index for index in document["globalSecondaryIndexes"]}
    assert found.keys() == wanted.keys(), (name, found.keys(), wanted.keys())
    for index_name, index in wanted.items():
        assert keys(found[index_name]["KeySchema"]) == index_keys(index), (name, index_name)
        projection = found[index_name]["Projection"]
        assert projection["ProjectionType"] == index["projectionType"], (name, index_name)
        included = sorted(projection.get("NonKeyAttributes", []))
        assert included == sorted(index.get("nonKeyAttributes", [])), (name, index_name)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST", name
    stream = table.get("StreamSpecification", {})
    assert stream.get("StreamViewType") == document["streams"].get("viewType"), name
    protected = table.get("DeletionProtectionEnabled", False)
    assert protected == document["deletionProtection"][environment], name
    if not sees_ttl:
        return table
    ttl = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert ttl.get("AttributeName") == document.get("timeToLive", {}).get("attribute"), (name, ttl)
    return table
