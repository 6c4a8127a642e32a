//! How are secrets kept at rest?

mod seal;

pub use seal::{Seal, Sealing};
