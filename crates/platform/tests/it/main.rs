//! Tests of the platform through its public interface, one module for each part.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod audit;
mod audit_tampering;
mod auth_canary;
mod auth_life;
mod auth_routes;
mod auth_routes_guessing;
mod auth_routes_input;
mod authorization;
mod captured_log;
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
mod ops_audit;
mod ops_key_checks;
mod ops_keys;
mod ops_limits;
mod ops_matrix;
mod ops_requests;
mod ops_world;
mod platform_world;
mod secrets;
mod shared_store;
mod ssrf;
mod webhook_routes;
mod webhook_world;
mod webhooks;
