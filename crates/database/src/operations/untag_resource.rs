//! UntagResource: remove tags of a table.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error, arn, definition_checks};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntagResourceRequest {
    pub resource_arn: String,
    pub tag_keys: Vec<String>,
}

impl Database {
    /// UntagResource: remove tags of a table. Keys that it does not have are passed over.
    pub async fn untag_resource(&self, request: UntagResourceRequest) -> Result<(), Error> {
        let UntagResourceRequest { resource_arn, tag_keys } = request;
        let name = arn::tagged_table(self.options(), "UntagResource", &resource_arn)?.to_owned();
        if tag_keys.is_empty() {
            let text = "Atleast one Tag Key needs to be provided as Input.";
            return Err(Error::Validation(text.to_owned()));
        }
        definition_checks::tag_keys(&tag_keys)?;
        self.commit(move |transaction| {
            let table = transaction.catalog().table(&name)?;
            let mut definition = table.definition().clone();
            definition.tags.retain(|key, _| !tag_keys.contains(key));
            if definition.tags.len() < table.tags.len() {
                transaction.put_table(definition);
            }
            Ok(())
        })
        .await
    }
}
