//! What concurrent clients saw, and whether one order of everything explains it.
//!
//! Two checkers that know nothing of the database, [`linearizability`] and [`append`], and three
//! workloads that feed them.

pub mod append;
#[cfg(test)]
mod append_tests;
mod command;
pub mod cycles;
mod drive_append;
mod drive_bank;
mod drive_register;
mod ground;
pub mod linearizability;
#[cfg(test)]
mod linearizability_tests;
pub mod register;

pub use command::{HistoriesArguments, run};
