//! How is Amazon DynamoDB reached? Credentials, region and endpoint come from the usual chain of the
//! AWS SDK for Rust; [`Amazon`] is then a target for tables, as the embedded database is.
//!
//! Not here: which tables exist (`tables`), and what DynamoDB does (it is at the other end).

mod answer;
mod connection;
mod items;
mod members;
mod refusal;
mod target;

pub use connection::{Amazon, Connection};
