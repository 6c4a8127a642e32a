//! Which user is a member of which account, and as what.
//!
//! Generated from `tables/listbackup/users-accounts.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/users-accounts`. Cloning is cheap.
#[derive(Clone)]
pub struct UsersAccounts(TableHandle);

impl UsersAccounts {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<UsersAccounts, Error> {
        let fingerprint = 0x8b4c_8ff7_6eca_f623;
        TableHandle::generated(store, "listbackup/users-accounts", fingerprint).map(UsersAccounts)
    }

    /// Get a user's membership in an account (R001-usersaccounts-1, R001-security-4).
    pub fn get_membership(&self, user_id: &str, account_id: &str) -> Get {
        Get::new(&self.0, 0, [user_id.into(), account_id.into()])
    }

    /// List the accounts of a user (R001-usersaccounts-1).
    pub fn list_accounts_of_user(&self, user_id: &str) -> List {
        List::new(&self.0, 1, [user_id.into()])
    }

    /// List the members of an account (R001-usersaccounts-6).
    pub fn list_members_of_account(&self, account_id: &str) -> List {
        List::new(&self.0, 2, [account_id.into()])
    }

    /// Items of the kind `membership`. One membership.
    pub fn membership(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
