//! Settings of the tenant-management API.

use std::time::Duration;

use clap::{Args, ValueEnum};
use tables::Environment;
use tenancy::ApiKeys;

/// How tenants are managed.
#[derive(Args, Clone, Debug)]
pub struct TenancySettings {
    /// Whether requests to /v1.0/tenants need an API key beside their token. Without this, they do in
    /// sit and prod, and not in dev.
    #[arg(long, value_name = "DEMAND", env = "PLINTH_TENANCY_API_KEYS", value_enum)]
    pub tenancy_api_keys: Option<Demand>,

    /// Which environments' tenants are kept here: this deployment's own, or all. Without this, all in
    /// dev, and the deployment's own in sit and prod.
    #[arg(long, value_name = "WHICH", env = "PLINTH_TENANCY_ENVIRONMENTS", value_enum)]
    pub tenancy_environments: Option<Which>,

    /// For how many days an invitation can be accepted.
    #[arg(long, value_name = "DAYS", env = "PLINTH_INVITATION_DAYS", default_value_t = 7,
        value_parser = clap::value_parser!(u64).range(1..=365))]
    pub invitation_days: u64,

    /// For how many days the history of tenants is kept; for ever without this.
    #[arg(long, value_name = "DAYS", env = "PLINTH_TENANT_HISTORY_DAYS",
        value_parser = clap::value_parser!(u64).range(1..=36_500))]
    pub tenant_history_days: Option<u64>,
}

/// Whether an API key is needed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Demand {
    /// Beside every token.
    Required,
    /// Not needed; one that comes must allow what is asked.
    Optional,
}

/// Which environments' tenants are kept.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Which {
    /// This deployment's.
    Own,
    /// Every environment's.
    All,
}

impl TenancySettings {
    /// As the service takes them.
    pub fn of(&self, environment: Environment) -> tenancy::Settings {
        let day = Duration::from_secs(24 * 60 * 60);
        let days = |count: u64| day * u32::try_from(count).unwrap_or(u32::MAX);
        let usual = tenancy::Settings::new(environment);
        tenancy::Settings {
            api_keys: self.tenancy_api_keys.map_or(usual.api_keys, |demand| match demand {
                Demand::Required => ApiKeys::Required,
                Demand::Optional => ApiKeys::Optional,
            }),
            is_multi_environment: self
                .tenancy_environments
                .map_or(usual.is_multi_environment, |which| matches!(which, Which::All)),
            invitation_life: days(self.invitation_days),
            history_retention: self.tenant_history_days.map(days),
            ..usual
        }
    }
}
