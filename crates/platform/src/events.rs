//! How do others hear of changes?

mod event;

pub use event::{BusName, Event};
