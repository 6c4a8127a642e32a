//! Access patterns as functions give them: each offers only what its pattern can do.
//!
//! The crate `patterns` makes them, with a value for every parameter, so that nothing can be missing.
//! What is wrong with a value is said by the last call, which can fail anyway.

use values::{AttributeValue, Item};

use crate::access::Access;
use crate::changes::Changes;
use crate::error::Error;
use crate::filter::Test;
use crate::page::Page;
use crate::table::{Key, TableHandle};
use crate::typed::{IntoItem, Record};
use crate::write::Write;

/// Reads one item.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct Get(Access);

/// Reads a list, a page at a time.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct List(Access);

/// Stores an item.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct Put(Access);

/// Changes an item.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct Update(Access);

/// Removes an item.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct Delete(Access);

/// Asks a condition of an item within a transaction, and changes nothing.
#[derive(Clone)]
#[must_use = "nothing is read or written until its last function is called"]
pub struct Check(Access);

impl Get {
    /// The pattern in this place of the table's document, with its values in their order. For
    /// generated functions, like every `new` here.
    pub fn new<const N: usize>(table: &TableHandle, at: usize, values: [AttributeValue; N]) -> Get {
        Get(Access::filled(table, at, values))
    }

    /// Reads the item.
    pub async fn get<T: Record>(&self) -> Result<Option<T>, Error> {
        self.0.get().await
    }

    /// The item's key: to read several together.
    pub fn key(&self) -> Result<Key, Error> {
        self.0.key()
    }
}

impl List {
    /// See [`Get::new`].
    pub fn new<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> List {
        List(Access::filled(table, at, values))
    }

    /// Lets only items pass of which the test of the pattern's filter in this place is true. For
    /// generated functions.
    pub fn filter<T: Into<AttributeValue>>(self, place: usize, test: Test<T>) -> List {
        List(self.0.filter_at(place, test.untyped()))
    }

    /// Reads a page for a caller, from the beginning or from where the page with this token ended.
    pub async fn page<T: Record>(
        &self,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<T>, Error> {
        self.0.page(caller, limit, token).await
    }

    /// The first item, such as the only one that has a unique attribute.
    pub async fn first<T: Record>(&self) -> Result<Option<T>, Error> {
        self.0.first().await
    }

    /// The token of a page that ends with this item, for who uses only a part of a page.
    pub fn token_after(&self, caller: &str, item: &Item) -> Result<String, Error> {
        self.0.token_after(caller, item)
    }

    /// Most items that a page looks at.
    pub fn evaluated_max(&self) -> u64 {
        self.0.evaluated_max()
    }
}

impl Put {
    /// See [`Get::new`]; the values are the condition's only, as the item has its key itself.
    pub fn new<const N: usize>(table: &TableHandle, at: usize, values: [AttributeValue; N]) -> Put {
        Put(Access::filled_without_key(table, at, values))
    }

    /// Stores the item under the pattern's condition.
    pub fn put(&self, record: impl IntoItem) -> Result<Write, Error> {
        self.0.put(record)
    }
}

impl Update {
    /// See [`Get::new`].
    pub fn new<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> Update {
        Update(Access::filled(table, at, values))
    }

    /// Changes the item under the pattern's condition. It must exist, unless the document says that
    /// it is made, as a counter is.
    pub fn update(&self, changes: Changes) -> Result<Write, Error> {
        self.0.update(changes)
    }
}

impl Delete {
    /// See [`Get::new`].
    pub fn new<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> Delete {
        Delete(Access::filled(table, at, values))
    }

    /// Removes the item under the pattern's condition.
    pub fn delete(&self) -> Result<Write, Error> {
        self.0.delete()
    }
}

impl Check {
    /// See [`Get::new`].
    pub fn new<const N: usize>(
        table: &TableHandle,
        at: usize,
        values: [AttributeValue; N],
    ) -> Check {
        Check(Access::filled(table, at, values))
    }

    /// Asks the pattern's condition.
    pub fn check(&self) -> Result<Write, Error> {
        self.0.check()
    }
}
