//! DescribeStream: a stream and its shards.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::{KeySchemaElement, StreamViewType, TimestampMillis};
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
    /// DescribeStream: a stream and its shards.
    pub async fn describe_stream(
        &self,
        _request: DescribeStreamRequest,
    ) -> Result<DescribeStreamResponse, Error> {
        todo!()
    }
}
