//! ListStreams: the streams of one table or of all.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListStreamsRequest {
    pub table_name: Option<String>,
    pub limit: Option<i64>,
    pub exclusive_start_stream_arn: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamSummary {
    pub stream_arn: String,
    pub stream_label: String,
    pub table_name: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListStreamsResponse {
    pub streams: Vec<StreamSummary>,
    pub last_evaluated_stream_arn: Option<String>,
}

impl Database {
    /// ListStreams: the streams of one table or of all.
    pub async fn list_streams(
        &self,
        _request: ListStreamsRequest,
    ) -> Result<ListStreamsResponse, Error> {
        todo!()
    }
}
