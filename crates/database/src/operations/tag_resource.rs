//! TagResource: set tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::Tag;
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagResourceRequest {
    pub resource_arn: String,
    pub tags: Vec<Tag>,
}

impl Database {
    /// TagResource: set tags of a table.
    pub async fn tag_resource(&self, _request: TagResourceRequest) -> Result<(), Error> {
        todo!()
    }
}
