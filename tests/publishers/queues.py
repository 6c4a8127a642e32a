"""Makes a bus and a topic with a queue behind each (`make`), and looks for the event there (`look`).

Makes two keys in KMS, too (`keys`).
"""

import json
import os
import sys

import boto3

ENDPOINT = os.environ["PLINTH_TEST_MOTO_ENDPOINT"]
BUS = "plinth-events"


def client(service):
    return boto3.client(
        service,
        endpoint_url=ENDPOINT,
        region_name="af-south-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def make():
    sqs = client("sqs")
    arns = {}
    for name in ["from-bus", "from-topic"]:
        url = sqs.create_queue(QueueName=name)["QueueUrl"]
        attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        arns[name] = attributes["Attributes"]["QueueArn"]
    events = client("events")
    events.create_event_bus(Name=BUS)
    # The rule of R002-8.4-1: by source and detail type.
    pattern = {"source": ["bbws.tenant-management"], "detail-type": ["TENANT_PARKED"]}
    events.put_rule(
        Name="bbws-tenant-parked-dev", EventBusName=BUS, EventPattern=json.dumps(pattern)
    )
    events.put_targets(
        Rule="bbws-tenant-parked-dev",
        EventBusName=BUS,
        Targets=[{"Id": "queue", "Arn": arns["from-bus"]}],
    )
    sns = client("sns")
    topic = sns.create_topic(Name=BUS)["TopicArn"]
    sns.subscribe(
        TopicArn=topic,
        Protocol="sqs",
        Endpoint=arns["from-topic"],
        Attributes={
            "RawMessageDelivery": "true",
            "FilterPolicy": json.dumps({"event-type": ["tenant.parked"]}),
        },
    )
    print(topic)


def look():
    sqs = client("sqs")
    for name in ["from-bus", "from-topic"]:
        url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        assert len(messages) == 1, f"{name} has {len(messages)} messages, and should have 1"
        event = json.loads(messages[0]["Body"])
        assert event["source"] == "bbws.tenant-management", event
        assert event["detail-type"] == "TENANT_PARKED", event
        assert event["detail"]["tenantId"] == "tenant-1", event
        assert event["region"] == "af-south-1" and event["version"] == "0", event
        assert event["time"].startswith("2026-11-15T00:00:00"), event
        print(f"{name}: {event['detail-type']} arrived")


def keys():
    kms = client("kms")
    print(*(kms.create_key()["KeyMetadata"]["Arn"] for _ in range(2)))


{"make": make, "look": look, "keys": keys}[sys.argv[1]]()
