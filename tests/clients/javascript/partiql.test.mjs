// PartiQL through the document client.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  BatchExecuteStatementCommand, ExecuteStatementCommand, ExecuteTransactionCommand,
} from "@aws-sdk/lib-dynamodb";
import { documents, makeTable } from "./clients.mjs";

let TableName;
before(async () => { TableName = await makeTable(["pk S"]); });

const execute = (Statement, ...Parameters) =>
  documents.send(new ExecuteStatementCommand({ Statement, ...(Parameters.length && { Parameters }) }));

test("statements with JavaScript's own values", async () => {
  await execute(`INSERT INTO "${TableName}" VALUE {'pk': ?, 'n': ?, 's': ?}`, "a", 1, new Set(["x"]));
  const { Items } = await execute(`SELECT * FROM "${TableName}" WHERE pk = ?`, "a");
  assert.deepEqual(Items, [{ pk: "a", n: 1, s: new Set(["x"]) }]);
  await assert.rejects(
    execute(`INSERT INTO "${TableName}" VALUE {'pk': ?}`, "a"), { name: "DuplicateItemException" },
  );
});

test("a batch and a transaction", async () => {
  const Statement = `INSERT INTO "${TableName}" VALUE {'pk': ?}`;
  const batch = await documents.send(new BatchExecuteStatementCommand({
    Statements: [{ Statement, Parameters: ["b"] }, { Statement, Parameters: ["c"] }],
  }));
  assert.equal(batch.Responses.filter(({ Error }) => Error).length, 0);
  await documents.send(new ExecuteTransactionCommand({
    TransactStatements: [{ Statement, Parameters: ["d"] }, { Statement, Parameters: ["e"] }],
  }));
  const { Items } = await execute(`SELECT pk FROM "${TableName}" WHERE pk IN ['b', 'c', 'd', 'e']`);
  assert.deepEqual(Items.map(({ pk }) => pk).sort(), ["b", "c", "d", "e"]);
});
