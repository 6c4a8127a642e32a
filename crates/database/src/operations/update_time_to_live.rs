//! UpdateTimeToLive: name the attribute that says when an item expires.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTimeToLiveRequest {
    pub table_name: String,
    pub attribute_name: String,
    pub enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTimeToLiveResponse {
    pub attribute_name: String,
    pub enabled: bool,
}

impl Database {
    /// UpdateTimeToLive: name the attribute that says when an item expires.
    pub async fn update_time_to_live(
        &self,
        _request: UpdateTimeToLiveRequest,
    ) -> Result<UpdateTimeToLiveResponse, Error> {
        todo!()
    }
}
