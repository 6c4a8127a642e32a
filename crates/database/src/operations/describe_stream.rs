//! DescribeStream: a stream and its shards.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use values::limits;

use crate::catalog::{ShardDefinition, StreamDefinition};
use crate::shapes::{KeySchemaElement, StreamViewType, TimestampMillis};
use crate::streams::position::Position;
use crate::streams::{self, shard};
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeStreamRequest {
    pub stream_arn: String,
    pub limit: Option<i64>,
    pub exclusive_start_shard_id: Option<String>,
    /// `ShardFilter` of type `CHILD_SHARDS`: only the children of this shard.
    pub child_shards_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamStatus {
    Enabling,
    Enabled,
    Disabling,
    Disabled,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shard {
    pub shard_id: String,
    pub parent_shard_id: Option<String>,
    pub starting_sequence_number: String,
    pub ending_sequence_number: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamDescription {
    pub stream_arn: String,
    pub stream_label: String,
    pub stream_status: StreamStatus,
    pub stream_view_type: StreamViewType,
    pub creation_request_date_time: TimestampMillis,
    pub table_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub shards: Vec<Shard>,
    pub last_evaluated_shard_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeStreamResponse {
    pub stream_description: StreamDescription,
}

impl Database {
    /// DescribeStream: a stream and its shards, oldest first.
    pub async fn describe_stream(
        &self,
        request: DescribeStreamRequest,
    ) -> Result<DescribeStreamResponse, Error> {
        let limit = streams::check_limit(request.limit, limits::DESCRIBE_STREAM_SHARDS_MAX)?;
        if let Some(start) = &request.exclusive_start_shard_id {
            shard::check_id(start, "exclusiveStartShardId")?;
        }
        if let Some(parent) = &request.child_shards_of {
            shard::check_id(parent, "shardFilter.shardId")?;
        }
        let stream = self.stream_with_arn(&request.stream_arn)?;
        // A start that is no shard's id is no error (Alternator's tests against AWS): ids sort as
        // shards do, so the page starts where it would stand.
        let mut shards: Vec<Shard> = shard::kept(&stream, self.clock().now_millis())
            .map(|shard| describe_shard(&stream, shard))
            .filter(|shard| {
                let start = request.exclusive_start_shard_id.as_ref();
                start.is_none_or(|start| shard.shard_id > *start)
            })
            .filter(|shard| {
                request.child_shards_of.is_none()
                    || shard.parent_shard_id == request.child_shards_of
            })
            .collect();
        let has_more = shards.len() > limit;
        shards.truncate(limit);
        let last = shards.last().filter(|_| has_more);
        let stream_description = StreamDescription {
            stream_arn: request.stream_arn,
            stream_label: stream.label.clone(),
            stream_status: match stream.disabled_date_time {
                None => StreamStatus::Enabled,
                Some(_) => StreamStatus::Disabled,
            },
            stream_view_type: stream.view_type,
            creation_request_date_time: stream.creation_date_time,
            table_name: stream.table_name.clone(),
            key_schema: stream.key_schema.clone(),
            last_evaluated_shard_id: last.map(|shard| shard.shard_id.clone()),
            shards,
        };
        Ok(DescribeStreamResponse { stream_description })
    }
}

/// The range of a shard is that of its commits: its records lie within, not necessarily at the ends.
fn describe_shard(stream: &StreamDefinition, definition: &ShardDefinition) -> Shard {
    let parent = definition.number.checked_sub(1);
    let first = Position::start_of(definition.first_sequence);
    let last = definition.last_sequence.map(Position::end_of);
    Shard {
        shard_id: shard::id(stream.number, definition.number),
        parent_shard_id: parent.map(|parent| shard::id(stream.number, parent)),
        starting_sequence_number: first.sequence_number(),
        ending_sequence_number: last.map(|last| last.max(first).sequence_number()),
    }
}
