//! Time to live, tags, limits and endpoints.

use database::Database;
use database::operations::{
    DescribeContinuousBackupsRequest, DescribeContinuousBackupsResponse, DescribeEndpointsResponse,
    DescribeLimitsResponse, DescribeTimeToLiveRequest, DescribeTimeToLiveResponse,
    ListTagsOfResourceRequest, ListTagsOfResourceResponse, TagResourceRequest,
    UntagResourceRequest, UpdateTimeToLiveRequest, UpdateTimeToLiveResponse,
};
use serde_json::json;

use super::answer::{Answer, Json, list};
use super::enums::Word as _;
use super::members::{flag, object, owned, required, table_name, texts};
use super::value::Wording;
use super::{read, rules, shape, shapes, tables};
use crate::WireError;
use values::json::Node;

/// Executes an UpdateTimeToLive request.
pub(super) async fn update_time_to_live(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.update_time_to_live(update_time_to_live_request(body)?).await?;
    Ok(update_time_to_live_answer(&response))
}

/// Reads an UpdateTimeToLive request.
pub fn update_time_to_live_request(body: &Node) -> Result<UpdateTimeToLiveRequest, WireError> {
    let stages = rules::tables::UPDATE_TIME_TO_LIVE;
    read(&shapes::tables::UPDATE_TIME_TO_LIVE, stages, Wording::Read, body, |_, members| {
        let specification = object(members, "TimeToLiveSpecification");
        Ok(UpdateTimeToLiveRequest {
            table_name: table_name(members),
            attribute_name: specification
                .map(|members| required(members, "AttributeName"))
                .unwrap_or_default(),
            enabled: specification.and_then(|members| flag(members, "Enabled")).unwrap_or_default(),
        })
    })
}

/// Writes an UpdateTimeToLive answer.
pub fn update_time_to_live_answer(response: &UpdateTimeToLiveResponse) -> Json {
    json!({
        "TimeToLiveSpecification": {
            "AttributeName": response.attribute_name,
            "Enabled": response.enabled,
        },
    })
    .into()
}

/// Executes a DescribeTimeToLive request.
pub(super) async fn describe_time_to_live(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.describe_time_to_live(describe_time_to_live_request(body)?).await?;
    Ok(describe_time_to_live_answer(&response))
}

/// Reads a DescribeTimeToLive request.
pub fn describe_time_to_live_request(body: &Node) -> Result<DescribeTimeToLiveRequest, WireError> {
    let stages = rules::tables::TABLE_NAME_ONLY;
    read(&shapes::tables::TABLE_NAME_ONLY, stages, Wording::Read, body, |_, members| {
        Ok(DescribeTimeToLiveRequest { table_name: table_name(members) })
    })
}

/// Writes a DescribeTimeToLive answer.
pub fn describe_time_to_live_answer(response: &DescribeTimeToLiveResponse) -> Json {
    let description = Answer::new()
        .with("TimeToLiveStatus", response.time_to_live_status.word())
        .maybe("AttributeName", response.attribute_name.as_deref())
        .done();
    Answer::new().with("TimeToLiveDescription", description).done()
}

/// Executes a TagResource request.
pub(super) async fn tag_resource(database: &Database, body: &Node) -> Result<Json, WireError> {
    database.tag_resource(tag_resource_request(body)?).await?;
    Ok(Json::EMPTY)
}

/// Reads a TagResource request.
pub fn tag_resource_request(body: &Node) -> Result<TagResourceRequest, WireError> {
    let stages = rules::tables::RESOURCE_ARN;
    read(&shapes::tables::TAG_RESOURCE, stages, Wording::Read, body, |_, members| {
        Ok(TagResourceRequest {
            resource_arn: required(members, "ResourceArn"),
            tags: tables::tags(members).unwrap_or_default(),
        })
    })
}

/// Executes an UntagResource request.
pub(super) async fn untag_resource(database: &Database, body: &Node) -> Result<Json, WireError> {
    database.untag_resource(untag_resource_request(body)?).await?;
    Ok(Json::EMPTY)
}

