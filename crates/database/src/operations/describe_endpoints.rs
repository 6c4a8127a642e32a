//! DescribeEndpoints: where this database answers.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::{Database, Error};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeEndpointsResponse {
    pub address: String,
    pub cache_period_in_minutes: i64,
}

impl Database {
    /// DescribeEndpoints: where this database answers, by AWS's naming. Whoever serves it over HTTP
    /// puts its own address instead.
    pub async fn describe_endpoints(&self) -> Result<DescribeEndpointsResponse, Error> {
        self.check_running()?;
        Ok(DescribeEndpointsResponse {
            address: format!("dynamodb.{}.amazonaws.com", self.options().region),
            cache_period_in_minutes: 1440,
        })
    }
}
