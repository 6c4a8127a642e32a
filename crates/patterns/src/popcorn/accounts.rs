//! People who sell, and their settings.
//!
//! Generated from `tables/popcorn/accounts.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `popcorn/accounts`. Cloning is cheap.
#[derive(Clone)]
pub struct Accounts(TableHandle);

impl Accounts {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Accounts, Error> {
        let fingerprint = 0x48ca_31b7_8da8_f135;
        TableHandle::generated(store, "popcorn/accounts", fingerprint).map(Accounts)
    }

    /// Get an account (R004-accounts-1).
    pub fn get_account(&self, account_id: &str) -> Get {
        Get::new(&self.0, 0, [account_id.into()])
    }

    /// Get an account by email address (R004-accounts-2).
    pub fn get_account_by_email(&self, email: &str) -> List {
        List::new(&self.0, 1, [email.into()])
    }

    /// Items of the kind `account`. One person.
    pub fn account(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
