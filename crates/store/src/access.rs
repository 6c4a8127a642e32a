//! An access pattern with its values: one request, as the document describes it.

use tables::document::Operation;
use values::AttributeValue;

use crate::backend::{Change, Read};
use crate::changes::Changes;
use crate::error::Error;
use crate::key_condition::{Compiled, Values, bad};
use crate::page::Test;
use crate::retry::attempts;
use crate::table::{Key, TableHandle};
use crate::typed::{IntoItem, Record};
use crate::write::Write;

/// An access pattern of a table's document, being filled in.
#[derive(Clone)]
pub struct Access {
    pub(crate) table: TableHandle,
    /// Where the table has the pattern.
    pub(crate) at: usize,
    pub(crate) values: Values,
    pub(crate) filters: Vec<(String, Test)>,
}

impl Access {
    pub(crate) fn new(table: TableHandle, at: usize) -> Access {
        let values = table.prepared().patterns[at].no_values();
        Access { table, at, values, filters: Vec::new() }
    }

    pub(crate) fn pattern(&self) -> &Compiled {
        &self.table.prepared().patterns[self.at]
    }

    /// Gives a parameter of the key condition, or of the write's condition, its value.
    pub fn with(mut self, name: &str, value: impl Into<AttributeValue>) -> Result<Access, Error> {
        let pattern = &self.table.prepared().patterns[self.at];
        pattern.set(&mut self.values, name, value.into())?;
        Ok(self)
    }

    /// Reads the item of a GetItem pattern.
    pub async fn get<T: Record>(&self) -> Result<Option<T>, Error> {
        self.must_be(&[Operation::GetItem])?;
        let read = Read {
            table_name: self.table.prepared().name.clone(),
            key: self.pattern().key(&self.values)?,
            consistent: self.pattern().access.consistent_read,
        };
        let store = &self.table.store;
        let outcome = attempts(store.settings(), || store.backend().get(&read)).await;
        match store.metered("GetItem", outcome.result?) {
            None => Ok(None),
            Some(item) => {
                self.table.prepared().check_read(&item, true)?;
                T::from_item(item).map(Some)
            }
        }
    }

    /// The key of a pattern for one item: to read several together, or to delete.
    pub fn key(&self) -> Result<Key, Error> {
        if self.operation() == Operation::Query {
            return Err(self.not_for("names no single item"));
        }
        Ok(Key {
            table: self.table.clone(),
            key: self.pattern().key(&self.values)?,
            consistent: self.pattern().access.consistent_read,
        })
    }

    /// Stores an item under the pattern's condition.
    pub fn put(&self, kind: &str, record: impl IntoItem) -> Result<Write, Error> {
        self.must_be(&[Operation::PutItem, Operation::TransactWriteItems])?;
        self.under_condition(self.table.put(kind, record)?)
    }

    /// Changes an item under the pattern's condition. It must exist, unless that condition provides
    /// for its absence, as a counter's does.
    pub fn update(&self, changes: Changes) -> Result<Write, Error> {
        self.must_be(&[Operation::UpdateItem, Operation::TransactWriteItems])?;
        let condition = self.pattern().access.condition.as_deref().unwrap_or_default();
        let may_be_absent = condition.starts_with("attribute_not_exists(");
        let key = self.pattern().key(&self.values)?;
        let given = self.pattern().named(&self.values);
        let write = changes.write(&self.table, key, &given, may_be_absent)?;
        self.under_condition(write)
    }

    /// Removes an item under the pattern's condition.
    pub fn delete(&self) -> Result<Write, Error> {
        self.must_be(&[Operation::DeleteItem, Operation::TransactWriteItems])?;
        let key = self.pattern().key(&self.values)?;
        self.under_condition(self.table.write(Change::Delete { key }))
    }

    /// Asks the pattern's condition within a transaction, and changes nothing.
    pub fn check(&self) -> Result<Write, Error> {
        if self.pattern().access.condition.is_none() {
            return Err(self.not_for("has no condition to check"));
        }
        let key = self.pattern().key(&self.values)?;
        self.under_condition(self.table.write(Change::Check { key }))
    }

    fn under_condition(&self, write: Write) -> Result<Write, Error> {
        let Some(condition) = &self.pattern().access.condition else { return Ok(write) };
        let mut write = write.also(condition, [], []);
        write.action.names.extend(self.pattern().condition_names.iter().cloned());
        for (signed, word) in &self.pattern().condition_values {
            let value = self.pattern().value(&self.values, word).cloned();
            let value = value.ok_or_else(|| bad(word, "it has no value".to_owned()))?;
            write.action.values.insert(signed.clone(), value);
        }
        Ok(write)
    }

    pub(crate) fn must_be(&self, operations: &[Operation]) -> Result<(), Error> {
        if operations.contains(&self.operation()) {
            return Ok(());
        }
        let wanted: Vec<_> = operations.iter().map(|operation| operation.name()).collect();
        Err(self.not_for(&format!("is not a {}", wanted.join(" or "))))
    }

    fn operation(&self) -> Operation {
        self.pattern().access.operation
    }

    pub(crate) fn not_for(&self, why: &str) -> Error {
        let (table, id) = (&self.table.prepared().logical_name, &self.pattern().access.id);
        let operation = self.operation().name();
        Error::NotInDocuments(format!("the access pattern {id} of {table}, a {operation}, {why}"))
    }
}
