//! Who are the tenants? Organisations with a lifecycle, a hierarchy, users and invitations, as
//! document 002 describes them, at `/v1.0`.
//!
//! ```text
//! routes      HTTP: paths, bodies, answers, links
//! tenants     create, list, change      lifecycle   moves between states, call-backs, deletion
//! users       who is assigned           hierarchy   divisions, groups, teams and their members
//! invitations by mail                   resources   what a tenant uses
//! standing    what a caller is to a tenant: assignments decide
//! events      what history, audit log and subscribers learn of a change
//! names       which characters a name has, and when two are one
//! ```
//!
//! Every change is one transaction. Not here: provisioning itself (R002-1.1-2), which listens to the
//! events of this service and calls back.

mod errors;
mod events;
mod hierarchy;
mod history;
mod invitations;
mod lifecycle;
mod members;
mod metrics;
mod names;
mod paths;
mod permissions;
mod records;
mod resources;
mod routes;
mod schemas;
mod settings;
mod standing;
mod status;
mod tenants;
mod users;

pub use errors::CODES;
pub use permissions::TENANCY;
pub use settings::{ApiKeys, Settings};
pub use status::{MOVES, Move, Status, Way};

use std::sync::Arc;

use changes::{Changes, Journal};
use kernel::Error;
use kernel::metrics::Metrics;
use patterns::tenancy::BbwsTenants;
use platform::Platform;

use metrics::Counters;

/// The service. Cloning is cheap.
#[derive(Clone)]
pub struct Tenancy {
    inner: Arc<Inner>,
}

struct Inner {
    platform: Platform,
    table: BbwsTenants,
    journal: Journal,
    settings: Settings,
    counters: Counters,
}

impl Tenancy {
    /// The service on a platform. What it counts is shown with these metrics.
    pub fn new(
        platform: Platform,
        settings: Settings,
        metrics: &Metrics,
    ) -> Result<Tenancy, Error> {
        let table = BbwsTenants::open(platform.store())?;
        let journal = events::journal(&platform, &table, &settings);
        let counters = Counters::new(metrics, settings.environment);
        Ok(Tenancy { inner: Arc::new(Inner { platform, table, journal, settings, counters }) })
    }

    fn platform(&self) -> &Platform {
        &self.inner.platform
    }

    fn changes(&self) -> &Changes {
        self.inner.platform.changes()
    }

    fn table(&self) -> &BbwsTenants {
        &self.inner.table
    }

    fn journal(&self) -> &Journal {
        &self.inner.journal
    }

    fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    fn counters(&self) -> &Counters {
        &self.inner.counters
    }
}
