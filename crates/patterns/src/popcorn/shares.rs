//! Who else may see or change a seller's profile.
//!
//! Generated from `tables/popcorn/shares.json`: do not edit, `ACCEPT=1 cargo nextest run -p tables`
//! writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `popcorn/shares`. Cloning is cheap.
#[derive(Clone)]
pub struct Shares(TableHandle);

impl Shares {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Shares, Error> {
        let fingerprint = 0xa996_7d78_724c_a923;
        TableHandle::generated(store, "popcorn/shares", fingerprint).map(Shares)
    }

    /// Get an account's grant on a profile (R004-flow-3).
    pub fn get_share(&self, profile_id: &str, target_account_id: &str) -> Get {
        Get::new(&self.0, 0, [profile_id.into(), target_account_id.into()])
    }

    /// List the grants on a profile (R004-shares-1).
    pub fn list_shares(&self, profile_id: &str) -> List {
        List::new(&self.0, 1, [profile_id.into()])
    }

    /// List what is shared with an account (R004-shares-2).
    pub fn list_shared_with_me(&self, target_account_id: &str) -> List {
        List::new(&self.0, 2, [target_account_id.into()])
    }

    /// Items of the kind `share`. One grant.
    pub fn share(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
