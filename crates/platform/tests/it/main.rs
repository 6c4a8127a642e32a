//! The platform's parts on a store: one module for each part, one binary for all.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod events;
mod ssrf;
mod webhook_world;
mod webhooks;
