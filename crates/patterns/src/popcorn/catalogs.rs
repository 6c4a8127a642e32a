//! What can be sold.
//!
//! Generated from `tables/popcorn/catalogs.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Store, TableHandle, Test};

/// The table `popcorn/catalogs`. Cloning is cheap.
#[derive(Clone)]
pub struct Catalogs(TableHandle);

impl Catalogs {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Catalogs, Error> {
        let fingerprint = 0xa31d_61fc_4fb5_68f3;
        TableHandle::generated(store, "popcorn/catalogs", fingerprint).map(Catalogs)
    }

    /// Get a catalog (R004-flow-2, R004-createfromshared-2, C4-22).
    pub fn get_catalog(&self, catalog_id: &str) -> Get {
        Get::new(&self.0, 0, [catalog_id.into()])
    }

    /// List the catalogs of an account (R004-catalogs-2, C4-22).
    pub fn list_catalogs(&self, owner_account_id: &str) -> ListCatalogs {
        ListCatalogs(List::new(&self.0, 1, [owner_account_id.into()]))
    }

    /// List the public catalogs, newest first (R004-catalogs-3, C4-05, C4-22).
    pub fn list_public_catalogs(&self) -> ListPublicCatalogs {
        ListPublicCatalogs(List::new(&self.0, 2, []))
    }

    /// Items of the kind `catalog`. One catalog.
    pub fn catalog(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}

/// What [`Catalogs::list_catalogs`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListCatalogs(List);

impl ListCatalogs {
    /// Lets only items pass of whose `isDeleted` this is true.
    pub fn filter_is_deleted(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListCatalogs {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListCatalogs> for List {
    fn from(list: ListCatalogs) -> List {
        list.0
    }
}

/// What [`Catalogs::list_public_catalogs`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListPublicCatalogs(List);

impl ListPublicCatalogs {
    /// Lets only items pass of whose `isDeleted` this is true.
    pub fn filter_is_deleted(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListPublicCatalogs {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListPublicCatalogs> for List {
    fn from(list: ListPublicCatalogs) -> List {
        list.0
    }
}
