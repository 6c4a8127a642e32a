//! What concurrent clients saw, and whether one order of everything explains it.

pub mod append;
#[cfg(test)]
mod append_tests;
pub mod cycles;
pub mod linearizability;
#[cfg(test)]
mod linearizability_tests;
pub mod register;
