//! A system: what its tables have in common.

use serde::Deserialize;

use super::{Environment, PerEnvironment};

/// One system document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct System {
    /// Its name, which is its folder's.
    pub system: String,
    /// What it does.
    pub description: String,
    /// Number of the source document.
    pub source: String,
    /// What `{prefix}` stands for in the names of its tables.
    pub prefix: String,
    /// Where its tables are, in each environment.
    pub environments: PerEnvironment<Site>,
}

/// Where a system's tables are in one environment.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Site {
    /// The AWS account; any if absent.
    pub account: Option<String>,
    /// The AWS region.
    pub region: String,
    /// The AWS region with a replica of each table.
    pub replica_region: Option<String>,
    /// The vault for backups.
    pub backup_vault: String,
    /// The AWS region to which backups are copied.
    pub backup_copy_region: Option<String>,
}

impl System {
    /// Where its tables are in an environment.
    pub fn site(&self, environment: Environment) -> &Site {
        self.environments.get(environment)
    }
}
