//! ListTagsOfResource: the tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::Tag;
use crate::{Database, Error, arn};

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
    /// ListTagsOfResource: the tags of a table, by key, all on one page. About a table that does not
    /// exist it answers as about one that is not the caller's (rule 62).
    pub async fn list_tags_of_resource(
        &self,
        request: ListTagsOfResourceRequest,
    ) -> Result<ListTagsOfResourceResponse, Error> {
        const OPERATION: &str = "ListTagsOfResource";
        let name = arn::tagged_table(self.options(), OPERATION, &request.resource_arn)?;
        self.check_running()?;
        let catalog = self.catalog();
        let Some(table) = catalog.tables.get(name) else {
            return Err(arn::access_denied(self.options(), OPERATION, &request.resource_arn));
        };
        let tags =
            table.tags.iter().map(|(key, value)| Tag { key: key.clone(), value: value.clone() });
        Ok(ListTagsOfResourceResponse { tags: tags.collect(), next_token: None })
    }
}
