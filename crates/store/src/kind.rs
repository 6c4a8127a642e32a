//! Writes of whole items of one kind.

use values::AttributeValue;

use crate::backend::Change;
use crate::error::Error;
use crate::table::{Key, TableHandle};
use crate::typed::IntoItem;
use crate::write::Write;

/// The attribute that counts an item's versions.
pub(crate) const VERSION: &str = "version";

/// A kind of item of a table.
#[derive(Clone, Copy)]
pub struct Kind<'t> {
    pub(crate) table: &'t TableHandle,
    /// Where the document has it.
    at: usize,
}

impl<'t> Kind<'t> {
    /// The kind in this place of the table's document. For generated functions; by name it is
    /// [`TableHandle::kind`].
    pub fn new(table: &'t TableHandle, at: usize) -> Kind<'t> {
        Kind { table, at }
    }

    /// The key of such an item, for a read that sees every write before it.
    pub fn key_of(&self, record: impl IntoItem) -> Result<Key, Error> {
        let prepared = self.table.prepared();
        let key = prepared.key_of(&prepared.item(self.at, record)?);
        Ok(Key { table: self.table.clone(), key, consistent: true })
    }

    /// Stores a new item. It must not exist.
    pub fn create(&self, record: impl IntoItem) -> Result<Write, Error> {
        let key = [("#key", self.table.partition_key())];
        Ok(self.put(record)?.also("attribute_not_exists(#key)", key, []))
    }

    /// Stores an item in place of the one that is there. It must exist.
    pub fn replace(&self, record: impl IntoItem) -> Result<Write, Error> {
        let key = [("#key", self.table.partition_key())];
        Ok(self.put(record)?.also("attribute_exists(#key)", key, []))
    }

    /// Stores an item in place of the one that is there and has the record's `version`; the stored
    /// one has the next.
    pub fn replace_version(&self, record: impl IntoItem) -> Result<Write, Error> {
        let mut item = self.table.prepared().item(self.at, record)?;
        let Some(AttributeValue::N(version)) = item.get(VERSION).cloned() else {
            let message = "a record without a version cannot be replaced by version".to_owned();
            return Err(Error::BadParameter { name: VERSION.to_owned(), message });
        };
        let next = version.checked_add(&1_i64.into());
        let next = next.map_err(|error| Error::BadParameter {
            name: VERSION.to_owned(),
            message: error.to_string(),
        })?;
        item.insert(VERSION, next.into());
        Ok(self.table.write(Change::Put(item.into())).also(
            "attribute_exists(#key) AND #version = :version",
            [("#key", self.table.partition_key()), ("#version", VERSION)],
            [(":version", version.into())],
        ))
    }

    /// Stores an item, whatever was there.
    pub fn put(&self, record: impl IntoItem) -> Result<Write, Error> {
        let item = self.table.prepared().item(self.at, record)?;
        Ok(self.table.write(Change::Put(item.into())))
    }

    /// Removes the item of a record. It must exist.
    pub fn delete(&self, record: impl IntoItem) -> Result<Write, Error> {
        Ok(self.key_of(record)?.delete())
    }
}
