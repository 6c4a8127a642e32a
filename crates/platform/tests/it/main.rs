//! Tests of the platform through its public interface, one module for each part.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod audit;
mod audit_tampering;
mod change;
mod change_world;
mod events;
mod http;
mod idempotency;
mod identity;
mod identity_issuers;
mod identity_jwt;
mod identity_sessions;
mod identity_users;
mod keys;
mod limits;
mod platform_world;
mod secrets;
mod shared_store;
mod ssrf;
mod webhook_routes;
mod webhook_world;
mod webhooks;
