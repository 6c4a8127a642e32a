// What the tests share. The SDK takes address and credentials from the environment, as it is.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CreateTableCommand, DynamoDBClient, waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

// One try: a test wants to see the first answer.
export const client = new DynamoDBClient({ maxAttempts: 1 });
export const documents = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});
export const streams = new DynamoDBStreamsClient({ maxAttempts: 1 });

export const keySchema = (...names) =>
  names.map((AttributeName, place) => ({ AttributeName, KeyType: ["HASH", "RANGE"][place] }));

// makeTable("pk S", "sk N") makes a table and waits until it can be used.
export async function makeTable(keys = ["pk S", "sk S"], options = {}) {
  const { attributes = [], ...rest } = options;
  const TableName = options.TableName ?? `js-${randomUUID()}`;
  const pairs = (texts) => texts.map((text) => text.split(" "));
  await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keySchema(...pairs(keys).map(([name]) => name)),
    AttributeDefinitions: pairs([...keys, ...attributes]).map(([AttributeName, AttributeType]) => ({
      AttributeName, AttributeType,
    })),
    ...rest,
  }));
  await ready(TableName);
  return TableName;
}

export const ready = (TableName) =>
  waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 0.5 }, { TableName });

export async function until(holds, seconds = 20) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await holds();
    if (value || Date.now() > deadline) return value;
    await sleep(50);
  }
}
