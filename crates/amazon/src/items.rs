//! Items between DynamoDB's JSON and the SDK's types.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tables::TargetError;

use crate::refusal::incomplete;

/// The puts of a BatchWriteItem, by table.
pub(crate) fn write_requests(
    body: &Value,
) -> Result<HashMap<String, Vec<WriteRequest>>, TargetError> {
    let mut tables = HashMap::new();
    for (table, requests) in body["RequestItems"].as_object().into_iter().flatten() {
        let mut writes = Vec::new();
        for request in requests.as_array().into_iter().flatten() {
            let put = PutRequest::builder().set_item(Some(item(&request["PutRequest"]["Item"])));
            let put = put.build().map_err(incomplete)?;
            writes.push(WriteRequest::builder().put_request(put).build());
        }
        tables.insert(table.clone(), writes);
    }
    Ok(tables)
}

/// What a BatchWriteItem left undone, as it was sent.
pub(crate) fn unprocessed(items: Option<&HashMap<String, Vec<WriteRequest>>>) -> Value {
    let mut tables = json!({});
    for (table, requests) in items.into_iter().flatten() {
        let puts = requests.iter().filter_map(WriteRequest::put_request);
        let put = |put: &PutRequest| json!({ "PutRequest": { "Item": item_to_json(put.item()) } });
        tables[table] = puts.map(put).collect();
    }
    tables
}

fn item(json: &Value) -> HashMap<String, AttributeValue> {
    let members = json.as_object().into_iter().flatten();
    members.map(|(name, json)| (name.clone(), value(json))).collect()
}

/// What is not an attribute value is NULL; the requests made here hold nothing else.
fn value(json: &Value) -> AttributeValue {
    let Some((kind, json)) = json.as_object().and_then(|members| members.iter().next()) else {
        return AttributeValue::Null(true);
    };
    let text = |json: &Value| json.as_str().unwrap_or_default().to_owned();
    let blob = |json: &Value| Blob::new(STANDARD.decode(text(json)).unwrap_or_default());
    let elements = || json.as_array().into_iter().flatten();
    match kind.as_str() {
        "S" => AttributeValue::S(text(json)),
        "N" => AttributeValue::N(text(json)),
        "B" => AttributeValue::B(blob(json)),
        "BOOL" => AttributeValue::Bool(json.as_bool().unwrap_or_default()),
        "M" => AttributeValue::M(item(json)),
        "L" => AttributeValue::L(elements().map(value).collect()),
        "SS" => AttributeValue::Ss(elements().map(text).collect()),
        "NS" => AttributeValue::Ns(elements().map(text).collect()),
        "BS" => AttributeValue::Bs(elements().map(blob).collect()),
        _ => AttributeValue::Null(true),
    }
}

fn item_to_json(item: &HashMap<String, AttributeValue>) -> Value {
    item.iter().map(|(name, value)| (name.clone(), value_to_json(value))).collect()
}

fn value_to_json(value: &AttributeValue) -> Value {
    let encoded = |blob: &Blob| STANDARD.encode(blob.as_ref());
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        AttributeValue::B(blob) => json!({ "B": encoded(blob) }),
        AttributeValue::Bool(flag) => json!({ "BOOL": flag }),
        AttributeValue::M(map) => json!({ "M": item_to_json(map) }),
        AttributeValue::L(list) => {
            json!({ "L": list.iter().map(value_to_json).collect::<Value>() })
        }
        AttributeValue::Ss(set) => json!({ "SS": set }),
        AttributeValue::Ns(set) => json!({ "NS": set }),
        AttributeValue::Bs(set) => json!({ "BS": set.iter().map(encoded).collect::<Vec<_>>() }),
        _ => json!({ "NULL": true }),
    }
}
