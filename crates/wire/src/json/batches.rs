//! BatchGetItem and BatchWriteItem.

use std::collections::{BTreeMap, HashSet};

use database::Database;
use database::operations::{
    BatchGetItemRequest, BatchGetItemResponse, BatchWriteItemRequest, BatchWriteItemResponse,
    KeysAndAttributes, WriteRequest,
};
use serde_json::json;
use values::json::{Members, Node, item_to_json};

use super::answer::{Answer, Json, by_name, list};
use super::enums::word;
use super::members::{array, flag, names, object, owned, texts};
use super::value::{Decoder, Wording};
use super::{capacity, read, rules, shapes};
use crate::WireError;

/// What BatchWriteItem says of an element with neither or both of its two requests.
const ONE_REQUEST: &str = "Supplied AttributeValue has more than one datatypes set, must contain \
                           exactly one of the supported datatypes";

/// Executes a BatchGetItem request.
pub(super) async fn batch_get_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.batch_get_item(batch_get_item_request(body)?).await?;
    Ok(batch_get_item_answer(&response))
}

/// Reads a BatchGetItem request.
pub fn batch_get_item_request(body: &Node) -> Result<BatchGetItemRequest, WireError> {
    let stages = rules::batches::BATCH_GET_ITEM;
    read(&shapes::items::BATCH_GET_ITEM, stages, Wording::Read, body, |decoder, members| {
        let mut request_items = BTreeMap::new();
        for (table, request) in object(members, "RequestItems").into_iter().flatten() {
            if let Some(request) = request.as_object() {
                let keys = keys_and_attributes(decoder, request)?;
                // As it was given, name or ARN: the answer calls it the same.
                request_items.insert(table.to_owned(), keys);
            }
        }
        Ok(BatchGetItemRequest {
            request_items,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })
}

fn keys_and_attributes(
    decoder: &mut Decoder,
    members: &Members,
) -> Result<KeysAndAttributes, WireError> {
    let keys = || array(members, "Keys").into_iter().flatten().filter(|key| !key.is_null());
    Ok(KeysAndAttributes {
        keys: keys().map(|key| decoder.item_of(key)).collect::<Result<_, _>>()?,
        are_written_differently: keys().any(has_number) && are_distinct(keys()),
        consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
        projection_expression: owned(members, "ProjectionExpression"),
        expression_attribute_names: names(members, "ExpressionAttributeNames"),
        attributes_to_get: texts(members, "AttributesToGet"),
    })
}

/// Only a number can be written in two ways.
fn has_number(key: &Node) -> bool {
    key.as_object().is_some_and(|key| key.values().any(|value| value.get("N").is_some()))
}

fn are_distinct<'a>(mut keys: impl Iterator<Item = &'a Node>) -> bool {
    let mut seen = HashSet::new();
    keys.all(|key| seen.insert(key))
}

/// Writes a BatchGetItem answer.
pub fn batch_get_item_answer(response: &BatchGetItemResponse) -> Json {
    let responses = by_name(&response.responses, |items| list(items, |item| item));
    let unprocessed = by_name(&response.unprocessed_keys, unprocessed_keys);
    Answer::new()
        .with("Responses", responses)
        .with("UnprocessedKeys", unprocessed)
        .maybe(
            "ConsumedCapacity",
            response.consumed_capacity.as_deref().map(capacity::consumed_by_tables),
        )
        .done()
}

fn unprocessed_keys(request: &KeysAndAttributes) -> Json {
    let names = request.expression_attribute_names.as_ref();
    Answer::new()
        .with("Keys", list(&request.keys, |key| key))
        .maybe("ConsistentRead", request.consistent_read.then_some(true))
        .maybe("ProjectionExpression", request.projection_expression.as_deref())
        .maybe("ExpressionAttributeNames", names.map(|names| json!(names)))
        .maybe("AttributesToGet", request.attributes_to_get.as_ref().map(|names| json!(names)))
        .done()
}

/// Executes a BatchWriteItem request.
pub(super) async fn batch_write_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.batch_write_item(batch_write_item_request(body)?).await?;
    Ok(batch_write_item_answer(&response))
}

/// Reads a BatchWriteItem request.
pub fn batch_write_item_request(body: &Node) -> Result<BatchWriteItemRequest, WireError> {
    let stages = rules::batches::BATCH_WRITE_ITEM;
    read(&shapes::items::BATCH_WRITE_ITEM, stages, Wording::Older, body, |decoder, members| {
        let mut request_items = BTreeMap::new();
        for (table, requests) in object(members, "RequestItems").into_iter().flatten() {
            let mut writes = Vec::new();
            for request in requests.as_array().into_iter().flatten().filter_map(Node::as_object) {
                writes.extend(write_request(decoder, request)?);
            }
            request_items.insert(table.to_owned(), writes);
        }
        Ok(BatchWriteItemRequest {
            request_items,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_item_collection_metrics: word(members, "ReturnItemCollectionMetrics")
                .unwrap_or_default(),
        })
    })
}

fn write_request(
    decoder: &mut Decoder,
    members: &Members,
) -> Result<Option<WriteRequest>, WireError> {
    Ok(match (object(members, "PutRequest"), object(members, "DeleteRequest")) {
        (Some(put), None) => Some(WriteRequest::Put { item: decoder.item(put, "Item")? }),
        (None, Some(delete)) => Some(WriteRequest::Delete { key: decoder.item(delete, "Key")? }),
        _ => {
            decoder.refuse(|| ONE_REQUEST.to_owned());
            None
        }
    })
}

/// Writes a BatchWriteItem answer.
pub fn batch_write_item_answer(response: &BatchWriteItemResponse) -> Json {
    let unprocessed =
        by_name(&response.unprocessed_items, |writes| list(writes, unprocessed_write));
    Answer::new()
        .with("UnprocessedItems", unprocessed)
        .maybe(
            "ItemCollectionMetrics",
            capacity::metrics_by_table(&response.item_collection_metrics),
        )
        .maybe(
            "ConsumedCapacity",
            response.consumed_capacity.as_deref().map(capacity::consumed_by_tables),
        )
        .done()
}

fn unprocessed_write(write: &WriteRequest) -> serde_json::Value {
    match write {
        WriteRequest::Put { item } => json!({ "PutRequest": { "Item": item_to_json(item) } }),
        WriteRequest::Delete { key } => json!({ "DeleteRequest": { "Key": item_to_json(key) } }),
    }
}
