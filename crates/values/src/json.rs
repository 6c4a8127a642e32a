//! DynamoDB JSON, both ways.
//!
//! Reading keeps two kinds of failure apart, because the service does (rules 2 and 4). JSON of the
//! wrong shape, `{"N": 123}`, is a `SerializationException` and is reported before anything else in
//! the same document; a value the service cannot hold, `{"N": "dog"}`, is a `ValidationException`.
//!
//! Reading does not refuse empty sets, empty names or deep nesting within reason: those are for
//! [`crate::validate`], which runs later in a request.

use serde_json::Value;

use crate::codec::CodecError;
use crate::{AttributeValue, Item, ValueError};

mod read;
mod shape;
mod stored;
mod tree;
mod write;

pub use tree::{Members, Node};

/// Why JSON is not an attribute value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// The JSON does not have the shape of an attribute value: `SerializationException`.
    Shape(String),
    /// The shape is right, the value is not: `ValidationException`.
    Value(ValueError),
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JsonError::Shape(message) => f.write_str(message),
            JsonError::Value(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for JsonError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            JsonError::Shape(_) => None,
            JsonError::Value(error) => Some(error),
        }
    }
}

/// Reads one attribute value.
pub fn value_from_json(json: &Node) -> Result<AttributeValue, JsonError> {
    read::value(json).or_else(|error| {
        check_value_shape(json)?;
        Err(error)
    })
}

/// Reads a map of attribute values.
pub fn item_from_json(json: &Node) -> Result<Item, JsonError> {
    read::item(json).or_else(|error| {
        check_item_shape(json)?;
        Err(error)
    })
}

/// Whether JSON has the shape of an attribute value; the error is a [`JsonError::Shape`].
///
/// [`value_from_json`] checks this too. On its own it serves a request that carries several values,
/// all of whose shapes come before any of their contents.
pub fn check_value_shape(json: &Node) -> Result<(), JsonError> {
    shape::value(json)
}

/// Whether JSON has the shape of a map of attribute values; the error is a [`JsonError::Shape`].
pub fn check_item_shape(json: &Node) -> Result<(), JsonError> {
    shape::item(json)
}

/// Writes one attribute value.
pub fn value_to_json(value: &AttributeValue) -> Value {
    write::value_to_json(value)
}

/// Writes a map of attribute values.
pub fn item_to_json(item: &Item) -> Value {
    write::item_to_json(item)
}

/// Appends one attribute value as JSON text. The same JSON as [`value_to_json`], without building
/// it.
pub fn write_value(value: &AttributeValue, out: &mut Vec<u8>) {
    write::value(value, out);
}

/// Appends a map of attribute values as JSON text. The same JSON as [`item_to_json`], without
/// building it.
pub fn write_item(item: &Item, out: &mut Vec<u8>) {
    write::item(item, out);
}

/// Appends a stored item, as [`crate::codec`] has it, as JSON text, and gives its size. The same as
/// decoding it, writing it and measuring it, without the item in between. On an error `out` holds a
/// part of it.
pub fn write_stored_item(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, CodecError> {
    stored::item(bytes, out)
}

/// Appends a JSON string: quoted and escaped.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    write::string(text, out);
}

/// Levels of nesting that are read. A value of up to so many is refused in its proper place by
/// [`crate::validate`]; the service refuses a deeper one while it reads the request, in words that
/// differ a little: a value in 63 lists or maps is the first (DX, October 2026; rule 9).
const LEVELS_MAX: usize = 63;

#[cfg(test)]
mod tests;
