//! DescribeLimits: the account limits.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeLimitsResponse {
    pub account_max_read_capacity_units: i64,
    pub account_max_write_capacity_units: i64,
    pub table_max_read_capacity_units: i64,
    pub table_max_write_capacity_units: i64,
}

impl Database {
    /// DescribeLimits: the account limits.
    pub async fn describe_limits(&self) -> Result<DescribeLimitsResponse, Error> {
        todo!()
    }
}
