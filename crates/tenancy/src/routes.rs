//! The service over HTTP, at `/v1.0`.

mod answers;
mod hierarchy;
mod inputs;
mod invitations;
mod lifecycle;
mod resources;
mod tenants;
mod users;

use web::{Api, KeyDemand, ShellBuilder};

use crate::{ApiKeys, Tenancy};

/// Where the service is; `/v1.0/tenants` without a prefix is this document's (CX-01).
const MOUNT: &str = "/v1.0";

impl Tenancy {
    /// Mounts its routes.
    pub fn mount(&self, shell: ShellBuilder) -> ShellBuilder {
        let keys = match self.settings().api_keys {
            ApiKeys::Required => KeyDemand::Both,
            ApiKeys::Optional => KeyDemand::Checked,
        };
        let api = Api::new("tenant-management", self.clone()).keys(keys);
        let api = tenants::routes(api);
        let api = lifecycle::routes(api);
        let api = users::routes(api);
        let api = hierarchy::routes(api);
        let api = invitations::routes(api);
        shell.mount(MOUNT, &resources::routes(api))
    }
}
