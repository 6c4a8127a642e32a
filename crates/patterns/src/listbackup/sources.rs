//! Platforms whose data an account backs up.
//!
//! Generated from `tables/listbackup/sources.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/sources`. Cloning is cheap.
#[derive(Clone)]
pub struct Sources(TableHandle);

impl Sources {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Sources, Error> {
        let fingerprint = 0x3eab_79a2_9ada_621d;
        TableHandle::generated(store, "listbackup/sources", fingerprint).map(Sources)
    }

    /// Get a source (R001-sources-1).
    pub fn get_source(&self, account_id: &str, source_id: &str) -> Get {
        Get::new(&self.0, 0, [account_id.into(), source_id.into()])
    }

    /// List the sources of an account (R001-access-6).
    pub fn list_sources(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// List an account's sources on a platform (R001-access-7, C1-07).
    pub fn list_sources_by_platform(&self, account_id: &str, platform: &str) -> List {
        List::new(&self.0, 2, [account_id.into(), platform.into()])
    }

    /// List an account's sources in a status (R001-access-8, C1-07).
    pub fn list_sources_by_status(&self, account_id: &str, status: &str) -> List {
        List::new(&self.0, 3, [account_id.into(), status.into()])
    }

    /// Get a source by id alone (R001-sources-13).
    pub fn get_source_by_id(&self, source_id: &str) -> List {
        List::new(&self.0, 4, [source_id.into()])
    }

    /// List the sources that are due (C1-21).
    pub fn list_due_sources(&self, due_shard: &str, now: &str) -> List {
        List::new(&self.0, 5, [due_shard.into(), now.into()])
    }

    /// Items of the kind `source`. One source.
    pub fn source(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
