//! Faults of Query and Scan.

use serde_json::json;

use super::{Fault, Request};
use crate::world::IndexKind;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("limit out of range", |request| {
        let limit = *request.random.pick(&[0, -1]);
        is_read(request) && request.set("Limit", limit)
    }),
    ("index that does not exist", |request| {
        request.body.remove("ConsistentRead");
        is_read(request) && request.set("IndexName", "no-such-index")
    }),
    ("consistent read of a global index", |request| {
        let Some(index) =
            request.table.indexes.iter().find(|index| index.kind == IndexKind::Global)
        else {
            return false;
        };
        let name = index.name.clone();
        request.operation == "Scan"
            && request.set("IndexName", name)
            && request.set("ConsistentRead", true)
    }),
    ("segment without total", |request| request.operation == "Scan" && request.set("Segment", 0)),
    ("segment beyond total", |request| {
        request.operation == "Scan" && request.set("Segment", 3) && request.set("TotalSegments", 3)
    }),
    ("too many segments", |request| {
        request.operation == "Scan"
            && request.set("Segment", 0)
            && request.set("TotalSegments", 1_000_001)
    }),
    ("selection that does not fit", |request| {
        if !is_read(request) || request.body.contains_key("IndexName") {
            return false;
        }
        let select = *request.random.pick(&["SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]);
        request.body.remove("ProjectionExpression");
        request.body.remove("AttributesToGet");
        !request.body.contains_key("ExpressionAttributeNames") && request.set("Select", select)
    }),
    ("key condition without the hash key", |request| {
        only_query(request, "sk = :x", json!({ ":x": { "S": "x" } }))
    }),
    ("key condition with an inequality on the hash key", |request| {
        let value = request.table.hash_values[0].clone();
        only_query(request, "pk > :x", json!({ ":x": value }))
    }),
    ("key condition of another type", |request| {
        only_query(request, "pk = :x", json!({ ":x": { "BOOL": true } }))
    }),
    ("key condition with OR", |request| {
        let value = request.table.hash_values[0].clone();
        only_query(request, "pk = :x OR pk = :x", json!({ ":x": value }))
    }),
    ("filter on a key", |request| {
        let value = request.table.hash_values[0].clone();
        request.body.remove("IndexName");
        only_query(request, "pk = :x", json!({ ":x": value }))
            && request.set("FilterExpression", "pk = :x")
    }),
    ("no key condition", |request| {
        request.operation == "Query"
            && (request.body.remove("KeyConditions").is_some()
                || (request.body.remove("KeyConditionExpression").is_some()
                    && request.body.remove("ExpressionAttributeValues").is_some()
                    && !request.body.contains_key("ExpressionAttributeNames")
                    && !request.body.contains_key("FilterExpression")))
    }),
    ("start key that is none", |request| {
        is_read(request) && request.set("ExclusiveStartKey", json!({ "zz": { "S": "x" } }))
    }),
    ("start key without a value", |request| {
        is_read(request) && request.set("ExclusiveStartKey", json!({ "pk": {} }))
    }),
];

fn is_read(request: &Request<'_>) -> bool {
    ["Query", "Scan"].contains(&request.operation)
}

/// A Query of the table with this key condition and nothing else.
fn only_query(request: &mut Request<'_>, text: &str, values: serde_json::Value) -> bool {
    if request.operation != "Query" {
        return false;
    }
    request.body.retain(|name, _| ["TableName", "ReturnConsumedCapacity"].contains(&name.as_str()));
    request.set("KeyConditionExpression", text);
    request.set("ExpressionAttributeValues", values)
}
