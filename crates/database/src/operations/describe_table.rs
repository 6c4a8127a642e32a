//! DescribeTable: what a table is and how full.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::definition_checks::managed_table_name;
use crate::shapes::TableDescription;
use crate::table_description::TableState;
use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeTableRequest {
    pub table_name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTableResponse {
    pub table: TableDescription,
}

impl Database {
    /// DescribeTable: what a table is and how full. The counts are exact and up to date, where AWS
    /// refreshes them every six hours. Who asks is told that the table is ready, or gone, and so it
    /// is from then on.
    pub async fn describe_table(
        &self,
        request: DescribeTableRequest,
    ) -> Result<DescribeTableResponse, Error> {
        let name = managed_table_name(self.options(), "DescribeTable", &request.table_name)?;
        self.lifecycle().end(name);
        let table = TableState::read(self, name)?.describe(self.options());
        Ok(DescribeTableResponse { table })
    }
}
