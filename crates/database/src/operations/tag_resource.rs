//! TagResource: set tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::Tag;
use crate::{Database, Error, arn, definition_checks};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagResourceRequest {
    pub resource_arn: String,
    pub tags: Vec<Tag>,
}

impl Database {
    /// TagResource: set tags of a table. All of them or, if one is invalid, none (rule 62).
    pub async fn tag_resource(&self, request: TagResourceRequest) -> Result<(), Error> {
        let TagResourceRequest { resource_arn, tags } = request;
        let name = arn::tagged_table(self.options(), "TagResource", &resource_arn)?.to_owned();
        if tags.is_empty() {
            let text = "Atleast one Tag needs to be provided as Input.";
            return Err(Error::Validation(text.to_owned()));
        }
        definition_checks::tags(&tags)?;
        self.commit(move |transaction| {
            let Some(table) = transaction.catalog().tables.get(&name) else {
                return Err(Error::ResourceNotFound(format!(
                    "Requested resource not found: ResourcArn: {resource_arn} not found"
                )));
            };
            let mut definition = table.definition().clone();
            definition.tags.extend(tags.into_iter().map(|tag| (tag.key, tag.value)));
            definition_checks::tags_together(definition.tags.len())?;
            transaction.put_table(definition);
            Ok(())
        })
        .await
    }
}
