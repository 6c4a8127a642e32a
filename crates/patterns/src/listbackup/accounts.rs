//! Organisations and the tree they form.
//!
//! Generated from `tables/listbackup/accounts.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/accounts`. Cloning is cheap.
#[derive(Clone)]
pub struct Accounts(TableHandle);

impl Accounts {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Accounts, Error> {
        let fingerprint = 0x855d_e016_cd35_ee70;
        TableHandle::generated(store, "listbackup/accounts", fingerprint).map(Accounts)
    }

    /// Get an account by id (R001-accounts-1).
    pub fn get_account(&self, account_id: &str) -> Get {
        Get::new(&self.0, 0, [account_id.into()])
    }

    /// List the accounts directly under an account (R001-access-4).
    pub fn get_child_accounts(&self, parent_account_id: &str) -> List {
        List::new(&self.0, 1, [parent_account_id.into()])
    }

    /// Get the account with a path (R001-accounts-14, C1-04).
    pub fn get_account_by_path(&self, account_path: &str) -> List {
        List::new(&self.0, 2, [account_path.into()])
    }

    /// List the accounts in a subtree (R001-access-5, C1-04).
    pub fn get_accounts_in_path(&self, root_account_id: &str, account_path: &str) -> List {
        List::new(&self.0, 3, [root_account_id.into(), account_path.into()])
    }

    /// Items of the kind `account`. One account.
    pub fn account(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
