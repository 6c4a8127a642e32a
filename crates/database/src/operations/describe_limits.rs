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
    /// DescribeLimits: the account limits, as a new AWS account has them. Nothing here enforces them.
    pub async fn describe_limits(&self) -> Result<DescribeLimitsResponse, Error> {
        self.check_running()?;
        Ok(DescribeLimitsResponse {
            account_max_read_capacity_units: 80_000,
            account_max_write_capacity_units: 80_000,
            table_max_read_capacity_units: 40_000,
            table_max_write_capacity_units: 40_000,
        })
    }
}
