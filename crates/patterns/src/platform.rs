//! What every service needs: API keys, idempotency, webhooks, audit and rate limits.
//!
//! Generated from `tables/platform`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes it
//! anew.

pub mod api_keys;
pub mod audit_logs;
pub mod idempotency_keys;
pub mod rate_limits;
pub mod webhook_events;

pub use api_keys::ApiKeys;
pub use audit_logs::AuditLogs;
pub use idempotency_keys::IdempotencyKeys;
pub use rate_limits::RateLimits;
pub use webhook_events::WebhookEvents;
