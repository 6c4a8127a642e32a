//! Authorised connections to platforms.
//!
//! Generated from `tables/listbackup/connections.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/connections`. Cloning is cheap.
#[derive(Clone)]
pub struct Connections(TableHandle);

impl Connections {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Connections, Error> {
        let fingerprint = 0x75d3_e80e_4afe_31e5;
        TableHandle::generated(store, "listbackup/connections", fingerprint).map(Connections)
    }

    /// Get a connection (R001-connections-1).
    pub fn get_connection(&self, connection_id: &str) -> Get {
        Get::new(&self.0, 0, [connection_id.into()])
    }

    /// List an account's connections (R001-connections-8).
    pub fn list_connections(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// List an account's connections to a platform (R001-connections-8).
    pub fn list_connections_by_platform(&self, account_id: &str, platform: &str) -> List {
        List::new(&self.0, 2, [account_id.into(), platform.into()])
    }

    /// List a user's connections to a platform (R001-connections-9).
    pub fn list_connections_of_user(&self, user_id: &str, platform: &str) -> List {
        List::new(&self.0, 3, [user_id.into(), platform.into()])
    }

    /// Items of the kind `connection`. One connection.
    pub fn connection(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
