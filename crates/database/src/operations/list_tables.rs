//! ListTables: the names of the tables, in order, a page at a time.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use std::ops::Bound;

use crate::definition_checks::Members;
use crate::{Database, Error};

/// Names on one page, at most and unless told otherwise.
const LIMIT_MAX: i64 = 100;

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
        request: ListTablesRequest,
    ) -> Result<ListTablesResponse, Error> {
        let start = request.exclusive_start_table_name;
        let limit = request.limit.unwrap_or(LIMIT_MAX);
        let mut members = Members::default();
        if let Some(name) = &start {
            members.name(name, "exclusiveStartTableName");
        }
        members.value(limit, "limit", 1, LIMIT_MAX);
        members.finish()?;
        self.check_running()?;
        let catalog = self.catalog();
        let from = start.map_or(Bound::Unbounded, Bound::Excluded);
        let mut names = catalog.tables.range((from, Bound::Unbounded)).map(|(name, _)| name);
        let page = names.by_ref().take(usize::try_from(limit).unwrap_or(0));
        let table_names: Vec<String> = page.cloned().collect();
        let last = names.next().and_then(|_| table_names.last().cloned());
        Ok(ListTablesResponse { table_names, last_evaluated_table_name: last })
    }
}
