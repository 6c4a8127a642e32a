//! CreateTable and UpdateTable requests with a fault. They leave the tables as they are.

use serde_json::{Value, json};

use super::Generator;
use crate::random::Random;
use crate::step::Step;
use crate::world::Table;

/// A fault in a table's definition.
type Fault = fn(&mut Random, &mut Value);

const CREATE_FAULTS: &[(&str, Fault)] = &[
    ("no key schema", |_, body| drop_member(body, "KeySchema")),
    ("no attribute definitions", |_, body| drop_member(body, "AttributeDefinitions")),
    ("empty key schema", |_, body| body["KeySchema"] = json!([])),
    ("key without definition", |_, body| {
        body["AttributeDefinitions"] = json!([definition("x", "S")])
    }),
    ("definition without key", |_, body| {
        push(body, "AttributeDefinitions", definition("extra", "S"))
    }),
    ("definition twice", |_, body| push(body, "AttributeDefinitions", definition("pk", "S"))),
    ("unknown attribute type", |_, body| {
        body["AttributeDefinitions"][0]["AttributeType"] = json!("BOOL")
    }),
    ("unknown key type", |_, body| body["KeySchema"][0]["KeyType"] = json!("SORT")),
    ("sort key first", |_, body| body["KeySchema"][0]["KeyType"] = json!("RANGE")),
    ("the same key twice", |_, body| {
        body["KeySchema"] = json!([key("pk", "HASH"), key("pk", "RANGE")])
    }),
    ("two hash keys", |_, body| body["KeySchema"] = json!([key("pk", "HASH"), key("sk", "HASH")])),
    ("three keys", |_, body| {
        body["KeySchema"] = json!([key("pk", "HASH"), key("sk", "RANGE"), key("x", "RANGE")]);
    }),
    ("unknown billing mode", |_, body| body["BillingMode"] = json!("FREE")),
    ("throughput with on-demand billing", |_, body| {
        body["BillingMode"] = json!("PAY_PER_REQUEST");
        body["ProvisionedThroughput"] = throughput(5);
    }),
    ("no throughput", |_, body| {
        body["BillingMode"] = json!("PROVISIONED");
        drop_member(body, "ProvisionedThroughput");
    }),
    ("throughput of nothing", |_, body| {
        body["BillingMode"] = json!("PROVISIONED");
        body["ProvisionedThroughput"] = throughput(0);
    }),
    ("invalid table name", |random, body| {
        body["TableName"] = json!(random.pick(&["", "x", "a!", "no/slash"]));
    }),
    ("no table name", |_, body| drop_member(body, "TableName")),
    ("view of a disabled stream", |_, body| {
        body["StreamSpecification"] =
            json!({ "StreamEnabled": false, "StreamViewType": "NEW_IMAGE" });
    }),
    ("no indexes", |_, body| body["GlobalSecondaryIndexes"] = json!([])),
    ("no local indexes", |_, body| body["LocalSecondaryIndexes"] = json!([])),
    ("index of an undefined attribute", |_, body| {
        body["GlobalSecondaryIndexes"] = json!([index("by_x", "undefined")]);
    }),
    ("index name too short", |_, body| body["GlobalSecondaryIndexes"] = json!([index("x", "pk")])),
    ("index twice", |_, body| {
        body["GlobalSecondaryIndexes"] = json!([index("same", "pk"), index("same", "pk")]);
    }),
    ("index without projection", |_, body| {
        body["GlobalSecondaryIndexes"] = json!([index("by_pk", "pk")]);
        drop_member(&mut body["GlobalSecondaryIndexes"][0], "Projection");
    }),
    ("projection without attributes", |_, body| {
        body["GlobalSecondaryIndexes"] = json!([index("by_pk", "pk")]);
        body["GlobalSecondaryIndexes"][0]["Projection"] = json!({ "ProjectionType": "INCLUDE" });
    }),
    ("attributes that are not projected", |_, body| {
        body["GlobalSecondaryIndexes"] = json!([index("by_pk", "pk")]);
        body["GlobalSecondaryIndexes"][0]["Projection"] =
            json!({ "ProjectionType": "ALL", "NonKeyAttributes": ["a"] });
    }),
    ("local index without sort key", |_, body| {
        body["LocalSecondaryIndexes"] = json!([index("by_pk", "pk")]);
    }),
    ("local index with another hash key", |_, body| {
        let mut local = index("local", "g0");
        push(&mut local, "KeySchema", key("pk", "RANGE"));
        push(body, "AttributeDefinitions", definition("g0", "S"));
        body["LocalSecondaryIndexes"] = json!([local]);
    }),
    ("too many indexes", |_, body| {
        let indexes: Vec<Value> =
            (0..21).map(|number| index(&format!("idx{number}"), "pk")).collect();
        body["GlobalSecondaryIndexes"] = Value::Array(indexes);
    }),
];

const UPDATE_FAULTS: &[(&str, Fault)] = &[
    ("nothing to update", |_, _| {}),
    ("index that does not exist deleted", |_, body| {
        body["GlobalSecondaryIndexUpdates"] = json!([{ "Delete": { "IndexName": "nowhere" } }]);
    }),
    ("empty index update", |_, body| body["GlobalSecondaryIndexUpdates"] = json!([{}])),
    ("index created without definition", |_, body| {
        body["GlobalSecondaryIndexUpdates"] = json!([{ "Create": index("by_x", "undefined") }]);
    }),
    ("unknown billing mode", |_, body| body["BillingMode"] = json!("FREE")),
    ("throughput of nothing", |_, body| body["ProvisionedThroughput"] = throughput(0)),
    ("invalid table name", |random, body| {
        body["TableName"] = json!(random.pick(&["", "x", "a!", "nowhere"]));
        body["DeletionProtectionEnabled"] = json!(false);
    }),
];

/// A CreateTable with one thing wrong.
pub(super) fn create_table(this: &mut Generator<'_>) -> Step {
    let mut table = Table::random(this.random, "spoilt", false);
    table.is_provisioned = false;
    table.indexes.clear();
    let mut body = table.create_request();
    let (name, fault) = this.random.pick(CREATE_FAULTS);
    fault(this.random, &mut body);
    let mut step = Step::call("CreateTable", body);
    step.fault = Some(name);
    step
}

/// An UpdateTable with one thing wrong.
pub(super) fn update_table(this: &mut Generator<'_>) -> Step {
    let table = this.table();
    let mut body = json!({ "TableName": table.name });
    let (name, fault) = this.random.pick(UPDATE_FAULTS);
    fault(this.random, &mut body);
    let mut step = Step::call("UpdateTable", body);
    step.fault = Some(name);
    step
}

fn drop_member(body: &mut Value, name: &str) {
    if let Value::Object(members) = body {
        members.remove(name);
    }
}

fn push(body: &mut Value, member: &str, element: Value) {
    if let Some(Value::Array(elements)) = body.get_mut(member) {
        elements.push(element);
    }
}

fn definition(name: &str, kind: &str) -> Value {
    json!({ "AttributeName": name, "AttributeType": kind })
}

fn key(name: &str, kind: &str) -> Value {
    json!({ "AttributeName": name, "KeyType": kind })
}

fn index(name: &str, hash: &str) -> Value {
    json!({
        "IndexName": name,
        "KeySchema": [key(hash, "HASH")],
        "Projection": { "ProjectionType": "ALL" },
    })
}

fn throughput(units: u64) -> Value {
    json!({ "ReadCapacityUnits": units, "WriteCapacityUnits": units })
}
