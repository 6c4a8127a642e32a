//! A table as services see it: its access patterns, and writes of whole items.

use tables::document::Table;
use values::Item;

use crate::access::Access;
use crate::backend::{Action, Change, Read};
use crate::error::Error;
use crate::key_condition::Compiled;
use crate::kind::Kind;
use crate::store::Store;
use crate::typed::IntoItem;
use crate::write::Write;

/// A table's document, made ready.
pub(crate) struct Prepared {
    pub document: Table,
    /// `system/table`.
    pub logical_name: String,
    /// Its name in the environment.
    pub name: String,
    /// Access patterns. There are few, so that looking through them takes less than hashing.
    pub patterns: Vec<Compiled>,
}

impl Prepared {
    pub fn new(document: Table, name: String) -> Prepared {
        let patterns = &document.access_patterns;
        let patterns = patterns.iter().map(|access| Compiled::new(&document, access)).collect();
        let logical_name = format!("{}/{}", document.system, document.table_name);
        Prepared { document, logical_name, name, patterns }
    }

    /// The primary key of an item.
    pub fn key_of(&self, item: &Item) -> Item {
        let names = self.document.key_names().into_iter();
        names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
    }

    /// Every problem of a stored item; `whole` unless an index holds only a part of it.
    pub fn check_read(&self, item: &Item, whole: bool) -> Result<(), Error> {
        let checked =
            if whole { self.document.validate(item) } else { self.document.validate_part(item) };
        checked.map(|_| ()).map_err(|problems| self.invalid(problems, true))
    }

    pub fn invalid(&self, problems: Vec<tables::ItemProblem>, stored: bool) -> Error {
        Error::Invalid { table: self.logical_name.clone(), stored, problems }
    }

    /// The item for a record, with the keys that its kind's patterns give, checked. The kind is the
    /// one in this place of the document.
    pub fn item(&self, kind: usize, record: impl IntoItem) -> Result<Item, Error> {
        let Some(kind) = self.document.item_types.get(kind) else {
            let table = &self.logical_name;
            let message = format!("{table} has no kind of item in the place {kind}");
            return Err(Error::NotInDocuments(message));
        };
        let mut item = record.into_item()?;
        for (key, pattern) in kind.patterns() {
            if !item.contains_key(key)
                && let Ok(value) = pattern.render(&item)
            {
                item.insert(key, value.into());
            }
        }
        let checked = self.document.validate(&item);
        let found = checked.map_err(|problems| self.invalid(problems, false))?;
        if std::ptr::eq(found, kind) {
            return Ok(item);
        }
        let (found, kind) = (&found.name, &kind.name);
        let message = format!("the key is one of the kind {found}, and not of {kind}");
        Err(Error::NotInDocuments(message))
    }
}

/// A primary key of a table, from an access pattern or an item.
#[derive(Clone)]
pub struct Key {
    pub(crate) table: TableHandle,
    pub(crate) key: Item,
    pub(crate) consistent: bool,
}

impl Key {
    /// Removes the item, which must exist.
    pub fn delete(&self) -> Write {
        let key = [("#key", self.table.partition_key())];
        self.remove().also("attribute_exists(#key)", key, [])
    }

    /// Removes the item if it is there. The only deletion for a batch.
    pub fn remove(&self) -> Write {
        self.table.write(Change::Delete { key: self.key.clone() })
    }

    pub(crate) fn read(&self) -> Read {
        self.clone().into_read()
    }

    pub(crate) fn into_read(self) -> Read {
        let Key { table, key, consistent } = self;
        Read { table_name: table.prepared().name.clone(), key, consistent }
    }
}

/// A table of the store. To clone it counts one reference more and no other: readers on several cores
/// would wait for each other at every count that they share.
#[derive(Clone)]
pub struct TableHandle {
    pub(crate) store: Store,
    /// Where the store has it.
    pub(crate) at: usize,
}

impl TableHandle {
    pub(crate) fn prepared(&self) -> &Prepared {
        self.store.prepared_at(self.at)
    }

    /// A table for generated functions: its document must be the one that they were made from.
    pub fn generated(store: &Store, name: &str, fingerprint: u64) -> Result<TableHandle, Error> {
        let table = store.table(name)?;
        if table.document().fingerprint() == fingerprint {
            return Ok(table);
        }
        let message = format!("the functions for {name} were made from another document of it");
        Err(Error::NotInDocuments(message))
    }

    /// One of the document's access patterns, by its id. For tools that know a pattern only from its
    /// document: services have a function for each, in the crate `patterns`.
    pub fn access(&self, id: &str) -> Result<Access, Error> {
        let mut patterns = self.prepared().patterns.iter();
        let at = patterns.position(|pattern| pattern.access.id == id).ok_or_else(|| {
            let table = &self.prepared().logical_name;
            Error::NotInDocuments(format!("{table} has no access pattern {id}"))
        })?;
        Ok(Access::empty(self.clone(), at))
    }

    /// The document.
    pub fn document(&self) -> &Table {
        &self.prepared().document
    }

    /// The table's name in the store's environment.
    pub fn name(&self) -> &str {
        &self.prepared().name
    }

    /// A kind of item, by its name.
    pub fn kind(&self, name: &str) -> Result<Kind<'_>, Error> {
        let mut kinds = self.document().item_types.iter();
        let at = kinds.position(|kind| kind.name == name).ok_or_else(|| {
            let table = &self.prepared().logical_name;
            Error::NotInDocuments(format!("{table} has no items of the kind {name}"))
        })?;
        Ok(Kind::new(self, at))
    }

    pub(crate) fn partition_key(&self) -> &str {
        &self.prepared().document.primary_key.partition_key.name
    }

    pub(crate) fn write(&self, change: Change) -> Write {
        let action = Action {
            table_name: self.prepared().name.clone(),
            change,
            condition: None,
            names: Default::default(),
            values: Default::default(),
        };
        Write { store: self.store.clone(), action }
    }
}
