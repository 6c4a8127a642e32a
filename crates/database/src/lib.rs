//! Where do items live? Tables, indexes, transactions, streams and expiry over a narrow storage
//! seam. No HTTP, no JSON text.
//!
//! Start at [`Database`]; every DynamoDB operation is one of its methods, in a file of its own under
//! [`operations`]. How a write becomes durable: [`commit`]. What lies where: [`keys`] and [`log`].

mod arn;
pub mod background;
mod capacity;
mod catalog;
pub mod clock;
mod collections;
pub mod commit;
mod conflicts;
mod counters;
mod database;
mod definition_checks;
mod disk;
mod error;
mod expression_parameters;
mod index_entries;
mod item_checks;
pub mod keys;
mod lifecycle;
pub mod log;
mod mark;
mod notice;
pub mod open;
pub mod operations;
pub mod options;
mod partiql;
mod read;
mod scratch;
pub mod shapes;
mod stamps;
pub mod storage;
mod stored;
mod stream_switch;
mod streams;
mod table_description;
mod text;
mod throughput_change;
mod tokens;
mod write;

pub use database::Database;
pub use error::{CancellationCode, CancellationReason, Error};
pub use log::LogHead;
pub use open::OpenError;
pub use options::Options;
pub use read::ItemForm;
pub use stamps::Stamp;
pub use storage::Durability;
