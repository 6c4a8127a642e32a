//! GetRecords: the change records from a place in a shard.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use values::Item;

use crate::shapes::{StreamViewType, TimestampMillis};
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetRecordsRequest {
    pub shard_iterator: String,
    pub limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    Insert,
    Modify,
    Remove,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub event_id: String,
    pub event_name: EventName,
    pub aws_region: String,
    pub approximate_creation_date_time: TimestampMillis,
    pub keys: Item,
    pub new_image: Option<Item>,
    pub old_image: Option<Item>,
    pub sequence_number: String,
    pub size_bytes: u64,
    pub stream_view_type: StreamViewType,
    /// True for a deletion by time to live: `userIdentity` names the service.
    pub by_time_to_live: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetRecordsResponse {
    pub records: Vec<Record>,
    /// Absent at the end of a closed shard.
    pub next_shard_iterator: Option<String>,
}

impl Database {
    /// GetRecords: the change records from a place in a shard.
    pub async fn get_records(
        &self,
        _request: GetRecordsRequest,
    ) -> Result<GetRecordsResponse, Error> {
        todo!()
    }
}
