//! Which reads and writes do the table documents name? A type for each table, with a function for
//! each access pattern and each kind of item: what no document names cannot be written down.
//!
//! Generated from `tables`: do not edit, `ACCEPT=1 cargo nextest run -p tables` writes it anew.
//!
//! Not here: how a read or write is carried out, which is `store`, and what services do with it.

pub mod listbackup;
pub mod platform;
pub mod popcorn;
pub mod storefront;
pub mod tenancy;
