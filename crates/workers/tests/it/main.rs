//! Workers on an embedded store in memory, with a clock that is moved by hand.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod leases;
mod sharing;
mod steps;
mod world;
