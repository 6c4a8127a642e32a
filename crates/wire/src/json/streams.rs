//! ListStreams, DescribeStream, GetShardIterator, GetRecords.

use database::Database;
use database::operations::{
    DescribeStreamRequest, DescribeStreamResponse, GetRecordsRequest, GetRecordsResponse,
    GetShardIteratorRequest, GetShardIteratorResponse, ListStreamsRequest, ListStreamsResponse,
    Record, Shard, ShardIteratorType,
};
use serde_json::json;

use super::answer::{Answer, Json, list, seconds};
use super::enums::{Word as _, word};
use super::members::{integer, object, owned, required, text};
use super::value::Wording;
use super::{description, read, rules, shapes};
use crate::WireError;
use values::json::Node;

/// Executes a ListStreams request.
pub(super) async fn list_streams(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.list_streams(list_streams_request(body)?).await?;
    Ok(list_streams_answer(&response))
}

/// Reads a ListStreams request.
pub fn list_streams_request(body: &Node) -> Result<ListStreamsRequest, WireError> {
    let stages = rules::streams::LIST_STREAMS;
    read(&shapes::streams::LIST_STREAMS, stages, Wording::Read, body, |_, members| {
        Ok(ListStreamsRequest {
            table_name: text(members, "TableName")
                .map(|name| super::members::table_name_of(name).to_owned()),
            limit: integer(members, "Limit").map(|limit| limit.value),
            exclusive_start_stream_arn: owned(members, "ExclusiveStartStreamArn"),
        })
    })
}

/// Writes a ListStreams answer.
pub fn list_streams_answer(response: &ListStreamsResponse) -> Json {
    let streams = list(&response.streams, |stream| {
        json!({
            "StreamArn": stream.stream_arn,
            "StreamLabel": stream.stream_label,
            "TableName": stream.table_name,
        })
    });
    Answer::new()
        .with("Streams", streams)
        .maybe("LastEvaluatedStreamArn", response.last_evaluated_stream_arn.as_deref())
        .done()
}

/// Executes a DescribeStream request.
pub(super) async fn describe_stream(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.describe_stream(describe_stream_request(body)?).await?;
    Ok(describe_stream_answer(&response))
}

/// Reads a DescribeStream request.
pub fn describe_stream_request(body: &Node) -> Result<DescribeStreamRequest, WireError> {
    let stages = rules::streams::DESCRIBE_STREAM;
    read(&shapes::streams::DESCRIBE_STREAM, stages, Wording::Read, body, |_, members| {
        let filter = object(members, "ShardFilter");
        Ok(DescribeStreamRequest {
            stream_arn: required(members, "StreamArn"),
            limit: integer(members, "Limit").map(|limit| limit.value),
            exclusive_start_shard_id: owned(members, "ExclusiveStartShardId"),
            child_shards_of: filter.and_then(|filter| owned(filter, "ShardId")),
        })
    })
}

/// Writes a DescribeStream answer.
pub fn describe_stream_answer(response: &DescribeStreamResponse) -> Json {
    let stream = &response.stream_description;
    let description = Answer::new()
        .with("StreamArn", stream.stream_arn.as_str())
        .with("StreamLabel", stream.stream_label.as_str())
        .with("StreamStatus", stream.stream_status.word())
        .with("StreamViewType", stream.stream_view_type.word())
        .with("CreationRequestDateTime", seconds(stream.creation_request_date_time))
        .with("TableName", stream.table_name.as_str())
        .with("KeySchema", description::key_schema(&stream.key_schema))
        .with("Shards", list(&stream.shards, shard))
        .maybe("LastEvaluatedShardId", stream.last_evaluated_shard_id.as_deref())
        .done();
    Answer::new().with("StreamDescription", description).done()
}

fn shard(shard: &Shard) -> Json {
    let range = Answer::new()
        .with("StartingSequenceNumber", shard.starting_sequence_number.as_str())
        .maybe("EndingSequenceNumber", shard.ending_sequence_number.as_deref())
        .done();
    Answer::new()
        .with("ShardId", shard.shard_id.as_str())
        .with("SequenceNumberRange", range)
        .maybe("ParentShardId", shard.parent_shard_id.as_deref())
        .done()
}

/// Executes a GetShardIterator request.
pub(super) async fn get_shard_iterator(
    database: &Database,
    body: &Node,
) -> Result<Json, WireError> {
    let response = database.get_shard_iterator(get_shard_iterator_request(body)?).await?;
    Ok(get_shard_iterator_answer(&response))
}

/// Reads a GetShardIterator request.
pub fn get_shard_iterator_request(body: &Node) -> Result<GetShardIteratorRequest, WireError> {
    let stages = rules::streams::GET_SHARD_ITERATOR;
    read(&shapes::streams::GET_SHARD_ITERATOR, stages, Wording::Read, body, |_, members| {
        Ok(GetShardIteratorRequest {
            stream_arn: required(members, "StreamArn"),
            shard_id: required(members, "ShardId"),
            // The member constraints have refused a missing or unknown one.
            shard_iterator_type: word(members, "ShardIteratorType")
                .unwrap_or(ShardIteratorType::TrimHorizon),
            sequence_number: owned(members, "SequenceNumber"),
        })
    })
}

/// Writes a GetShardIterator answer.
pub fn get_shard_iterator_answer(response: &GetShardIteratorResponse) -> Json {
    Answer::new().with("ShardIterator", response.shard_iterator.as_str()).done()
}

/// Executes a GetRecords request.
pub(super) async fn get_records(database: &Database, body: &Node) -> Result<Json, WireError> {
    let response = database.get_records(get_records_request(body)?).await?;
    Ok(get_records_answer(&response))
}

/// Reads a GetRecords request.
pub fn get_records_request(body: &Node) -> Result<GetRecordsRequest, WireError> {
    let stages = rules::streams::GET_RECORDS;
    read(&shapes::streams::GET_RECORDS, stages, Wording::Read, body, |_, members| {
        Ok(GetRecordsRequest {
            shard_iterator: required(members, "ShardIterator"),
            limit: integer(members, "Limit").map(|limit| limit.value),
        })
    })
}

/// Writes a GetRecords answer.
pub fn get_records_answer(response: &GetRecordsResponse) -> Json {
    Answer::new()
        .with("Records", list(&response.records, record))
        .maybe("NextShardIterator", response.next_shard_iterator.as_deref())
        .done()
}

fn record(record: &Record) -> Json {
    let change = Answer::new()
        .with("ApproximateCreationDateTime", seconds(record.approximate_creation_date_time))
        .with("Keys", &record.keys)
        .item("NewImage", record.new_image.as_ref())
        .item("OldImage", record.old_image.as_ref())
        .with("SequenceNumber", record.sequence_number.as_str())
        .with("SizeBytes", record.size_bytes)
        .with("StreamViewType", record.stream_view_type.word())
        .done();
    // A consumer tells expiry from deletion by this. The names are those of the streams API, which
    // every SDK reads; in the events of AWS Lambda the same two begin with a small letter.
    let service = json!({ "Type": "Service", "PrincipalId": "dynamodb.amazonaws.com" });
    Answer::new()
        .with("eventID", record.event_id.as_str())
        .with("eventName", record.event_name.word())
        .with("eventVersion", "1.1")
        .with("eventSource", "aws:dynamodb")
        .with("awsRegion", record.aws_region.as_str())
        .with("dynamodb", change)
        .maybe("userIdentity", record.by_time_to_live.then_some(service))
        .done()
}
