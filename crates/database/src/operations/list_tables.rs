//! ListTables: the names of the tables, in order, a page at a time.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListTablesRequest {
    pub exclusive_start_table_name: Option<String>,
    pub limit: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListTablesResponse {
    pub table_names: Vec<String>,
    pub last_evaluated_table_name: Option<String>,
}

impl Database {
    /// ListTables: the names of the tables, in order, a page at a time.
    pub async fn list_tables(
        &self,
        _request: ListTablesRequest,
    ) -> Result<ListTablesResponse, Error> {
        todo!()
    }
}
