//! Keys that do not fit the table, and index keys that do not fit the index.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{Fault, Request};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("key attribute missing", |request| {
        let name = key_name(request);
        request.attributes().is_some_and(|attributes| attributes.remove(&name).is_some())
    }),
    ("extra attribute in the key", |request| {
        let extra = json!({ "S": "x" });
        request.object("Key").is_some_and(|key| key.insert("extra".to_owned(), extra).is_none())
    }),
    ("key of another type", |request| {
        let name = key_name(request);
        let kind = kind_of(request, &name);
        let others = [json!({ "S": "x" }), json!({ "N": "1" }), json!({ "BOOL": true })];
        let other = request.random.pick(&others).clone();
        other.get(kind).is_none() && replace(request, &name, other)
    }),
    ("empty key", |request| {
        let name = key_name(request);
        let kind = kind_of(request, &name);
        kind != "N" && replace(request, &name, json!({ kind: "" }))
    }),
    ("key too long", |request| {
        let name = key_name(request);
        let length = if name == "pk" { 2049 } else { 1025 };
        match kind_of(request, &name) {
            "S" => replace(request, &name, json!({ "S": "k".repeat(length) })),
            "B" => {
                let bytes = vec![7_u8; length];
                let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
                replace(request, &name, json!({ "B": encoded }))
            }
            _ => false,
        }
    }),
    ("index key of another type", |request| {
        let attributes = request.table.index_attributes();
        if attributes.is_empty() || !request.body.contains_key("Item") {
            return false;
        }
        let attribute = request.random.pick(&attributes);
        let other = json!({ "BOOL": true });
        request.attributes().is_some_and(|item| {
            item.insert(attribute.name.clone(), other);
            true
        })
    }),
    ("empty index key", |request| {
        let attributes = request.table.index_attributes();
        let texts: Vec<_> = attributes.iter().filter(|key| key.kind == "S").collect();
        if texts.is_empty() || !request.body.contains_key("Item") {
            return false;
        }
        let name = request.random.pick(&texts).name.clone();
        request.attributes().is_some_and(|item| {
            item.insert(name, json!({ "S": "" }));
            true
        })
    }),
    ("key attribute updated", |request| {
        if request.operation != "UpdateItem" {
            return false;
        }
        for name in ["ConditionExpression", "AttributeUpdates", "Expected", "ConditionalOperator"] {
            request.body.remove(name);
        }
        request.body.remove("ExpressionAttributeNames");
        request.set("UpdateExpression", "SET pk = :v");
        request.set("ExpressionAttributeValues", json!({ ":v": { "S": "x" } }))
    }),
];

fn key_name(request: &mut Request<'_>) -> String {
    let names = request.table.key_names();
    (*request.random.pick(&names)).to_owned()
}

fn kind_of(request: &Request<'_>, name: &str) -> &'static str {
    if name == request.table.hash.name {
        return request.table.hash.kind;
    }
    request.table.sort.as_ref().map_or("S", |sort| sort.kind)
}

fn replace(request: &mut Request<'_>, name: &str, value: Value) -> bool {
    let Some(slot) = request.attributes().and_then(|attributes| attributes.get_mut(name)) else {
        return false;
    };
    std::mem::replace(slot, value.clone()) != value
}
