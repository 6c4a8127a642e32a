//! The tables of people, opened once.

use kernel::error::Error;
use patterns::listbackup::{Accounts, RefreshTokens, Users, UsersAccounts};
use store::Store;

/// Where people, their sessions and accounts are.
pub(super) struct Tables {
    pub users: Users,
    pub tokens: RefreshTokens,
    pub accounts: Accounts,
    pub memberships: UsersAccounts,
}

impl Tables {
    pub fn open(store: &Store) -> Result<Tables, Error> {
        Ok(Tables {
            users: Users::open(store)?,
            tokens: RefreshTokens::open(store)?,
            accounts: Accounts::open(store)?,
            memberships: UsersAccounts::open(store)?,
        })
    }
}
