//! Tests of the platform through its public interface, one module for each part.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod keys;
mod limits;
mod secrets;
mod shared_store;
