//! DescribeTable: what a table is and how full.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::shapes::TableDescription;
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
    /// DescribeTable: what a table is and how full.
    pub async fn describe_table(
        &self,
        _request: DescribeTableRequest,
    ) -> Result<DescribeTableResponse, Error> {
        todo!()
    }
}
