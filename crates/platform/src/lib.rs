//! What does every service need? Who is calling, what they may do, keys, idempotency, rate limits,
//! audit, events and webhooks, secrets, mail, errors, pages and links.
//!
//! Not here: anything that only one service knows, and how items are stored.

pub mod answer;
pub mod audit;
pub mod caller;
pub mod change;
pub mod error;
pub mod events;
pub mod free_object;
pub mod http;
pub mod idempotency;
pub mod identity;
pub mod ids;
mod json_text;
pub mod keys;
pub mod limits;
pub mod mail;
pub mod moment;
pub mod permissions;
mod platform;
mod recent;
pub mod routes;
pub mod secrets;
mod strict_json;
pub mod webhooks;

pub use caller::{Accompanying, Caller, Identity, Role};
pub use error::{Code, Error};
pub use ids::Ids;
pub use moment::Moment;
pub use platform::{Commits, Parts, Platform, Workers};
