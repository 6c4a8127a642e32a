//! What is stored and what is asked: the same for every engine, and repeatable from a seed.

mod dataset;
mod operation;

pub use dataset::{Dataset, Field, HISTORY, INDEXES, ORDERS, Record};
pub use operation::{Operation, Picker, QUERY_ITEMS, Step};
