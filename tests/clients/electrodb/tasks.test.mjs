// A small program on ElectroDB, as people write it: several entities in one table, with collections.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CustomAttributeType, Entity, Service } from "electrodb";

const client = new DynamoDBClient({ maxAttempts: 1 });
const table = `electro-${randomUUID()}`;
const text = { type: "string", required: true };

const Employee = new Entity({
  model: { entity: "employee", version: "1", service: "tasks" },
  attributes: {
    employee: text,
    team: text,
    hired: { type: "string", readOnly: true },
    skills: { type: "set", items: "string" },
    profile: CustomAttributeType("any"),
    points: { type: "number", default: 0 },
  },
  indexes: {
    one: { pk: { field: "pk", composite: ["employee"] }, sk: { field: "sk", composite: [] } },
    team: {
      index: "gsi1", collection: "board",
      pk: { field: "gsi1pk", composite: ["team"] }, sk: { field: "gsi1sk", composite: ["employee"] },
    },
  },
}, { client, table });

const Task = new Entity({
  model: { entity: "task", version: "1", service: "tasks" },
  attributes: {
    task: text,
    employee: text,
    team: text,
    status: { type: ["open", "closed"], default: "open" },
    effort: { type: "number" },
    comments: {
      type: "list",
      items: { type: "map", properties: { by: { type: "string" }, body: { type: "string" } } },
    },
    changed: { type: "string", watch: "*", set: () => new Date().toISOString() },
  },
  indexes: {
    one: { pk: { field: "pk", composite: ["task"] }, sk: { field: "sk", composite: ["employee"] } },
    team: {
      index: "gsi1", collection: "board",
      pk: { field: "gsi1pk", composite: ["team"] },
      sk: { field: "gsi1sk", composite: ["status", "task"] },
    },
  },
}, { client, table });

const tasks = new Service({ employees: Employee, tasks: Task }, { client, table });
const name = (number) => `task-${String(number).padStart(3, "0")}`;

before(async () => {
  const keys = (hash, range) => [
    { AttributeName: hash, KeyType: "HASH" }, { AttributeName: range, KeyType: "RANGE" },
  ];
  await client.send(new CreateTableCommand({
    TableName: table,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keys("pk", "sk"),
    AttributeDefinitions: ["pk", "sk", "gsi1pk", "gsi1sk"].map((AttributeName) => ({
      AttributeName, AttributeType: "S",
    })),
    GlobalSecondaryIndexes: [{
      IndexName: "gsi1", KeySchema: keys("gsi1pk", "gsi1sk"), Projection: { ProjectionType: "ALL" },
    }],
  }));
  const made = Array.from({ length: 60 }, (_, number) => ({
    task: name(number), employee: "ada", team: "red", effort: number,
    status: number % 2 ? "closed" : "open",
  }));
  const { unprocessed } = await Task.put(made).go({ concurrent: 2 });
  assert.deepEqual(unprocessed, []);
});

after(() => client.send(new DeleteTableCommand({ TableName: table })));

test("an entity is created once and comes back as it was", async () => {
  const ada = {
    employee: "ada", team: "red", hired: "2026-01-01", skills: ["sums", "engines"],
    profile: { languages: [{ name: "rust", years: 3 }], remote: true, none: null },
  };
  await Employee.create(ada).go();
  const { data } = await Employee.get({ employee: "ada" }).go({ consistent: true });
  assert.deepEqual({ ...data, skills: data.skills.toSorted() }, {
    ...ada, skills: ["engines", "sums"], points: 0,
  });
  await assert.rejects(Employee.create(ada).go(), /The conditional request failed/);
  assert.equal((await Employee.get({ employee: "nobody" }).go()).data, null);
});

