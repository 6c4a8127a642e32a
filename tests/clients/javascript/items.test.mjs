// Items through the document client: values as JavaScript has them, conditions, batches.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  ConditionalCheckFailedException, DescribeEndpointsCommand, DescribeLimitsCommand, DynamoDBClient,
  GetItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand, BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, NumberValue,
  PutCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { client, documents, makeTable } from "./clients.mjs";

let TableName;
before(async () => { TableName = await makeTable(); });

test("values come back as they were", async () => {
  const Item = {
    pk: "values", sk: "1", text: "näïve ☃ 😀", empty: "", number: -12.5, zero: 0, yes: true, no: false,
    nothing: null, bytes: new Uint8Array([0, 1, 255]), list: [1, "a", [null, {}]], map: { a: { b: [] } },
    texts: new Set(["a", "b"]), numbers: new Set([1, 2.5]),
    binaries: new Set([new Uint8Array([1]), new Uint8Array([2])]),
  };
  await documents.send(new PutCommand({ TableName, Item: { ...Item, undefined } }));
  const found = await documents.send(new GetCommand({ TableName, Key: { pk: "values", sk: "1" } }));
  const sorted = (set) => [...set].map((bytes) => bytes[0]).sort();
  assert.deepEqual(sorted(found.Item.binaries), [1, 2]);
  assert.deepEqual({ ...found.Item, binaries: null }, { ...Item, binaries: null });
});

test("numbers of 38 digits keep every digit", async () => {
  // A document client changes the client it is made from, so this one is made from another.
  const exact = DynamoDBDocumentClient.from(new DynamoDBClient({}), { unmarshallOptions: { wrapNumbers: true } });
  const digits = "12345678901234567890123456789012345.678";
  const Key = { pk: "numbers", sk: "1" };
  await exact.send(new PutCommand({
    TableName, Item: { ...Key, n: NumberValue.from(digits), big: 9007199254740993n },
  }));
  const { Item } = await exact.send(new GetCommand({ TableName, Key }));
  assert.equal(Item.n.toString(), digits);
  assert.equal(Item.big.toString(), "9007199254740993");
  const raw = await client.send(new GetItemCommand({
    TableName, Key: { pk: { S: "numbers" }, sk: { S: "1" } },
  }));
  assert.deepEqual(raw.Item.n, { N: digits });
});

test("an update returns what was asked for", async () => {
  const Key = { pk: "update", sk: "1" };
  const update = (more) => documents.send(new UpdateCommand({
    TableName, Key, UpdateExpression: "ADD #n :one SET tags = if_not_exists(tags, :none)",
    ExpressionAttributeNames: { "#n": "count" }, ExpressionAttributeValues: { ":one": 1, ":none": [] },
    ...more,
  }));
  assert.equal((await update({})).Attributes, undefined);
  assert.deepEqual((await update({ ReturnValues: "ALL_NEW" })).Attributes, { ...Key, count: 2, tags: [] });
  assert.deepEqual((await update({ ReturnValues: "UPDATED_OLD" })).Attributes, { count: 2, tags: [] });
});

test("a failed condition is an exception of its own, with the item if asked", async () => {
  const Item = { pk: "condition", sk: "1", a: 1 };
  await documents.send(new PutCommand({ TableName, Item }));
  const put = new PutCommand({
    TableName, Item, ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item, { pk: { S: "condition" }, sk: { S: "1" }, a: { N: "1" } });
    return true;
  });
  const removed = await documents.send(new DeleteCommand({
    TableName, Key: { pk: "condition", sk: "1" }, ConditionExpression: "a = :one",
    ExpressionAttributeValues: { ":one": 1 }, ReturnValues: "ALL_OLD",
  }));
  assert.deepEqual(removed.Attributes, Item);
});

test("errors have the service's names and texts", async () => {
  const get = new GetCommand({ TableName: "nowhere", Key: { pk: "a" } });
  await assert.rejects(documents.send(get), {
    name: "ResourceNotFoundException", message: "Requested resource not found",
  });
  const bad = new UpdateCommand({
    TableName, Key: { pk: "a", sk: "b" }, UpdateExpression: "SET name = :n",
    ExpressionAttributeValues: { ":n": 1 },
  });
  await assert.rejects(documents.send(bad), {
    name: "ValidationException",
    message: "1 validation error detected: Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: name",
  });
});

test("batches", async () => {
  const items = Array.from({ length: 25 }, (_, number) => ({ pk: "batch", sk: `${number}`, number }));
  const written = await documents.send(new BatchWriteCommand({
    RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) },
  }));
  assert.deepEqual(written.UnprocessedItems, {});
  const Keys = items.map(({ pk, sk }) => ({ pk, sk }));
  const read = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
  const found = read.Responses[TableName].sort((a, b) => a.number - b.number);
  assert.deepEqual(found, items);
  assert.deepEqual(read.UnprocessedKeys, {});
  const twice = new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Keys[0], Keys[0]] } } });
  await assert.rejects(documents.send(twice), {
    name: "ValidationException", message: "Provided list of item keys contains duplicates",
  });
});

test("a table can be named by its ARN", async () => {
  const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
  const Item = { pk: "arn", sk: "1" };
  await documents.send(new PutCommand({ TableName: arn, Item }));
  const read = await documents.send(new BatchGetCommand({ RequestItems: { [arn]: { Keys: [Item] } } }));
  assert.deepEqual(read.Responses, { [arn]: [Item] });
});

test("limits and endpoints", async () => {
  const limits = await client.send(new DescribeLimitsCommand({}));
  assert.ok(limits.AccountMaxReadCapacityUnits > 0);
  const { Endpoints } = await client.send(new DescribeEndpointsCommand({}));
  assert.equal(Endpoints.length, 1);
});
