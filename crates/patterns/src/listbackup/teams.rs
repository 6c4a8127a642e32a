//! Teams within an account.
//!
//! Generated from `tables/listbackup/teams.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Error, Get, Kind, List, Store, TableHandle};

/// The table `listbackup/teams`. Cloning is cheap.
#[derive(Clone)]
pub struct Teams(TableHandle);

impl Teams {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Teams, Error> {
        let fingerprint = 0xa5e8_3a42_fcd9_e3e5;
        TableHandle::generated(store, "listbackup/teams", fingerprint).map(Teams)
    }

    /// Get a team (R001-teams-1).
    pub fn get_team(&self, account_id: &str, team_id: &str) -> Get {
        Get::new(&self.0, 0, [account_id.into(), team_id.into()])
    }

    /// List the teams of an account; ids are hexadecimal, so that they all sort before g
    /// (R001-teams-1, C1-16).
    pub fn list_teams(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// Get a team by id alone (R001-teams-7).
    pub fn get_team_by_id(&self, team_id: &str) -> List {
        List::new(&self.0, 2, [team_id.into()])
    }

    /// List the teams of a user in an account (C1-16).
    pub fn list_teams_of_user(&self, account_id: &str, user_id: &str) -> List {
        List::new(&self.0, 3, [account_id.into(), user_id.into()])
    }

    /// Items of the kind `team`. One team.
    pub fn team(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `membership`. Leads from a user to a team; written in the transaction that
    /// changes the members.
    pub fn membership(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }
}
