//! Who did what, when and from where?

mod entry;

pub use entry::{Entry, Outcome};
