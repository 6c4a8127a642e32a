// Query and Scan through the document client and its paginators.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  BatchWriteCommand, QueryCommand, ScanCommand, paginateQuery, paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { documents, keySchema, makeTable } from "./clients.mjs";

let TableName;
before(async () => {
  TableName = await makeTable(["pk S", "sk N"], {
    attributes: ["group S", "rank N"],
    GlobalSecondaryIndexes: [{
      IndexName: "ByGroup", KeySchema: keySchema("group", "sk"), Projection: { ProjectionType: "ALL" },
    }],
    LocalSecondaryIndexes: [{
      IndexName: "ByRank", KeySchema: keySchema("pk", "rank"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["note"] },
    }],
  });
  for (let start = 0; start < 100; start += 25) {
    const puts = Array.from({ length: 25 }, (_, place) => {
      const sk = start + place;
      const Item = { pk: `p${sk % 10}`, sk, group: `g${sk % 2}`, rank: -sk, note: `n${sk}`, bulk: "x" };
      return { PutRequest: { Item } };
    });
    await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  }
});

test("a query with condition, filter, projection and order", async () => {
  const { Items, Count, ScannedCount } = await documents.send(new QueryCommand({
    TableName, KeyConditionExpression: "pk = :p AND sk BETWEEN :a AND :b",
    FilterExpression: "note <> :n", ProjectionExpression: "sk, note", ScanIndexForward: false,
    ExpressionAttributeValues: { ":p": "p3", ":a": 10, ":b": 60, ":n": "n33" },
  }));
  assert.deepEqual(Items.map(({ sk }) => sk), [53, 43, 23, 13]);
  assert.deepEqual(Object.keys(Items[0]).sort(), ["note", "sk"]);
  assert.deepEqual([Count, ScannedCount], [4, 5]);
});

test("pages of an index", async () => {
  const seen = [];
  let pages = 0;
  const query = {
    TableName, IndexName: "ByGroup", KeyConditionExpression: "#g = :g",
    ExpressionAttributeNames: { "#g": "group" }, ExpressionAttributeValues: { ":g": "g1" },
  };
  for await (const page of paginateQuery({ client: documents, pageSize: 7 }, query)) {
    seen.push(...page.Items.map(({ sk }) => sk));
    pages += 1;
  }
  assert.deepEqual(seen, Array.from({ length: 50 }, (_, number) => 2 * number + 1));
  assert.equal(pages, 8);
});

test("a local index is read consistently", async () => {
  const { Items } = await documents.send(new QueryCommand({
    TableName, IndexName: "ByRank", ConsistentRead: true, KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": "p1" }, Limit: 2,
  }));
  assert.deepEqual(Items, [
    { pk: "p1", sk: 91, rank: -91, note: "n91" }, { pk: "p1", sk: 81, rank: -81, note: "n81" },
  ]);
});

test("a parallel scan sees each item once", async () => {
  const segments = await Promise.all([0, 1, 2].map(async (Segment) => {
    const seen = [];
    const scan = { TableName, Segment, TotalSegments: 3 };
    for await (const page of paginateScan({ client: documents, pageSize: 9 }, scan)) {
      seen.push(...page.Items.map(({ sk }) => sk));
    }
    return seen;
  }));
  const all = segments.flat().sort((a, b) => a - b);
  assert.deepEqual(all, Array.from({ length: 100 }, (_, number) => number));
});

test("counting", async () => {
  const answer = await documents.send(new ScanCommand({
    TableName, Select: "COUNT", ReturnConsumedCapacity: "TOTAL",
  }));
  assert.equal(answer.Count, 100);
  assert.equal(answer.Items, undefined);
  assert.equal(answer.ConsumedCapacity.TableName, TableName);
});
