//! Which tables exist? Reads the table documents, checks them, and knows each table: keys, kinds of
//! item, attributes, indexes, settings, and every way in which services use it.
//!
//! [`Documents`] is the way in: from the binary or from a folder, or every [`Problem`] at once.
//!
//! Not here: what services do with the tables, and how Amazon DynamoDB is reached (`amazon`).

mod check;
pub mod document;
mod documents;
mod embedded;
mod located;
pub mod pattern;
mod problem;
mod schema;

pub use document::{Environment, System, Table};
pub use documents::Documents;
pub use problem::{Problem, Severity};
