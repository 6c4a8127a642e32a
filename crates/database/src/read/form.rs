//! In which form a reader wants items: decoded, or made straight from what is stored.

use bytes::Bytes;
use values::codec::{self, CodecError};
use values::{Item, size};

use crate::Error;
use crate::stored::damaged;

/// A form of items that reads can give: [`Item`], or one that the caller makes from stored bytes
/// without decoding them.
pub trait ItemForm: Sized + Send {
    /// From stored bytes, with the item's size. Everything that decoding checks must be checked.
    fn from_stored(bytes: &[u8]) -> Result<(Self, usize), CodecError>;

    /// From an item that had to be decoded: for a filter or a projection.
    fn from_item(item: Item) -> Self;
}

impl ItemForm for Item {
    fn from_stored(bytes: &[u8]) -> Result<(Item, usize), CodecError> {
        let item = codec::decode_item(bytes)?;
        let size = size::item_size(&item);
        Ok((item, size))
    }

    fn from_item(item: Item) -> Item {
        item
    }
}

/// An item in some form, with its size.
pub fn formed<F: ItemForm>(bytes: &Bytes) -> Result<(F, usize), Error> {
    F::from_stored(bytes).map_err(|_| damaged())
}
