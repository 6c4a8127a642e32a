//! DescribeTimeToLive: which attribute says when an item expires.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::definition_checks::managed_table_name;
use crate::{Database, Error, table_description};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeTimeToLiveRequest {
    pub table_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeToLiveStatus {
    Enabling,
    Disabling,
    Enabled,
    Disabled,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTimeToLiveResponse {
    pub time_to_live_status: TimeToLiveStatus,
    pub attribute_name: Option<String>,
}

impl Database {
    /// DescribeTimeToLive: which attribute says when an item expires. `ENABLED` from the moment it is
    /// enabled, while older items are still being looked through, as clients see it on AWS (measured
    /// 2026-10-08: `ENABLING` was never observed).
    pub async fn describe_time_to_live(
        &self,
        request: DescribeTimeToLiveRequest,
    ) -> Result<DescribeTimeToLiveResponse, Error> {
        let name = managed_table_name(self.options(), "DescribeTimeToLive", &request.table_name)?;
        self.check_running()?;
        let catalog = self.catalog();
        let table = table_description::find(&catalog, name)?;
        let attribute_name = table.time_to_live.as_ref().map(|t| t.attribute_name.clone());
        let time_to_live_status = match attribute_name {
            Some(_) => TimeToLiveStatus::Enabled,
            None => TimeToLiveStatus::Disabled,
        };
        Ok(DescribeTimeToLiveResponse { time_to_live_status, attribute_name })
    }
}
