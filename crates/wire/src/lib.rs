//! How does an AWS SDK talk to the database?
//!
//! [`json`] turns the body of a DynamoDB request into the typed request of its operation, and the
//! typed answer or error into the body that DynamoDB would send. [`WireError`] is that error body.
//!
//! Not here: what an operation does (`database`), what an attribute value is (`values`).

mod error;
pub mod json;

pub use error::{ErrorKind, WireError};
