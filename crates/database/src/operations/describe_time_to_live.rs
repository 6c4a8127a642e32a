//! DescribeTimeToLive: which attribute says when an item expires.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeTimeToLiveRequest {
    pub table_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeToLiveStatus {
    Enabling,
    Disabling,
    Enabled,
    Disabled,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTimeToLiveResponse {
    pub time_to_live_status: TimeToLiveStatus,
    pub attribute_name: Option<String>,
}

impl Database {
    /// DescribeTimeToLive: which attribute says when an item expires.
    pub async fn describe_time_to_live(
        &self,
        _request: DescribeTimeToLiveRequest,
    ) -> Result<DescribeTimeToLiveResponse, Error> {
        todo!()
    }
}
