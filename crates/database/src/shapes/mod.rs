//! The shapes that several operations share. Names and meanings are those of the DynamoDB API
//! reference; requests and answers of one operation stand in its own file under `operations`.
#![expect(missing_docs, reason = "the fields are DynamoDB's own, described in its API reference")]

pub mod capacity;
pub mod common;
pub mod table;

pub use capacity::{Capacity, ConsumedCapacity, ItemCollectionMetrics};
pub use common::*;
pub use table::*;
