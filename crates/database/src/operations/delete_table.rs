//! DeleteTable: remove a table and everything in it.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::definition_checks::{managed_table_name, texts};
use crate::lifecycle::Phase;
use crate::shapes::{IndexStatus, TableDescription, TableStatus};
use crate::table_description::TableState;
use crate::{Database, Error, stream_switch, table_description};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeleteTableRequest {
    pub table_name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DeleteTableResponse {
    pub table_description: TableDescription,
}

impl Database {
    /// DeleteTable: remove a table and everything in it. The name is free at once; items and index
    /// entries are purged in the background, and a stream stays readable for 24 hours (rule 59).
    pub async fn delete_table(
        &self,
        request: DeleteTableRequest,
    ) -> Result<DeleteTableResponse, Error> {
        let name =
            managed_table_name(self.options(), "DeleteTable", &request.table_name)?.to_owned();
        self.lifecycle().check_change(&name, self.clock())?;
        let deleted_name = name.clone();
        let deleted = self
            .commit_without_disk_check(move |transaction| {
                let table = table_description::find(transaction.catalog(), &name)?.clone();
                if table.deletion_protection_enabled {
                    return Err(Error::Validation(texts::PROTECTED.to_owned()));
                }
                if table.indexes.iter().any(|index| index.status != IndexStatus::Active) {
                    return Err(Error::ResourceInUse(texts::INDEX_IN_PROGRESS.to_owned()));
                }
                let state = TableState::in_commit(transaction, &table)?;
                stream_switch::disable(transaction, &mut table.definition().clone());
                transaction.remove_table(&table);
                Ok(state)
            })
            .await?;
        let takes = self.options().table_creation_time;
        self.lifecycle().begin(&deleted_name, Phase::Deleting, takes, self.clock());
        self.background().wake();
        // What a table being deleted is made of is not shown (rule 64).
        let table_description = TableDescription {
            table_status: TableStatus::Deleting,
            creation_date_time: None,
            attribute_definitions: Vec::new(),
            key_schema: Vec::new(),
            local_secondary_indexes: Vec::new(),
            global_secondary_indexes: Vec::new(),
            ..deleted.describe(self.options())
        };
        Ok(DeleteTableResponse { table_description })
    }
}
