//! Which tables, indexes and streams exist.
//!
//! [`TableDefinition`] and [`StreamDefinition`] are what is stored; [`Table`] is a definition with
//! its keys looked up, ready for requests. A [`Catalog`] never changes: a change makes a new one, and
//! the commit that stores the change publishes it.

mod definition;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use definition::{
    IndexDefinition, IndexKind, ShardDefinition, StreamDefinition, TableDefinition,
    TimeToLiveDefinition,
};
pub use table::{Index, KeyAttribute, KeyAttributes, Table};

use crate::keys::{StreamNumber, TableNumber};
use crate::{Error, text};

/// All tables and streams at one moment.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// By name, in order.
    pub tables: BTreeMap<String, Arc<Table>>,
    /// By number, for what finds a number in a storage key.
    numbers: BTreeMap<TableNumber, Arc<Table>>,
    /// Every stream whose records may still be read.
    pub streams: BTreeMap<StreamNumber, Arc<StreamDefinition>>,
    /// The last number given to a table.
    pub last_table: TableNumber,
    /// The last number given to a stream.
    pub last_stream: StreamNumber,
}

impl Catalog {
    /// The table with this name, or DynamoDB's error.
    pub fn table(&self, name: &str) -> Result<&Arc<Table>, Error> {
        self.tables
            .get(name)
            .ok_or_else(|| Error::ResourceNotFound(text::RESOURCE_NOT_FOUND.to_owned()))
    }

    /// The table with this number.
    pub fn table_by_number(&self, number: TableNumber) -> Option<&Arc<Table>> {
        self.numbers.get(&number)
    }

    /// Adds or replaces a table.
    pub fn put_table(&mut self, table: Arc<Table>) {
        self.numbers.insert(table.number, Arc::clone(&table));
        self.tables.insert(table.name.clone(), table);
    }

    /// Removes a table.
    pub fn remove_table(&mut self, name: &str) {
        if let Some(table) = self.tables.remove(name) {
            self.numbers.remove(&table.number);
        }
    }

    /// The stream with this ARN.
    pub fn stream_by_label(&self, table_name: &str, label: &str) -> Option<&Arc<StreamDefinition>> {
        self.streams
            .values()
            .find(|stream| stream.table_name == table_name && stream.label == label)
    }
}
