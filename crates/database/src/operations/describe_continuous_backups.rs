//! DescribeContinuousBackups: whether a table can be restored to a moment.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

use crate::definition_checks::managed_table_name;
use crate::{Database, Error, text};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribeContinuousBackupsRequest {
    pub table_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointInTimeRecoveryStatus {
    Enabled,
    Disabled,
}

/// Continuous backups are `ENABLED` for every table, as on AWS.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeContinuousBackupsResponse {
    pub point_in_time_recovery_status: PointInTimeRecoveryStatus,
}

impl Database {
    /// DescribeContinuousBackups: whether a table can be restored to a moment. None can yet, since
    /// nothing turns recovery on; clients ask all the same, when they start.
    pub async fn describe_continuous_backups(
        &self,
        request: DescribeContinuousBackupsRequest,
    ) -> Result<DescribeContinuousBackupsResponse, Error> {
        let operation = "DescribeContinuousBackups";
        let name = managed_table_name(self.options(), operation, &request.table_name)?;
        self.check_running()?;
        if !self.catalog().tables.contains_key(name) {
            return Err(Error::TableNotFound(text::table_not_found_by_backups(name)));
        }
        let point_in_time_recovery_status = PointInTimeRecoveryStatus::Disabled;
        Ok(DescribeContinuousBackupsResponse { point_in_time_recovery_status })
    }
}
