// Transactions through the document client.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { IdempotentParameterMismatchException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, TransactGetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { documents, makeTable } from "./clients.mjs";

let TableName;
before(async () => { TableName = await makeTable(["pk S"]); });

const add = (pk, number) => ({
  Update: {
    TableName, Key: { pk }, UpdateExpression: "ADD n :n", ExpressionAttributeValues: { ":n": number },
  },
});
const write = (TransactItems, more = {}) =>
  documents.send(new TransactWriteCommand({ TransactItems, ...more }));
const get = async (pk) => (await documents.send(new GetCommand({ TableName, Key: { pk } }))).Item;

test("all four actions, or none", async () => {
  await documents.send(new PutCommand({ TableName, Item: { pk: "old" } }));
  await write([
    { Put: { TableName, Item: { pk: "new", at: new Set(["x"]) } } },
    { Delete: { TableName, Key: { pk: "old" } } },
    add("count", 5),
    { ConditionCheck: { TableName, Key: { pk: "absent" }, ConditionExpression: "attribute_not_exists(pk)" } },
  ]);
  const { Responses } = await documents.send(new TransactGetCommand({
    TransactItems: ["new", "old", "count"].map((pk) => ({ Get: { TableName, Key: { pk } } })),
  }));
  assert.deepEqual(Responses, [{ Item: { pk: "new", at: new Set(["x"]) } }, {}, { Item: { pk: "count", n: 5 } }]);
});

test("reasons are in the order of the actions", async () => {
  await documents.send(new PutCommand({ TableName, Item: { pk: "taken", a: 1 } }));
  const call = write([
    add("untouched", 1),
    { Put: {
      TableName, Item: { pk: "taken" }, ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    } },
  ]);
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.equal(
      error.message,
      "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",
    );
    const [first, second] = error.CancellationReasons;
    assert.deepEqual(first, { Code: "None" });
    assert.equal(second.Code, "ConditionalCheckFailed");
    assert.deepEqual(second.Item, { pk: { S: "taken" }, a: { N: "1" } });
    return true;
  });
  assert.equal(await get("untouched"), undefined);
});

test("the SDK's own token makes a repetition harmless", async () => {
  const ClientRequestToken = "token-of-this-test";
  await write([add("token", 1)], { ClientRequestToken });
  await write([add("token", 1)], { ClientRequestToken });
  assert.deepEqual(await get("token"), { pk: "token", n: 1 });
  await assert.rejects(write([add("token", 2)], { ClientRequestToken }), IdempotentParameterMismatchException);
});
