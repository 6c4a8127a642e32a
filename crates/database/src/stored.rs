//! Items and records as they are stored. Stored bytes are input: what cannot be read is damage, and
//! damage is an error with a name.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use values::{AttributeValue, Item, codec, size};

use crate::{Error, scratch};

/// What a reader is told when stored bytes are not what was written.
const DAMAGED: &str = "The database is damaged: stored bytes cannot be read. Stop the server, check \
                       the disk, and restore from a backup";

/// The error for stored bytes that are not what was written.
pub fn damaged() -> Error {
    Error::Stopped(DAMAGED.to_owned())
}

/// Reads an item.
pub fn item(bytes: &[u8]) -> Result<Item, Error> {
    codec::decode_item(bytes).map_err(|_| damaged())
}

/// Reads one attribute of an item that has been read before.
pub fn attribute(bytes: &[u8], name: &str) -> Result<Option<AttributeValue>, Error> {
    codec::decode_attribute(bytes, name).map_err(|_| damaged())
}

/// An item that shall be stored: itself, its encoding, and what it weighs.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// Itself.
    pub item: Arc<Item>,
    /// Its encoding.
    pub bytes: Bytes,
    /// Its bytes as the service counts them.
    pub size: usize,
}

impl NewItem {
    /// An item that weighs as much as was found before.
    pub fn of_size(item: Arc<Item>, size: usize) -> NewItem {
        let bytes = encode(&item);
        NewItem { item, bytes, size }
    }
}

impl From<Arc<Item>> for NewItem {
    fn from(item: Arc<Item>) -> NewItem {
        let size = size::item_size(&item);
        NewItem::of_size(item, size)
    }
}

/// Writes an item.
pub fn encode(item: &Item) -> Bytes {
    scratch::bytes(|bytes| codec::encode_item(item, bytes))
}

/// Writes an item of these attributes, which are in the order of their names.
pub fn encode_attributes(attributes: &[(&str, &AttributeValue)]) -> Bytes {
    scratch::bytes(|bytes| codec::encode_attributes(attributes.iter().copied(), bytes))
}

/// Reads a definition or another small record.
pub fn record<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    rmp_serde::from_slice(bytes).map_err(|_| damaged())
}

/// Writes a definition or another small record: MessagePack with field names, so that a later format
/// can add fields.
pub fn encode_record<T: Serialize>(record: &T) -> Bytes {
    // Our own types hold nothing that MessagePack cannot express; an empty record is refused when
    // it is read.
    rmp_serde::to_vec_named(record).unwrap_or_default().into()
}