test("an entity is changed in every way that there is", async () => {
  await Task.create({ task: "change", employee: "ada", team: "red", effort: 1, comments: [] }).go();
  const key = { task: "change", employee: "ada" };
  await Task.patch(key)
    .add({ effort: 4 })
    .append({ comments: [{ by: "bob", body: "hm" }] })
    .where(({ status }, { eq }) => eq(status, "open"))
    .go();
  const { data } = await Task.update(key)
    .data(({ comments }, { set }) => set(comments[0].body, "done"))
    .go({ response: "all_new" });
  assert.equal(data.effort, 5);
  assert.deepEqual(data.comments, [{ by: "bob", body: "done" }]);
  await Task.update(key).remove(["comments"]).set({ team: "blue", status: "closed" }).go();
  const moved = await Task.query.team({ team: "blue" }).go();
  assert.deepEqual(moved.data.map(({ task, comments }) => [task, comments]), [["change", undefined]]);
  await assert.rejects(
    Task.patch({ task: "missing", employee: "ada" }).set({ effort: 1 }).go(),
    /The conditional request failed/,
  );
  const removed = await Task.remove(key).go({ response: "all_old" });
  assert.equal(removed.data.effort, 5);
});

test("queries page, filter, begin and range", async () => {
  const seen = [];
  let cursor = null;
  do {
    const page = await Task.query.team({ team: "red", status: "open" }).go({ cursor, limit: 7 });
    seen.push(...page.data.map(({ task }) => task));
    cursor = page.cursor;
  } while (cursor);
  assert.deepEqual(seen, Array.from({ length: 30 }, (_, number) => name(number * 2)));
  const between = await Task.query.team({ team: "red", status: "closed" })
    .between({ task: name(10) }, { task: name(20) })
    .where(({ effort }, { gte }) => gte(effort, 15))
    .go({ order: "desc", pages: "all" });
  assert.deepEqual(between.data.map(({ effort }) => effort), [19, 17, 15]);
  const few = await Task.query.team({ team: "red" }).begins({ status: "clo" })
    .go({ attributes: ["task"], count: 3 });
  assert.deepEqual(few.data, [{ task: name(1) }, { task: name(3) }, { task: name(5) }]);
  const scanned = await Task.scan.where(({ effort }, { lt }) => lt(effort, 3)).go({ pages: "all" });
  assert.equal(scanned.data.length, 3);
});

test("a collection holds several entities", async () => {
  await Employee.upsert({ employee: "bob", team: "green" }).go();
  await Task.upsert({ task: "green", employee: "bob", team: "green" }).go();
  const { data } = await tasks.collections.board({ team: "green" }).go();
  assert.deepEqual(data.employees.map(({ employee }) => employee), ["bob"]);
  assert.deepEqual(data.tasks.map(({ task, status }) => [task, status]), [["green", "open"]]);
});

test("batches", async () => {
  const keys = Array.from({ length: 60 }, (_, number) => ({ task: name(number), employee: "ada" }));
  const { data, unprocessed } = await Task.get(keys).go();
  assert.deepEqual([data.length, unprocessed], [60, []]);
  await Task.put([{ task: "gone", employee: "eve", team: "grey" }]).go();
  await Task.delete([{ task: "gone", employee: "eve" }]).go();
  assert.equal((await Task.get({ task: "gone", employee: "eve" }).go()).data, null);
});

test("transactions succeed or say why not", async () => {
  const write = (condition) => tasks.transaction.write(({ employees, tasks }) => [
    employees.patch({ employee: "eve" }).add({ points: 1 }).commit(),
    tasks.create({ task: "paid", employee: "eve", team: "grey" }).commit({ response: "all_old" }),
    employees.check({ employee: "eve" })
      .where(({ team }, { eq }) => eq(team, condition)).commit(),
  ].slice(0, condition ? 3 : 2)).go();
  await Employee.create({ employee: "eve", team: "grey" }).go();
  assert.equal((await write()).canceled, false);
  const again = await write();
  assert.equal(again.canceled, true);
  assert.deepEqual(again.data.map(({ rejected, code }) => [rejected, code]), [
    [false, "None"], [true, "ConditionalCheckFailed"],
  ]);
  assert.equal(again.data[1].item.task, "paid");
  const read = await tasks.transaction.get(({ employees, tasks }) => [
    employees.get({ employee: "eve" }).commit(),
    tasks.get({ task: "paid", employee: "eve" }).commit(),
    tasks.get({ task: "never", employee: "eve" }).commit(),
  ]).go();
  assert.deepEqual(read.data.map(({ item }) => item?.points ?? item?.task ?? null), [1, "paid", null]);
});