/// Reads an UntagResource request.
pub fn untag_resource_request(body: &Node) -> Result<UntagResourceRequest, WireError> {
    let stages = rules::tables::RESOURCE_ARN;
    read(&shapes::tables::UNTAG_RESOURCE, stages, Wording::Read, body, |_, members| {
        Ok(UntagResourceRequest {
            resource_arn: required(members, "ResourceArn"),
            tag_keys: texts(members, "TagKeys").unwrap_or_default(),
        })
    })
}

/// Executes a ListTagsOfResource request.
pub(super) async fn list_tags_of_resource(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.list_tags_of_resource(list_tags_of_resource_request(body)?).await?;
    Ok(list_tags_of_resource_answer(&response))
}

/// Reads a ListTagsOfResource request.
pub fn list_tags_of_resource_request(body: &Node) -> Result<ListTagsOfResourceRequest, WireError> {
    let stages = rules::tables::RESOURCE_ARN;
    read(&shapes::tables::LIST_TAGS_OF_RESOURCE, stages, Wording::Read, body, |_, members| {
        Ok(ListTagsOfResourceRequest {
            resource_arn: required(members, "ResourceArn"),
            next_token: owned(members, "NextToken"),
        })
    })
}

/// Writes a ListTagsOfResource answer.
pub fn list_tags_of_resource_answer(response: &ListTagsOfResourceResponse) -> Json {
    let tags = list(&response.tags, |tag| json!({ "Key": tag.key, "Value": tag.value }));
    Answer::new().with("Tags", tags).maybe("NextToken", response.next_token.as_deref()).done()
}

/// Executes a DescribeContinuousBackups request.
pub(super) async fn describe_continuous_backups(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let request = describe_continuous_backups_request(body)?;
    Ok(describe_continuous_backups_answer(&database.describe_continuous_backups(request).await?))
}

/// Reads a DescribeContinuousBackups request.
pub fn describe_continuous_backups_request(
    body: &Node,
) -> Result<DescribeContinuousBackupsRequest, WireError> {
    let stages = rules::tables::TABLE_NAME_ONLY;
    read(&shapes::tables::TABLE_NAME_ONLY, stages, Wording::Read, body, |_, members| {
        Ok(DescribeContinuousBackupsRequest { table_name: table_name(members) })
    })
}

/// Writes a DescribeContinuousBackups answer.
pub fn describe_continuous_backups_answer(response: &DescribeContinuousBackupsResponse) -> Json {
    let status = response.point_in_time_recovery_status.word();
    json!({ "ContinuousBackupsDescription": {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": { "PointInTimeRecoveryStatus": status },
    } })
    .into()
}

/// Executes a DescribeLimits request, which has no members.
pub(super) async fn describe_limits(database: &Database, body: &Node) -> Result<Json, WireError> {
    shape::check(&shapes::NOTHING, body)?;
    Ok(describe_limits_answer(&database.describe_limits().await?))
}

/// Writes a DescribeLimits answer.
pub fn describe_limits_answer(response: &DescribeLimitsResponse) -> Json {
    json!({
        "AccountMaxReadCapacityUnits": response.account_max_read_capacity_units,
        "AccountMaxWriteCapacityUnits": response.account_max_write_capacity_units,
        "TableMaxReadCapacityUnits": response.table_max_read_capacity_units,
        "TableMaxWriteCapacityUnits": response.table_max_write_capacity_units,
    })
    .into()
}

/// Executes a DescribeEndpoints request, which has no members. `asked_at` is the address that the
/// client has sent it to, if it came over a network: a client that discovers endpoints sends
/// everything else to the address it is told.
pub(crate) async fn describe_endpoints(
    database: &Database,
    body: &Node,
    asked_at: Option<&str>,
) -> Result<Json, WireError> {
    shape::check(&shapes::NOTHING, body)?;
    let mut response = database.describe_endpoints().await?;
    if let Some(address) = asked_at {
        response.address = address.to_owned();
    }
    Ok(describe_endpoints_answer(&response))
}

/// Writes a DescribeEndpoints answer.
pub fn describe_endpoints_answer(response: &DescribeEndpointsResponse) -> Json {
    json!({
        "Endpoints": [{
            "Address": response.address,
            "CachePeriodInMinutes": response.cache_period_in_minutes,
        }],
    })
    .into()
}
