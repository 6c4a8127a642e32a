//! Members of the wrong type, missing, or outside their constraints; tables that do not exist.

use serde_json::{Value, json};

use super::{Fault, Request};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("table that does not exist", |request| {
        request.body.contains_key("TableName") && request.set("TableName", "nowhere")
    }),
    ("invalid table name", |request| {
        let names = ["", "x", "a!", "bad name", "\u{e9}t\u{e9}"];
        let name = *request.random.pick(&names);
        request.body.contains_key("TableName") && request.set("TableName", name)
    }),
    ("table name too long", |request| {
        request.body.contains_key("TableName") && request.set("TableName", "t".repeat(256))
    }),
    ("required member missing", required_missing),
    ("unknown word", unknown_word),
    ("member of another JSON type", other_type),
    ("unknown member", |request| request.set("NoSuchMember", json!({ "x": 1 }))),
    ("old and new parameters mixed", mixed),
    ("return values that are not honoured", |request| {
        ["PutItem", "DeleteItem"].contains(&request.operation)
            && request.set("ReturnValues", "ALL_NEW")
    }),
];

fn required_missing(request: &mut Request<'_>) -> bool {
    let names = ["TableName", "Key", "Item", "RequestItems", "TransactItems"];
    let name = *request.random.pick(&names);
    request.body.remove(name).is_some()
}

fn unknown_word(request: &mut Request<'_>) -> bool {
    let mut names = vec!["ReturnConsumedCapacity"];
    match request.operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => names.extend([
            "ReturnValues",
            "ReturnItemCollectionMetrics",
            "ReturnValuesOnConditionCheckFailure",
        ]),
        "Query" | "Scan" => names.push("Select"),
        "BatchWriteItem" | "TransactWriteItems" => names.push("ReturnItemCollectionMetrics"),
        "GetItem" | "BatchGetItem" | "TransactGetItems" => {}
        _ => return false,
    }
    let name = *request.random.pick(&names);
    request.set(name, "BOGUS")
}

fn other_type(request: &mut Request<'_>) -> bool {
    let names: Vec<String> = request.body.keys().cloned().collect();
    if names.is_empty() {
        return false;
    }
    let name = request.random.pick(&names).clone();
    let others = [json!(1), json!(true), json!("text"), json!([]), json!({}), json!(1.5)];
    let other = request.random.pick(&others).clone();
    let kind = |value: &Value| std::mem::discriminant(value);
    kind(&request.body[&name]) != kind(&other) && request.set(&name, other)
}

fn mixed(request: &mut Request<'_>) -> bool {
    match request.operation {
        "PutItem" | "UpdateItem" | "DeleteItem"
            if request.body.contains_key("ConditionExpression") =>
        {
            request.set("Expected", json!({ "a": { "Exists": false } }))
        }
        "GetItem" if request.body.contains_key("ProjectionExpression") => {
            request.set("AttributesToGet", json!(["a"]))
        }
        "Query" if request.body.contains_key("KeyConditionExpression") => {
            request.set("AttributesToGet", json!(["a"]))
        }
        "Scan" if request.body.contains_key("FilterExpression") => {
            let filter = json!({ "a": { "ComparisonOperator": "NOT_NULL" } });
            request.set("ScanFilter", filter)
        }
        _ => false,
    }
}
