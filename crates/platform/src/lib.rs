//! What does every service stand on? [`Platform`]: identity, keys, limits, audit, changes, events and
//! secrets over one store, and the routes below `/auth` and `/ops`.
//!
//! Not here: the parts themselves, which are crates of their own, and anything that only one service
//! knows.

pub mod permissions;
mod platform;
pub mod routes;

pub use platform::{Commits, Parts, Platform, Workers};
