// Tables, indexes, tags, expiry and streams through the low-level clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeleteTableCommand, DescribeContinuousBackupsCommand, DescribeTableCommand,
  DescribeTimeToLiveCommand, ListTagsOfResourceCommand, ListBackupsCommand, TagResourceCommand, UntagResourceCommand, UpdateTableCommand, UpdateTimeToLiveCommand,
  paginateListTables, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand, ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { DeleteCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { client, documents, keySchema, makeTable, streams, until } from "./clients.mjs";

const describe = async (TableName) => (await client.send(new DescribeTableCommand({ TableName }))).Table;

test("a table is made, listed and deleted", async () => {
  const TableName = await makeTable(["pk S"], { Tags: [{ Key: "a", Value: "1" }] });
  const { TableArn, TableStatus, CreationDateTime } = await describe(TableName);
  assert.equal(TableStatus, "ACTIVE");
  assert.ok(Math.abs(CreationDateTime - Date.now()) < 60_000);
  const { ContinuousBackupsDescription: backups } =
    await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  assert.equal(backups.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, "DISABLED");
  const names = [];
  for await (const page of paginateListTables({ client, pageSize: 1 }, {})) names.push(...page.TableNames);
  assert.ok(names.includes(TableName));
  await client.send(new TagResourceCommand({ ResourceArn: TableArn, Tags: [{ Key: "b", Value: "2" }] }));
  await client.send(new UntagResourceCommand({ ResourceArn: TableArn, TagKeys: ["a"] }));
  const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
  assert.deepEqual(Tags, [{ Key: "b", Value: "2" }]);
  await client.send(new DeleteTableCommand({ TableName }));
  const waiting = { client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 0.5 };
  const result = await waitUntilTableNotExists(waiting, { TableName });
  assert.equal(result.state, "SUCCESS");
});

test("an index is added to a table in use, and removed", async () => {
  const TableName = await makeTable(["pk S"]);
  await documents.send(new PutCommand({ TableName, Item: { pk: "a", kind: "k" } }));
  await client.send(new UpdateTableCommand({
    TableName, AttributeDefinitions: [{ AttributeName: "kind", AttributeType: "S" }],
    GlobalSecondaryIndexUpdates: [{ Create: {
      IndexName: "ByKind", KeySchema: keySchema("kind"), Projection: { ProjectionType: "KEYS_ONLY" },
    } }],
  }));
  const status = async () => (await describe(TableName)).GlobalSecondaryIndexes?.[0].IndexStatus;
  assert.ok(await until(async () => (await status()) === "ACTIVE"));
  const { Items } = await documents.send(new QueryCommand({
    TableName, IndexName: "ByKind", KeyConditionExpression: "kind = :k",
    ExpressionAttributeValues: { ":k": "k" },
  }));
  assert.deepEqual(Items, [{ pk: "a", kind: "k" }]);
  await client.send(new UpdateTableCommand({
    TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "ByKind" } }],
  }));
  assert.ok(await until(async () => (await status()) === undefined));
});

test("expiry is switched on", async () => {
  const TableName = await makeTable(["pk S"]);
  await client.send(new UpdateTimeToLiveCommand({
    TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: "until" },
  }));
  const answer = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  assert.equal(answer.TimeToLiveDescription.AttributeName, "until");
});

test("a stream is read from its beginning", async () => {
  const TableName = await makeTable(["pk S"], {
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  await documents.send(new PutCommand({ TableName, Item: { pk: "a", bytes: new Uint8Array([1, 2]) } }));
  await documents.send(new DeleteCommand({ TableName, Key: { pk: "a" } }));
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  const [{ StreamArn }] = Streams;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  assert.equal(StreamDescription.StreamStatus, "ENABLED");
  const [{ ShardId }] = StreamDescription.Shards;
  const { ShardIterator } = await streams.send(new GetShardIteratorCommand({
    StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON",
  }));
  const { Records, NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  assert.deepEqual(Records.map(({ eventName }) => eventName), ["INSERT", "REMOVE"]);
  const image = { pk: { S: "a" }, bytes: { B: new Uint8Array([1, 2]) } };
  assert.deepEqual(Records[0].dynamodb.NewImage, image);
  assert.deepEqual(Records[1].dynamodb.OldImage, image);
  assert.ok(NextShardIterator);
});

test("what is not offered is refused by name", async () => {
  await assert.rejects(client.send(new UpdateTableCommand({
    TableName: "nowhere", ReplicaUpdates: [{ Create: { RegionName: "eu-west-1" } }],
  })), { name: "ValidationException", message: /^ReplicaUpdates is not offered: / });
  await assert.rejects(client.send(new ListBackupsCommand({})), { message: /^ListBackups is not offered: / });
});
