//! The workload as DynamoDB JSON.

use serde_json::{Map, Value, json};

use crate::engines::{ADD_ONE, CONDITION};
use crate::workload::{Dataset, Field, HISTORY, INDEXES, ORDERS, QUERY_ITEMS, Record, Step};

/// The name and the body of the request for a step.
pub fn request(dataset: &Dataset, step: Step) -> (&'static str, Value) {
    match step {
        Step::Put(number) => {
            ("PutItem", json!({ "TableName": ORDERS, "Item": item(dataset.order(number)) }))
        }
        Step::Update(number) => ("UpdateItem", update(dataset, number)),
        Step::Transact { put, updates: [first, second] } => {
            let put = json!({ "TableName": ORDERS, "Item": item(dataset.order(put)) });
            let items = json!([
                { "Put": put },
                { "Update": update(dataset, first) },
                { "Update": update(dataset, second) },
            ]);
            ("TransactWriteItems", json!({ "TransactItems": items }))
        }
        Step::Get(number) => {
            ("GetItem", json!({ "TableName": ORDERS, "Key": item(dataset.key(number)) }))
        }
        Step::Query(number) => ("Query", query(HISTORY, "account", dataset.account(number))),
        Step::QueryIndex(number) => {
            let (index, hash, _) = INDEXES[0];
            let mut body = query(ORDERS, hash, dataset.customer(number));
            body["IndexName"] = json!(index);
            ("Query", body)
        }
    }
}

fn update(dataset: &Dataset, number: u64) -> Value {
    json!({
        "TableName": ORDERS,
        "Key": item(dataset.key(number)),
        "UpdateExpression": ADD_ONE,
        "ConditionExpression": CONDITION,
        "ExpressionAttributeValues": { ":one": { "N": "1" }, ":zero": { "N": "0" } },
    })
}

fn query(table: &str, hash: &str, value: String) -> Value {
    json!({
        "TableName": table,
        "KeyConditionExpression": format!("{hash} = :hash"),
        "ExpressionAttributeValues": { ":hash": { "S": value } },
        "Limit": QUERY_ITEMS,
    })
}

/// Puts of many items of one table.
pub fn batch(table: &str, records: impl Iterator<Item = Record>) -> Value {
    let puts: Vec<Value> =
        records.map(|record| json!({ "PutRequest": { "Item": item(record) } })).collect();
    json!({ "RequestItems": { table: puts } })
}

/// The two tables.
pub fn tables() -> [Value; 2] {
    let mut definitions = vec![attribute("id", "S")];
    let mut indexes = Vec::new();
    for (name, hash, sort) in INDEXES {
        definitions.extend([attribute(hash, "S"), attribute(sort, "N")]);
        indexes.push(json!({
            "IndexName": name,
            "KeySchema": [key(hash, "HASH"), key(sort, "RANGE")],
            "Projection": { "ProjectionType": "ALL" },
        }));
    }
    let orders = json!({
        "TableName": ORDERS,
        "AttributeDefinitions": definitions,
        "KeySchema": [key("id", "HASH")],
        "GlobalSecondaryIndexes": indexes,
        "BillingMode": "PAY_PER_REQUEST",
    });
    let history = json!({
        "TableName": HISTORY,
        "AttributeDefinitions": [attribute("account", "S"), attribute("position", "N")],
        "KeySchema": [key("account", "HASH"), key("position", "RANGE")],
        "BillingMode": "PAY_PER_REQUEST",
    });
    [orders, history]
}

fn attribute(name: &str, kind: &str) -> Value {
    json!({ "AttributeName": name, "AttributeType": kind })
}

fn key(name: &str, kind: &str) -> Value {
    json!({ "AttributeName": name, "KeyType": kind })
}

fn item(record: Record) -> Value {
    let members = record.into_iter().map(|(name, field)| (name.to_owned(), value(field)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn value(field: Field) -> Value {
    match field {
        Field::Text(text) => json!({ "S": text }),
        Field::Number(number) => json!({ "N": number.to_string() }),
        Field::Flag(flag) => json!({ "BOOL": flag }),
        Field::Map(content) => json!({ "M": item(content) }),
    }
}
