//! What do all services speak of? Errors with a code, moments, identifiers, callers and what they may
//! do, the clock, and metrics.
//!
//! Not here: HTTP, storage of any kind, and anything that only one part of Plinth knows.

pub mod caller;
pub mod error;
pub mod free_object;
pub mod ids;
pub mod json_text;
pub mod links;
pub mod metrics;
pub mod moment;
pub mod page;
pub mod permissions;
pub mod recent;
pub mod strict_json;
pub mod version;

pub use caller::{Accompanying, Caller, Identity, Role};
pub use error::{Code, Error};
pub use ids::Ids;
pub use links::LinkBase;
pub use moment::Moment;
pub use page::PageRequest;
pub use store::clock;
pub use version::ExpectedVersion;

/// The account of what belongs to no other: of the platform itself.
pub const PLATFORM: &str = "platform";
