//! DeleteTable: remove a table and everything in it.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::TableDescription;
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeleteTableRequest {
    pub table_name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DeleteTableResponse {
    pub table_description: TableDescription,
}

impl Database {
    /// DeleteTable: remove a table and everything in it.
    pub async fn delete_table(
        &self,
        _request: DeleteTableRequest,
    ) -> Result<DeleteTableResponse, Error> {
        todo!()
    }
}
