//! Which tables exist? Reads the table documents, checks them, and knows each table: keys, kinds of
//! item, attributes, indexes, settings, and every way in which services use it.
//!
//! [`Documents`] is the way in: from the binary or from a folder, or every [`Problem`] at once.
//!
//! Not here: what services do with the tables, and how Amazon DynamoDB is reached (`amazon`).

mod apply;
mod backups;
mod check;
pub mod cloudformation;
pub mod cost;
pub mod document;
mod documents;
mod embedded;
mod embedded_target;
mod located;
pub mod markdown;
pub mod mermaid;
mod output;
pub mod pattern;
pub mod plan;
mod problem;
pub mod request;
pub mod rust;
mod schema;
pub mod seed;
pub mod state;
mod target;
pub mod terraform;
mod text_pattern;
mod validate;

pub use apply::{ApplyError, apply};
pub use document::{Environment, System, Table};
pub use documents::Documents;
pub use embedded_target::EmbeddedTarget;
pub use output::OutputFile;
pub use plan::Plan;
pub use problem::{Problem, Severity};
pub use target::{Target, TargetError};
pub use validate::ItemProblem;
