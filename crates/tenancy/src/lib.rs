//! Who are the tenants? Organisations with a lifecycle, a hierarchy, users and invitations, as
//! document 002 describes them, at `/v1.0`.
//!
//! ```text
//! routes      HTTP: paths, bodies, answers, links
//! tenants     create, list, change      lifecycle   moves between states, call-backs, deletion
//! users       who is assigned           hierarchy   divisions, groups, teams and their members
//! invitations by mail                   resources   what a tenant uses
//! standing    what a caller is to a tenant: assignments decide
//! happening   one transaction: writes, history, audit, outgoing events
//! again       what to do when somebody else was quicker
//! names       which characters a name has, and when two are one
//! ```
//!
//! Every change is one transaction. Not here: provisioning itself (R002-1.1-2), which listens to the
//! events of this service and calls back.

mod again;
mod errors;
mod happening;
mod hierarchy;
mod history;
mod invitations;
mod lifecycle;
mod members;
mod metrics;
mod names;
mod permissions;
mod records;
mod resources;
mod routes;
mod settings;
mod standing;
mod status;
mod tenants;
mod users;

use std::sync::Arc;

pub use errors::CODES;
use kernel::metrics::Metrics;
use metrics::Counters;
pub use permissions::TENANCY;
use platform::Platform;
pub use settings::{ApiKeys, Settings};
pub use status::{MOVES, Move, Status, Way};
use store::TableHandle;
use web::ShellBuilder;

/// The table of document 002.
const TABLE: &str = "tenancy/bbws-tenants";

/// The service. Cloning is cheap.
#[derive(Clone)]
pub struct Tenancy {
    inner: Arc<Inner>,
}

struct Inner {
    platform: Platform,
    settings: Settings,
    counters: Counters,
}

impl Tenancy {
    /// The service on a platform. What it counts is shown with these metrics.
    pub fn new(platform: Platform, settings: Settings, metrics: &Metrics) -> Tenancy {
        let counters = Counters::new(metrics, settings.environment);
        Tenancy { inner: Arc::new(Inner { platform, settings, counters }) }
    }

    /// Mounts its routes.
    pub fn mount(&self, shell: ShellBuilder) -> ShellBuilder {
        routes::mount(shell, self)
    }

    fn platform(&self) -> &Platform {
        &self.inner.platform
    }

    fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    fn counters(&self) -> &Counters {
        &self.inner.counters
    }

    fn table(&self) -> Result<TableHandle, kernel::Error> {
        Ok(self.platform().store().table(TABLE)?)
    }
}
