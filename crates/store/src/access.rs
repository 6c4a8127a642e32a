//! An access pattern with its values: one request, as the document describes it.

use tables::document::Operation;
use values::AttributeValue;

use crate::backend::{Change, Read};
use crate::changes::Changes;
use crate::error::Error;
use crate::filter::Test;
use crate::key_condition::{Compiled, Values};
use crate::kind::Kind;
use crate::retry::attempts;
use crate::table::{Key, TableHandle};
use crate::typed::{IntoItem, Record};
use crate::write::Write;

/// An access pattern of a table's document, being filled in by names: for tools that know a pattern
/// only from its document. Services have a function for each pattern, in the crate `patterns`.
#[derive(Clone)]
pub struct Access {
    pub(crate) table: TableHandle,
    /// Where the table has the pattern.
    at: usize,
    values: Values,
    /// What is asked of attributes, by their places among the pattern's filters.
    pub(crate) filters: Vec<(usize, Test)>,
}

impl Access {
    /// The pattern in this place, without values.
    pub(crate) fn empty(table: TableHandle, at: usize) -> Access {
        let values = table.prepared().patterns.get(at).map(Compiled::no_values);
        Access { table, at, values: values.unwrap_or_default(), filters: Vec::new() }
    }

    /// The pattern in this place, with the values of all parameters in their order.
    pub(crate) fn filled<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> Access {
        let values = values.into_iter().map(Some).collect();
        Access { table: table.clone(), at, values, filters: Vec::new() }
    }

    /// The same for a pattern whose key is the stored item's own: the condition's parameters only.
    pub(crate) fn filled_without_key<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> Access {
        let pattern = table.prepared().patterns.get(at);
        let mut all = vec![None; pattern.map_or(0, |pattern| pattern.key_parameters)];
        all.extend(values.into_iter().map(Some));
        Access { table: table.clone(), at, values: all, filters: Vec::new() }
    }

    pub(crate) fn pattern(&self) -> Result<&Compiled, Error> {
        let prepared = self.table.prepared();
        prepared.patterns.get(self.at).ok_or_else(|| {
            let (table, at) = (&prepared.logical_name, self.at);
            Error::NotInDocuments(format!("{table} has no access pattern in the place {at}"))
        })
    }

    /// Gives a parameter of the key condition, or of the write's condition, its value.
    pub fn with(mut self, name: &str, value: impl Into<AttributeValue>) -> Result<Access, Error> {
        let mut values = std::mem::take(&mut self.values);
        self.pattern()?.set(&mut values, name, value.into())?;
        self.values = values;
        Ok(self)
    }

    /// Reads the item of a GetItem pattern.
    pub async fn get<T: Record>(&self) -> Result<Option<T>, Error> {
        let pattern = self.must_be(&[Operation::GetItem, Operation::BatchGetItem])?;
        let read = Read {
            table_name: self.table.prepared().name.clone(),
            key: pattern.key(&self.values)?,
            consistent: pattern.access.consistent_read,
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
        let pattern = self.pattern()?;
        if pattern.access.operation == Operation::Query {
            return Err(self.not_for("names no single item"));
        }
        Ok(Key {
            table: self.table.clone(),
            key: pattern.key(&self.values)?,
            consistent: pattern.access.consistent_read,
        })
    }

    /// Stores an item under the pattern's condition. It is of the kind whose keys the pattern names.
    pub fn put(&self, record: impl IntoItem) -> Result<Write, Error> {
        let pattern = self.must_be(&[Operation::PutItem, Operation::TransactWriteItems])?;
        let Some(kind) = pattern.kind else { return Err(self.not_for("names no kind of item")) };
        self.under_condition(pattern, Kind::new(&self.table, kind).put(record)?)
    }

    /// Changes an item under the pattern's condition. It must exist, unless the document says that
    /// it is made, as a counter is.
    pub fn update(&self, changes: Changes) -> Result<Write, Error> {
        let pattern = self.must_be(&[Operation::UpdateItem, Operation::TransactWriteItems])?;
        let key = pattern.key(&self.values)?;
        let given = |name: &str| pattern.value(&self.values, name);
        let write = changes.write(&self.table, key, given, pattern.access.creates_if_absent)?;
        self.under_condition(pattern, write)
    }

    /// Removes an item under the pattern's condition.
    pub fn delete(&self) -> Result<Write, Error> {
        let pattern = self.must_be(&[Operation::DeleteItem, Operation::TransactWriteItems])?;
        let key = pattern.key(&self.values)?;
        self.under_condition(pattern, self.table.write(Change::Delete { key }))
    }

    /// Asks the pattern's condition within a transaction, and changes nothing.
    pub fn check(&self) -> Result<Write, Error> {
        let pattern = self.pattern()?;
        if pattern.access.condition.is_none() {
            return Err(self.not_for("has no condition to check"));
        }
        let key = pattern.key(&self.values)?;
        self.under_condition(pattern, self.table.write(Change::Check { key }))
    }

    /// The pattern's values, to be asked for a query.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    fn under_condition(&self, pattern: &Compiled, write: Write) -> Result<Write, Error> {
        let Some(condition) = &pattern.access.condition else { return Ok(write) };
        let mut write = write.also(condition, [], []);
        write.action.names.extend(pattern.condition_names.iter().cloned());
        for value in pattern.condition_values(&self.values) {
            let (alias, value) = value?;
            write.action.values.insert(alias.to_owned(), value.clone());
        }
        Ok(write)
    }

    /// The pattern, if it is one of these operations.
    pub(crate) fn must_be(&self, operations: &[Operation]) -> Result<&Compiled, Error> {
        let pattern = self.pattern()?;
        if operations.contains(&pattern.access.operation) {
            return Ok(pattern);
        }
        let wanted: Vec<_> = operations.iter().map(|operation| operation.name()).collect();
        Err(self.not_for(&format!("is not a {}", wanted.join(" or "))))
    }

    pub(crate) fn not_for(&self, why: &str) -> Error {
        let pattern = match self.pattern() {
            Ok(pattern) => &pattern.access,
            Err(error) => return error,
        };
        let (table, id) = (&self.table.prepared().logical_name, &pattern.id);
        let operation = pattern.operation.name();
        Error::NotInDocuments(format!("the access pattern {id} of {table}, a {operation}, {why}"))
    }
}
