//! GetItem, PutItem, UpdateItem, DeleteItem.

use database::Database;
use database::operations::{
    DeleteItemRequest, DeleteItemResponse, GetItemRequest, GetItemResponse, PutItemRequest,
    PutItemResponse, UpdateItemRequest, UpdateItemResponse,
};
use database::shapes::{ConsumedCapacity, ItemCollectionMetrics};
use values::Item;
use values::json::Node;

use super::answer::{Answer, Content, Json, JsonItem};
use super::enums::word;
use super::members::{flag, names, owned, table_name, texts};
use super::value::Wording;
use super::{capacity, legacy, read, rules, shapes};
use crate::WireError;

/// Executes a GetItem request.
pub(super) async fn get_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.get_item_as::<JsonItem>(get_item_request(body)?).await?;
    Ok(get_item_answer(&response))
}

/// Reads a GetItem request.
pub fn get_item_request(body: &Node) -> Result<GetItemRequest, WireError> {
    let stages = rules::items::GET_ITEM;
    read(&shapes::items::GET_ITEM, stages, Wording::Read, body, |decoder, members| {
        Ok(GetItemRequest {
            table_name: table_name(members),
            key: decoder.item(members, "Key")?,
            consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
            projection_expression: owned(members, "ProjectionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            attributes_to_get: texts(members, "AttributesToGet"),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })
}

/// Writes a GetItem answer.
pub fn get_item_answer<C: Content>(response: &GetItemResponse<C>) -> Json {
    Answer::new()
        .item("Item", response.item.as_ref())
        .maybe("ConsumedCapacity", response.consumed_capacity.as_ref().map(capacity::consumed))
        .done()
}

/// Executes a PutItem request.
pub(super) async fn put_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.put_item(put_item_request(body)?).await?;
    Ok(put_item_answer(&response))
}

/// Reads a PutItem request.
pub fn put_item_request(body: &Node) -> Result<PutItemRequest, WireError> {
    let stages = rules::items::PUT_ITEM;
    read(&shapes::items::PUT_ITEM, stages, Wording::Put, body, |decoder, members| {
        Ok(PutItemRequest {
            table_name: table_name(members),
            item: decoder.item(members, "Item")?,
            condition_expression: owned(members, "ConditionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            expression_attribute_values: decoder.expression_values(members)?,
            expected: legacy::expected(decoder, members)?,
            conditional_operator: legacy::conditional_operator(decoder, members, "Expected"),
            return_values: word(members, "ReturnValues").unwrap_or_default(),
            return_values_on_condition_check_failure: word(
                members,
                "ReturnValuesOnConditionCheckFailure",
            )
            .unwrap_or_default(),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_item_collection_metrics: word(members, "ReturnItemCollectionMetrics")
                .unwrap_or_default(),
        })
    })
}

/// Writes a PutItem answer.
pub fn put_item_answer(response: &PutItemResponse) -> Json {
    write_answer(
        response.attributes.as_ref(),
        response.consumed_capacity.as_ref(),
        response.item_collection_metrics.as_ref(),
    )
}

/// Executes an UpdateItem request.
pub(super) async fn update_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.update_item(update_item_request(body)?).await?;
    Ok(update_item_answer(&response))
}

/// Reads an UpdateItem request.
pub fn update_item_request(body: &Node) -> Result<UpdateItemRequest, WireError> {
    let stages = rules::items::UPDATE_ITEM;
    read(&shapes::items::UPDATE_ITEM, stages, Wording::Update, body, |decoder, members| {
        Ok(UpdateItemRequest {
            table_name: table_name(members),
            key: decoder.item(members, "Key")?,
            update_expression: owned(members, "UpdateExpression"),
            condition_expression: owned(members, "ConditionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            expression_attribute_values: decoder.expression_values(members)?,
            attribute_updates: legacy::attribute_updates(decoder, members)?,
            expected: legacy::expected(decoder, members)?,
            conditional_operator: legacy::conditional_operator(decoder, members, "Expected"),
            return_values: word(members, "ReturnValues").unwrap_or_default(),
            return_values_on_condition_check_failure: word(
                members,
                "ReturnValuesOnConditionCheckFailure",
            )
            .unwrap_or_default(),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_item_collection_metrics: word(members, "ReturnItemCollectionMetrics")
                .unwrap_or_default(),
        })
    })
}

/// Writes an UpdateItem answer.
pub fn update_item_answer(response: &UpdateItemResponse) -> Json {
    write_answer(
        response.attributes.as_ref(),
        response.consumed_capacity.as_ref(),
        response.item_collection_metrics.as_ref(),
    )
}

/// Executes a DeleteItem request.
pub(super) async fn delete_item(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.delete_item(delete_item_request(body)?).await?;
    Ok(delete_item_answer(&response))
}

/// Reads a DeleteItem request.
pub fn delete_item_request(body: &Node) -> Result<DeleteItemRequest, WireError> {
    let stages = rules::items::DELETE_ITEM;
    read(&shapes::items::DELETE_ITEM, stages, Wording::Delete, body, |decoder, members| {
        Ok(DeleteItemRequest {
            table_name: table_name(members),
            key: decoder.item(members, "Key")?,
            condition_expression: owned(members, "ConditionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            expression_attribute_values: decoder.expression_values(members)?,
            expected: legacy::expected(decoder, members)?,
            conditional_operator: legacy::conditional_operator(decoder, members, "Expected"),
            return_values: word(members, "ReturnValues").unwrap_or_default(),
            return_values_on_condition_check_failure: word(
                members,
                "ReturnValuesOnConditionCheckFailure",
            )
            .unwrap_or_default(),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_item_collection_metrics: word(members, "ReturnItemCollectionMetrics")
                .unwrap_or_default(),
        })
    })
}

/// Writes a DeleteItem answer.
pub fn delete_item_answer(response: &DeleteItemResponse) -> Json {
    write_answer(
        response.attributes.as_ref(),
        response.consumed_capacity.as_ref(),
        response.item_collection_metrics.as_ref(),
    )
}

fn write_answer(
    attributes: Option<&Item>,
    consumed: Option<&ConsumedCapacity>,
    metrics: Option<&ItemCollectionMetrics>,
) -> Json {
    Answer::new()
        .item("Attributes", attributes)
        .maybe("ConsumedCapacity", consumed.map(capacity::consumed))
        .maybe("ItemCollectionMetrics", metrics.map(capacity::metrics))
        .done()
}
