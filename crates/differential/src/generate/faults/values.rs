//! Attribute values that no item may hold.

use serde_json::{Value, json};

use super::{Fault, Request};
use crate::world::value::{bulk, deep};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("not a number", |request| {
        let texts = ["dog", "", "NaN", "Infinity", " 1", "1 ", "0x10", "1e", "--1"];
        let text = *request.random.pick(&texts);
        put(request, json!({ "N": text }))
    }),
    ("number out of range", |request| {
        let texts = [
            "1E126",
            "-1E126",
            "1E-131",
            "1e2147483647",
            "123456789012345678901234567890123456789",
            "0.123456789012345678901234567890123456789",
        ];
        let text = *request.random.pick(&texts);
        put(request, json!({ "N": text }))
    }),
    ("empty set", |request| {
        let kind = *request.random.pick(&["SS", "NS", "BS"]);
        put(request, json!({ kind: [] }))
    }),
    ("repeated set member", |request| {
        let sets = [
            json!({ "SS": ["b", "a", "b"] }),
            json!({ "NS": ["1", "2", "1.0"] }),
            json!({ "BS": ["YQ==", "YQ=="] }),
        ];
        let set = request.random.pick(&sets).clone();
        put(request, set)
    }),
    ("null that is false", |request| put(request, json!({ "NULL": false }))),
    ("nested empty set", |request| put(request, json!({ "M": { "x": { "SS": [] } } }))),
    ("no datatype", |request| put(request, json!({}))),
    ("two datatypes", |request| put(request, json!({ "S": "x", "N": "1" }))),
    ("number as JSON number", |request| put(request, json!({ "N": 123 }))),
    ("string as JSON number", |request| put(request, json!({ "S": 123 }))),
    ("invalid base64", |request| put(request, json!({ "B": "YQ=" }))),
    ("nested too deep", |request| {
        let levels = request.random.between(31, 34);
        put(request, deep(levels))
    }),
    ("item too large", |request| {
        let length = request.random.between(409_500, 409_700);
        request.body.contains_key("Item") && put(request, bulk(length))
    }),
    ("empty attribute name", |request| {
        request.attributes().is_some_and(|item| {
            item.insert(String::new(), json!({ "S": "x" }));
            true
        })
    }),
];

/// Puts a value into the item, or into an expression value.
fn put(request: &mut Request<'_>, value: Value) -> bool {
    if let Some(item) = request.object("Item") {
        item.insert("fault".to_owned(), value);
        return true;
    }
    let Some(values) = request.object("ExpressionAttributeValues") else { return false };
    let Some(name) = values.keys().next().cloned() else { return false };
    values.insert(name, value);
    true
}
