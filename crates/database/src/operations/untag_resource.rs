//! UntagResource: remove tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntagResourceRequest {
    pub resource_arn: String,
    pub tag_keys: Vec<String>,
}

impl Database {
    /// UntagResource: remove tags of a table.
    pub async fn untag_resource(&self, _request: UntagResourceRequest) -> Result<(), Error> {
        todo!()
    }
}
