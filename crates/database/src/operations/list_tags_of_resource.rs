//! ListTagsOfResource: the tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::Tag;
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListTagsOfResourceRequest {
    pub resource_arn: String,
    pub next_token: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListTagsOfResourceResponse {
    pub tags: Vec<Tag>,
    pub next_token: Option<String>,
}

impl Database {
    /// ListTagsOfResource: the tags of a table.
    pub async fn list_tags_of_resource(
        &self,
        _request: ListTagsOfResourceRequest,
    ) -> Result<ListTagsOfResourceResponse, Error> {
        todo!()
    }
}
