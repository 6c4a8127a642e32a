//! Items and Rust types, by serde.
//!
//! A struct becomes an item, `None` becomes no attribute. Serde has no words for DynamoDB's exact
//! numbers and sets: [`number`], [`string_set`], [`number_set`] and [`binary_set`] are for
//! `#[serde(with = "…")]`.
//!
//! Written here and not taken from `serde_dynamo`, because that goes through binary floating point for
//! a number with a fraction, and through a second copy of every item.

mod deserialize;
mod error;
mod serialize;
mod special;

use serde::Serialize;
use serde::de::DeserializeOwned;
use values::{AttributeValue, Item};

use crate::error::Error;
pub use special::{binary_set, number, number_set, string_set};

/// What the store can write and read: every type that serde knows, and [`Raw`].
pub trait Record: Sized {
    /// The item for it.
    fn to_item(&self) -> Result<Item, Error>;

    /// It, from an item.
    fn from_item(item: Item) -> Result<Self, Error>;
}

/// What can be stored: a record, or an item that is given away and so need not be copied.
pub trait IntoItem {
    /// The item for it.
    fn into_item(self) -> Result<Item, Error>;
}

impl<T: Record> IntoItem for &T {
    fn into_item(self) -> Result<Item, Error> {
        self.to_item()
    }
}

impl IntoItem for Raw {
    fn into_item(self) -> Result<Item, Error> {
        Ok(self.0)
    }
}

/// An item as it is, without a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raw(pub Item);

impl Record for Raw {
    fn to_item(&self) -> Result<Item, Error> {
        Ok(self.0.clone())
    }

    fn from_item(item: Item) -> Result<Self, Error> {
        Ok(Raw(item))
    }
}

impl<T: Serialize + DeserializeOwned> Record for T {
    fn to_item(&self) -> Result<Item, Error> {
        match self.serialize(serialize::ToValue) {
            Ok(AttributeValue::M(mut item)) => {
                // Absent and nothing are the same; an index key cannot be NULL.
                item.retain(|_, value| *value != AttributeValue::Null);
                Ok(item)
            }
            Ok(other) => Err(Error::NotTyped(format!(
                "an item is a struct or a map, and this is {}",
                other.attribute_type()
            ))),
            Err(error) => Err(Error::NotTyped(error.to_string())),
        }
    }

    fn from_item(item: Item) -> Result<Self, Error> {
        T::deserialize(deserialize::FromValue(AttributeValue::M(item)))
            .map_err(|error| Error::NotTyped(error.to_string()))
    }
}
