//! Sellers, each owned by an account.
//!
//! Generated from `tables/popcorn/profiles.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `popcorn/profiles`. Cloning is cheap.
#[derive(Clone)]
pub struct Profiles(TableHandle);

impl Profiles {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Profiles, Error> {
        let fingerprint = 0x3a2e_e837_9798_9e7c;
        TableHandle::generated(store, "popcorn/profiles", fingerprint).map(Profiles)
    }

    /// List the profiles of an account (R004-flow-1).
    pub fn get_my_profiles(&self, owner_account_id: &str) -> List {
        List::new(&self.0, 0, [owner_account_id.into()])
    }

    /// Get a profile of an account; says whether the caller owns it (R004-flow-3, C4-20).
    pub fn get_profile(&self, owner_account_id: &str, profile_id: &str) -> Get {
        Get::new(&self.0, 1, [owner_account_id.into(), profile_id.into()])
    }

    /// Get a profile by id alone (R004-profiles-2).
    pub fn get_profile_by_id(&self, profile_id: &str) -> List {
        List::new(&self.0, 2, [profile_id.into()])
    }

    /// Items of the kind `profile`. One seller.
    pub fn profile(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
