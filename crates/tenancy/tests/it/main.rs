//! The tenant-management API, through its routes, on a whole platform in memory. Each test names the
//! requirements that it proves; `requirements` shows that none is missing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod access;
mod answers;
mod events;
mod hierarchy;
mod invitations;
mod lifecycle;
mod races;
mod requirements;
mod resources;
mod tenants;
mod users;
mod world;
