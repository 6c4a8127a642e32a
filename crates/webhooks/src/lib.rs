//! How do events reach others? Endpoints that accounts register, signatures, a queue that is the table
//! itself, workers that deliver, and what protects both sides: leases, throttles, circuit breakers, and
//! a client that reaches public addresses only.
//!
//! Not here: which events there are (services say), and how people are told (a [`Owner`] is given).

mod addresses;
mod attempt;
mod client;
mod dispatch;
mod endpoint_input;
mod endpoints;
pub mod events;
mod health;
mod messages;
mod owner;
mod policy;
mod publish;
mod records;
mod recovery;
mod roster;
mod schedule;
mod secret;
mod settings;
mod subscription;
mod trouble;
mod verdict;
mod worker;

pub use client::{Client, Outgoing, Posting, Reply, Resolve, Resolving, Sender, SystemResolver};
pub use endpoint_input::{EndpointPatch, GivenSecret, NewEndpoint, SecretChoice};
pub use endpoints::{Created, EndpointView, Endpoints, Planned};
pub use messages::{EventView, Messages};
pub use owner::{Afterwards, Notice, NoticeKind, Owner, Preparing, Telling};
pub use policy::{Policy, Ports, Refusal, Target};
pub use records::{Attempt, Delivery, Health};
pub use recovery::{Missing, Replayed};
pub use roster::ENDPOINTS_MAX;
pub use schedule::Schedule;
pub use secret::{Secret, SecretKind, public_key, sign};
pub use settings::Settings;
pub use subscription::matches;
pub use verdict::{Verdict, judge};
pub use worker::{Parts, Worker};

/// Parts of the status index (C3-10).
pub(crate) const SHARDS: i64 = 10;

/// The part of the status index that an event and its deliveries are in.
pub(crate) fn shard_of(event_id: &str) -> i64 {
    let add = |sum: u32, byte: u8| sum.wrapping_mul(31).wrapping_add(u32::from(byte));
    i64::from(event_id.bytes().fold(0, add)) % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of some million events one was answered with 500: its sum had no room for the next byte.
    #[test]
    fn every_event_has_a_part() {
        assert!((0..SHARDS).contains(&shard_of("evt_01M7MSZZ32KFQ84WERMEM397CY")));
    }
}
