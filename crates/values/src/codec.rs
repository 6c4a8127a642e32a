//! The compact binary form in which items are stored. Drawn in `docs/format.md`.
//!
//! | part | bytes |
//! |---|---|
//! | item | count, then for each attribute in ascending order of names: name, value |
//! | name | length, UTF-8 |
//! | value | one tag byte, then the content of the tag |
//! | count, length | unsigned LEB128 in its shortest form |
//!
//! | tag | type | content |
//! |---|---|---|
//! | `01` | S | length, UTF-8 |
//! | `02` | N | number |
//! | `03` | B | length, bytes |
//! | `04` | BOOL false | nothing |
//! | `05` | BOOL true | nothing |
//! | `06` | NULL | nothing |
//! | `07` | M | as an item |
//! | `08` | L | count, values |
//! | `09` | SS | count, for each member in ascending order: length, UTF-8 |
//! | `0A` | NS | count, for each member in ascending order: number |
//! | `0B` | BS | count, for each member in ascending order: length, bytes |
//! | `00`, `0C` to `7F` | | reserved |
//! | `80` to `FF` | | reserved for values that are sealed |
//!
//! | number | bytes |
//! |---|---|
//! | scale | LEB128 of `2 * zigzag(exponent) + (1 if negative)`, where zigzag(e) is `2e` or `-2e - 1` |
//! | coefficient | LEB128 of up to 127 bits, without trailing decimal zeros |
//!
//! So `42` is `02 00 2A`. Every item has exactly one encoding, and decoding accepts nothing else:
//! order, uniqueness, shortest lengths, UTF-8, the limits of numbers and of nesting, and the end of
//! the bytes are all checked. Stored bytes are input: reading them never panics, and never allocates
//! more than a small multiple of what was read.

use std::fmt;

use crate::{AttributeValue, Item};

pub(crate) mod reader;
mod writer;

/// Levels of nesting that decoding follows. Twice what the service accepts, so that the limit of the
/// format is not the one a request meets.
pub const DECODED_LEVELS_MAX: usize = 2 * crate::limits::NESTING_LEVELS_MAX;

/// Stored bytes that are not an item: damage, or a newer format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecError {
    /// Where in the bytes reading stopped.
    pub offset: usize,
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stored bytes are not an item: stopped at byte {}", self.offset)
    }
}

impl std::error::Error for CodecError {}

/// Appends the encoding of an item.
pub fn encode_item(item: &Item, out: &mut Vec<u8>) {
    writer::item(item, out);
}

/// Appends the encoding of an item that has these attributes. They come in the order of their names,
/// each name once, or what is appended is no encoding.
pub fn encode_attributes<'a>(
    attributes: impl ExactSizeIterator<Item = (&'a str, &'a AttributeValue)>,
    out: &mut Vec<u8>,
) {
    writer::attributes(attributes, out);
}

/// Appends the encoding of one value.
pub fn encode_value(value: &AttributeValue, out: &mut Vec<u8>) {
    writer::value(value, out);
}

/// Reads one item that fills `bytes` completely.
pub fn decode_item(bytes: &[u8]) -> Result<Item, CodecError> {
    let mut reader = reader::Reader::new(bytes);
    let item = reader.item(DECODED_LEVELS_MAX)?;
    reader.finish()?;
    Ok(item)
}

/// Reads one value that fills `bytes` completely.
pub fn decode_value(bytes: &[u8]) -> Result<AttributeValue, CodecError> {
    let mut reader = reader::Reader::new(bytes);
    let value = reader.value(DECODED_LEVELS_MAX)?;
    reader.finish()?;
    Ok(value)
}

/// Finds one top-level attribute of an encoded item without decoding the others.
///
/// Attributes before it are stepped over, those after it are not looked at, so damage there goes
/// unnoticed; [`decode_item`] is what checks a whole item.
pub fn decode_attribute(bytes: &[u8], name: &str) -> Result<Option<AttributeValue>, CodecError> {
    let mut reader = reader::Reader::new(bytes);
    let count = reader.count()?;
    for _ in 0..count {
        let found = reader.bytes()?;
        match found.cmp(name.as_bytes()) {
            std::cmp::Ordering::Less => reader.skip_value(DECODED_LEVELS_MAX)?,
            std::cmp::Ordering::Equal => return reader.value(DECODED_LEVELS_MAX).map(Some),
            // Names ascend: it cannot come later.
            std::cmp::Ordering::Greater => return Ok(None),
        }
    }
    Ok(None)
}

/// The tag byte of each kind of value.
pub(crate) mod tag {
    pub(crate) const STRING: u8 = 0x01;
    pub(crate) const NUMBER: u8 = 0x02;
    pub(crate) const BINARY: u8 = 0x03;
    pub(crate) const FALSE: u8 = 0x04;
    pub(crate) const TRUE: u8 = 0x05;
    pub(crate) const NULL: u8 = 0x06;
    pub(crate) const MAP: u8 = 0x07;
    pub(crate) const LIST: u8 = 0x08;
    pub(crate) const STRING_SET: u8 = 0x09;
    pub(crate) const NUMBER_SET: u8 = 0x0A;
    pub(crate) const BINARY_SET: u8 = 0x0B;
}

#[cfg(test)]
mod tests;
