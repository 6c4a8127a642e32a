//! How does an AWS SDK talk to the database?
//!
//! [`json`] turns the body of a DynamoDB request into the typed request of its operation, and the
//! typed answer or error into the body that DynamoDB would send. [`WireError`] is that error body.
//!
//! [`http`] is the server around it: connections, limits, answers. [`sigv4`] finds out who is calling,
//! [`access_keys`] holds what they sign with, [`Operation`] names all that can be asked for.
//!
//! Not here: what an operation does (`database`), what an attribute value is (`values`).

pub mod access_keys;
mod error;
pub mod http;
pub mod json;
mod operation;
pub mod sigv4;

pub use error::{ErrorKind, WireError};
pub use operation::Operation;
