//! Faults of batches and transactions.

use serde_json::{Map, Value, json};

use super::{Fault, Request};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("the same key twice", |request| {
        let Some(list) = first_list(request) else { return false };
        let Some(first) = list.first().cloned() else { return false };
        list.push(first);
        true
    }),
    ("nothing at all", |request| {
        let Some(list) = first_list(request) else { return false };
        list.clear();
        true
    }),
    ("no tables", |request| {
        request.body.contains_key("RequestItems") && request.set("RequestItems", json!({}))
    }),
    ("too many", |request| {
        let hash = request.table.hash.name.clone();
        let key =
            |number: usize| Map::from_iter([(hash.clone(), json!({ "S": number.to_string() }))]);
        let table = request.table.name.clone();
        let count = if request.operation == "BatchWriteItem" { 26 } else { 101 };
        let operation = request.operation;
        let Some(list) = first_list(request) else { return false };
        list.clear();
        list.extend((0..count).map(|number| element(operation, &table, key(number))));
        true
    }),
    ("key attribute missing in one of several", |request| {
        spoil_key(request, |key| key.remove("pk").is_some())
    }),
    ("key of another type in one of several", |request| {
        spoil_key(request, |key| key.insert("pk".to_owned(), json!({ "BOOL": true })).is_some())
    }),
    ("empty key in one of several", |request| {
        spoil_key(request, |key| {
            key.insert("pk".to_owned(), json!({ "S": "" }))
                .is_some_and(|old| old.get("S").is_some())
        })
    }),
    ("empty element", |request| {
        let Some(list) = first_list(request) else { return false };
        list.push(json!({}));
        true
    }),
    ("two actions in one", |request| {
        let table = request.table.name.clone();
        let key = request.table.key(request.random);
        if request.operation != "TransactWriteItems" {
            return false;
        }
        let delete = json!({ "TableName": table, "Key": key });
        let Some(list) = first_list(request) else { return false };
        list.push(json!({ "Delete": delete, "ConditionCheck": delete }));
        if let Some(check) = list.last_mut().and_then(|item| item.get_mut("ConditionCheck")) {
            check["ConditionExpression"] = json!("attribute_exists(pk)");
        }
        true
    }),
    ("token too long", |request| {
        request.operation == "TransactWriteItems"
            && request.set("ClientRequestToken", "t".repeat(37))
    }),
    ("table that does not exist, among several", |request| {
        let Some(requests) = request.object("RequestItems") else { return false };
        let Some((_, first)) = requests.iter().next() else { return false };
        let first = first.clone();
        requests.insert("nowhere".to_owned(), first);
        true
    }),
    ("invalid table name, among several", |request| {
        let Some(requests) = request.object("RequestItems") else { return false };
        let Some((_, first)) = requests.iter().next() else { return false };
        let first = first.clone();
        requests.insert("a!".to_owned(), first);
        true
    }),
];

/// The keys, writes or actions of a request on several items.
fn first_list<'a>(request: &'a mut Request<'_>) -> Option<&'a mut Vec<Value>> {
    match request.operation {
        "TransactGetItems" | "TransactWriteItems" => {
            request.body.get_mut("TransactItems")?.as_array_mut()
        }
        "BatchWriteItem" => request.object("RequestItems")?.values_mut().next()?.as_array_mut(),
        "BatchGetItem" => {
            let first = request.object("RequestItems")?.values_mut().next()?;
            first.get_mut("Keys")?.as_array_mut()
        }
        _ => None,
    }
}

fn element(operation: &str, table: &str, key: Map<String, Value>) -> Value {
    match operation {
        "BatchGetItem" => Value::Object(key),
        "BatchWriteItem" => json!({ "DeleteRequest": { "Key": key } }),
        "TransactGetItems" => json!({ "Get": { "TableName": table, "Key": key } }),
        _ => json!({ "Delete": { "TableName": table, "Key": key } }),
    }
}

/// Changes the key or item of the first element.
fn spoil_key(request: &mut Request<'_>, spoil: fn(&mut Map<String, Value>) -> bool) -> bool {
    let is_batch_get = request.operation == "BatchGetItem";
    let Some(first) = first_list(request).and_then(|list| list.first_mut()) else { return false };
    let attributes = if is_batch_get { first.as_object_mut() } else { inner_key(first) };
    attributes.is_some_and(spoil)
}

fn inner_key(element: &mut Value) -> Option<&mut Map<String, Value>> {
    let action = element.as_object_mut()?.values_mut().next()?.as_object_mut()?;
    let name = if action.contains_key("Item") { "Item" } else { "Key" };
    action.get_mut(name)?.as_object_mut()
}
