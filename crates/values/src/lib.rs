//! What is an attribute value, an item, a key, a number of 38 digits, a size, a limit?
//!
//! This crate answers that and nothing else: no IO, no async, no HTTP. Everything above it speaks
//! in these types.
//!
//! - [`AttributeValue`] and [`Item`]: the ten DynamoDB types.
//! - [`Number`]: exact decimals of 38 significant digits, always normalised.
//! - [`size`]: what an item weighs, to the byte.
//! - [`validate`]: the checks every stored value passes.
//! - [`key`]: memory-comparable encoding of key values.
//! - [`codec`]: the compact binary form in which items are stored.
//! - [`json`]: DynamoDB JSON, both ways.
//! - [`name_order`]: the order of attribute names.
//! - [`limits`]: every limit of the service, with its source.

mod attribute;
pub mod codec;
mod error;
pub mod hexadecimal;
mod item;
pub mod json;
pub mod key;
pub mod limits;
pub mod name_order;
mod number;
pub mod size;
pub mod validate;

pub use attribute::{AttributeType, AttributeValue};
pub use error::ValueError;
pub use item::{Item, Name};
pub use number::Number;
