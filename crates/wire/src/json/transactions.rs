//! TransactGetItems and TransactWriteItems.

use database::Database;
use database::operations::{
    TransactAction, TransactGet, TransactGetItemsRequest, TransactGetItemsResponse, TransactWrite,
    TransactWriteItemsRequest, TransactWriteItemsResponse,
};

use super::answer::{Answer, Json, list};
use super::enums::word;
use super::members::{names, object, objects, owned, required, table_name};
use super::value::{Decoder, Wording};
use super::{capacity, read, rules, shapes};
use crate::WireError;
use values::json::{Members, Node};

/// Executes a TransactGetItems request.
pub(super) async fn transact_get_items(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.transact_get_items(transact_get_items_request(body)?).await?;
    Ok(transact_get_items_answer(&response))
}

/// Reads a TransactGetItems request.
pub fn transact_get_items_request(body: &Node) -> Result<TransactGetItemsRequest, WireError> {
    let stages = rules::batches::TRANSACT_GET_ITEMS;
    read(&shapes::items::TRANSACT_GET_ITEMS, stages, Wording::Older, body, |decoder, members| {
        let mut transact_items = Vec::new();
        for item in objects(members, "TransactItems").into_iter().flatten() {
            if let Some(get) = object(item, "Get") {
                transact_items.push(TransactGet {
                    table_name: table_name(get),
                    key: decoder.item(get, "Key")?,
                    projection_expression: owned(get, "ProjectionExpression"),
                    expression_attribute_names: names(get, "ExpressionAttributeNames"),
                });
            }
        }
        Ok(TransactGetItemsRequest {
            transact_items,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })
}

/// Writes a TransactGetItems answer.
pub fn transact_get_items_answer(response: &TransactGetItemsResponse) -> Json {
    let responses =
        list(&response.responses, |item| Answer::new().item("Item", item.as_ref()).done());
    Answer::new()
        .with("Responses", responses)
        .maybe(
            "ConsumedCapacity",
            response.consumed_capacity.as_deref().map(capacity::consumed_by_tables),
        )
        .done()
}

/// Executes a TransactWriteItems request.
pub(super) async fn transact_write_items(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.transact_write_items(transact_write_items_request(body)?).await?;
    Ok(transact_write_items_answer(&response))
}

/// Reads a TransactWriteItems request.
pub fn transact_write_items_request(body: &Node) -> Result<TransactWriteItemsRequest, WireError> {
    let stages = rules::batches::TRANSACT_WRITE_ITEMS;
    read(&shapes::items::TRANSACT_WRITE_ITEMS, stages, Wording::Older, body, |decoder, members| {
        let mut transact_items = Vec::new();
        for item in objects(members, "TransactItems").into_iter().flatten() {
            transact_items.extend(transact_write(decoder, item)?);
        }
        Ok(TransactWriteItemsRequest {
            transact_items,
            client_request_token: owned(members, "ClientRequestToken"),
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
            return_item_collection_metrics: word(members, "ReturnItemCollectionMetrics")
                .unwrap_or_default(),
        })
    })
}

fn transact_write(
    decoder: &mut Decoder,
    members: &Members,
) -> Result<Option<TransactWrite>, WireError> {
    Ok(if let Some(put) = object(members, "Put") {
        let item = decoder.item(put, "Item")?.into();
        Some(TransactWrite::Put { item, action: action(decoder, put)? })
    } else if let Some(update) = object(members, "Update") {
        Some(TransactWrite::Update {
            update_expression: required(update, "UpdateExpression"),
            action: action(decoder, update)?,
        })
    } else if let Some(delete) = object(members, "Delete") {
        Some(TransactWrite::Delete(action(decoder, delete)?))
    } else if let Some(check) = object(members, "ConditionCheck") {
        Some(TransactWrite::ConditionCheck(action(decoder, check)?))
    } else {
        None
    })
}

fn action(decoder: &mut Decoder, members: &Members) -> Result<TransactAction, WireError> {
    Ok(TransactAction {
        table_name: table_name(members),
        key: decoder.item(members, "Key")?,
        condition_expression: owned(members, "ConditionExpression"),
        expression_attribute_names: names(members, "ExpressionAttributeNames"),
        expression_attribute_values: decoder.expression_values(members)?,
        return_values_on_condition_check_failure: word(
            members,
            "ReturnValuesOnConditionCheckFailure",
        )
        .unwrap_or_default(),
    })
}

/// Writes a TransactWriteItems answer.
pub fn transact_write_items_answer(response: &TransactWriteItemsResponse) -> Json {
    Answer::new()
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
