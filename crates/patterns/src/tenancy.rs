//! Tenant management: organisations with users, hierarchy, invitations and a life cycle.
//!
//! Generated from `tables/tenancy`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes it
//! anew.

pub mod bbws_tenants;

pub use bbws_tenants::BbwsTenants;
