//! The documents inside the binary, so that it runs without the folder.

/// The schema of table documents.
pub const TABLE_SCHEMA: &str = include_str!("../../../tables/schema.json");
/// The schema of system documents.
pub const SYSTEM_SCHEMA: &str = include_str!("../../../tables/system.schema.json");

macro_rules! documents {
    ($($path:literal)*) => {
        /// Every document by its path under `tables/`. A test compares the list with the folder.
        pub const DOCUMENTS: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../../tables/", $path)))),*];
    };
}

documents! {
    "listbackup/accounts.json"
    "listbackup/activities.json"
    "listbackup/connections.json"
    "listbackup/jobs.json"
    "listbackup/notifications.json"
    "listbackup/oauth-states.json"
    "listbackup/oauth-tokens.json"
    "listbackup/refresh-tokens.json"
    "listbackup/sources.json"
    "listbackup/system.json"
    "listbackup/tags.json"
    "listbackup/teams.json"
    "listbackup/users-accounts.json"
    "listbackup/users.json"
    "platform/api_keys.json"
    "platform/audit_logs.json"
    "platform/idempotency_keys.json"
    "platform/rate_limits.json"
    "platform/system.json"
    "platform/webhook_events.json"
    "popcorn/accounts.json"
    "popcorn/campaigns.json"
    "popcorn/catalogs.json"
    "popcorn/invites.json"
    "popcorn/orders.json"
    "popcorn/profiles.json"
    "popcorn/shared_campaigns.json"
    "popcorn/shares.json"
    "popcorn/system.json"
    "storefront/campaigns.json"
    "storefront/products.json"
    "storefront/system.json"
    "storefront/tenants.json"
    "tenancy/bbws-tenants.json"
    "tenancy/system.json"
}
