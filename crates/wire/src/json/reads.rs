//! Query and Scan.

use database::Database;
use database::operations::{QueryRequest, QueryResponse, ScanRequest, ScanResponse};
use database::shapes::ConsumedCapacity;
use values::Item;
use values::json::Node;

use super::answer::{Answer, Content, Json, JsonItem};
use super::constraint::{self, Stage};
use super::enums::word;
use super::members::{flag, integer, names, owned, table_name, texts};
use super::value::Wording;
use super::{capacity, legacy, read, rules, shapes};
use crate::WireError;

/// Executes a Query request.
pub(super) async fn query(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.query_as::<JsonItem>(query_request(body)?).await?;
    Ok(query_answer(&response))
}

/// Reads a Query request.
pub fn query_request(body: &Node) -> Result<QueryRequest, WireError> {
    let stages = rules::reads::QUERY;
    let request = read(&shapes::items::QUERY, stages, Wording::Query, body, |decoder, members| {
        Ok(QueryRequest {
            table_name: table_name(members),
            index_name: owned(members, "IndexName"),
            key_condition_expression: owned(members, "KeyConditionExpression"),
            filter_expression: owned(members, "FilterExpression"),
            projection_expression: owned(members, "ProjectionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            expression_attribute_values: decoder.expression_values(members)?,
            key_conditions: legacy::conditions(decoder, members, "KeyConditions")?,
            query_filter: legacy::conditions(decoder, members, "QueryFilter")?,
            conditional_operator: legacy::conditional_operator(decoder, members, "QueryFilter"),
            attributes_to_get: texts(members, "AttributesToGet"),
            select: word(members, "Select"),
            consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
            scan_index_forward: flag(members, "ScanIndexForward"),
            limit: integer(members, "Limit").map(|limit| limit.value),
            exclusive_start_key: decoder.start_key(members)?,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })?;
    check_last(rules::reads::QUERY_LAST, body)?;
    Ok(request)
}

/// Writes a Query answer.
pub fn query_answer<C: Content>(response: &QueryResponse<C>) -> Json {
    page(
        response.items.as_ref(),
        (response.count, response.scanned_count),
        response.last_evaluated_key.as_ref(),
        response.consumed_capacity.as_ref(),
    )
}

/// Executes a Scan request.
pub(super) async fn scan(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.scan_as::<JsonItem>(scan_request(body)?).await?;
    Ok(scan_answer(&response))
}

/// Reads a Scan request.
pub fn scan_request(body: &Node) -> Result<ScanRequest, WireError> {
    let stages = rules::reads::SCAN;
    let request = read(&shapes::items::SCAN, stages, Wording::Read, body, |decoder, members| {
        Ok(ScanRequest {
            table_name: table_name(members),
            index_name: owned(members, "IndexName"),
            filter_expression: owned(members, "FilterExpression"),
            projection_expression: owned(members, "ProjectionExpression"),
            expression_attribute_names: names(members, "ExpressionAttributeNames"),
            expression_attribute_values: decoder.expression_values(members)?,
            scan_filter: legacy::conditions(decoder, members, "ScanFilter")?,
            conditional_operator: legacy::conditional_operator(decoder, members, "ScanFilter"),
            attributes_to_get: texts(members, "AttributesToGet"),
            select: word(members, "Select"),
            consistent_read: flag(members, "ConsistentRead").unwrap_or_default(),
            limit: integer(members, "Limit").map(|limit| limit.value),
            segment: integer(members, "Segment").map(|segment| segment.value),
            total_segments: integer(members, "TotalSegments").map(|total| total.value),
            exclusive_start_key: decoder.start_key(members)?,
            return_consumed_capacity: word(members, "ReturnConsumedCapacity").unwrap_or_default(),
        })
    })?;
    check_last(rules::reads::SCAN_LAST, body)?;
    Ok(request)
}

/// The constraints that are looked at after all values.
fn check_last(stages: &'static [Stage], body: &Node) -> Result<(), WireError> {
    body.as_object().map_or(Ok(()), |members| constraint::check(stages, members))
}

/// Writes a Scan answer.
pub fn scan_answer<C: Content>(response: &ScanResponse<C>) -> Json {
    page(
        response.items.as_ref(),
        (response.count, response.scanned_count),
        response.last_evaluated_key.as_ref(),
        response.consumed_capacity.as_ref(),
    )
}

fn page<C: Content>(
    items: Option<&Vec<C>>,
    (count, scanned_count): (u64, u64),
    last_evaluated_key: Option<&Item>,
    consumed: Option<&ConsumedCapacity>,
) -> Json {
    Answer::new()
        .items("Items", items)
        .with("Count", count)
        .with("ScannedCount", scanned_count)
        .item("LastEvaluatedKey", last_evaluated_key)
        .maybe("ConsumedCapacity", consumed.map(capacity::consumed))
        .done()
}
