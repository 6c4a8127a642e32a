//! Which program is calling? API keys: made, shown once, verified by one read, rotated and revoked.
//!
//! A key is looked up by its hash in one strongly consistent read, and nothing of the answer is
//! remembered: a revoked key fails on the very next request, on every instance.
//!
//! Not here: who may make keys, and how changes, audit and events are committed: a change comes as
//! data, for one transaction.

mod change;
mod grant;
mod key;
mod service;
mod text;
mod usage;
mod verify;

pub use change::{Changed, Made};
pub use grant::must_have;
pub use key::{Edit, Environment, Key, KeyLimit, NewKey};
pub use service::{Keys, ROTATION_GRACE_MAX};
pub use text::is_well_formed;
pub use verify::{Demand, Outcome, Verified};
