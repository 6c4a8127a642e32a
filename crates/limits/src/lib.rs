//! How much may somebody ask? Policies as data, counted in a store that all instances share.
//!
//! A sliding window never admits more than its limit in any stretch of its length, whichever instances
//! are asked; what it costs is stated at [`Algorithm::SlidingWindow`]. A burst rule admits a burst at
//! once and then a steady rate. The fast mode trades a stated overshoot for fewer writes.
//!
//! Not here: which header a refusal is sent in, and what a route costs.

mod burst;
mod counter;
mod decision;
mod headers;
mod known;
mod limiter;
mod policies;
mod policy;
mod subject;
mod turn;
mod window;

pub use decision::{Decision, Verdict};
pub use headers::RateLimitHeaders;
pub use limiter::{Inspection, Limiter, WouldRefuse};
pub use policies::{BadPolicies, Policies};
pub use policy::{Algorithm, By, Mode, OnFailure, Override, Policy};
pub use subject::{Asked, subject_of};

/// The name of the policy that an API key brings with it.
pub const OWN_POLICY: &str = "api-key";
