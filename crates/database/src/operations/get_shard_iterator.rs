//! GetShardIterator: a place in a shard to read from.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardIteratorType {
    TrimHorizon,
    Latest,
    AtSequenceNumber,
    AfterSequenceNumber,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetShardIteratorRequest {
    pub stream_arn: String,
    pub shard_id: String,
    pub shard_iterator_type: ShardIteratorType,
    pub sequence_number: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetShardIteratorResponse {
    pub shard_iterator: String,
}

impl Database {
    /// GetShardIterator: a place in a shard to read from.
    pub async fn get_shard_iterator(
        &self,
        _request: GetShardIteratorRequest,
    ) -> Result<GetShardIteratorResponse, Error> {
        todo!()
    }
}
