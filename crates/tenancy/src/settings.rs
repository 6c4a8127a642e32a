//! What an operator decides about tenancy.

use std::time::Duration;

use tables::Environment;

/// Settings. Start from [`Settings::new`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// The environment of this deployment.
    pub environment: Environment,
    /// Whether tenants of other environments are kept here, too (C2-55).
    pub is_multi_environment: bool,
    /// Whether a request needs an API key beside its token (C2-56).
    pub api_keys: ApiKeys,
    /// For how long an invitation can be accepted.
    pub invitation_life: Duration,
    /// For how long a tenant's history is kept; for ever without one (C2-37).
    pub history_retention: Option<Duration>,
    /// What mails call the product.
    pub product: String,
}

/// Whether a request needs an API key beside its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeys {
    /// As document 002 is written: every request has both (R002-6.3-2, R002-9.4-2).
    Required,
    /// A key that comes must allow what is asked; none need come.
    Optional,
}

impl Settings {
    /// The usual: strict, except on the machine of somebody who tries things out.
    pub fn new(environment: Environment) -> Settings {
        let is_dev = environment == Environment::Dev;
        Settings {
            environment,
            is_multi_environment: is_dev,
            api_keys: if is_dev { ApiKeys::Optional } else { ApiKeys::Required },
            invitation_life: Duration::from_secs(7 * 24 * 60 * 60),
            history_retention: None,
            product: "Plinth".to_owned(),
        }
    }
}
