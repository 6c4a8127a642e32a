//! How is Amazon DynamoDB reached? Credentials, region and endpoint come from the usual chain of the
//! AWS SDK for Rust; [`Amazon`] is then a target for tables and a back end of the store, as the
//! embedded database is. [`EventBus`] and [`Topic`] are publishers of the platform's events, and
//! [`Kms`] is a master key of its secrets.
//!
//! Not here: which tables exist (`tables`), and what DynamoDB does (it is at the other end).

mod actions;
mod answer;
mod backend;
mod connection;
mod failure;
mod items;
mod kms;
mod members;
mod publish;
mod refusal;
mod target;
mod values;

pub use aws_sdk_dynamodb::config::Credentials;
pub use connection::{Amazon, Connection};
pub use kms::Kms;
pub use publish::{EventBus, Topic};
