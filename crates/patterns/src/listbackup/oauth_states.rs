//! OAuth authorisations under way, for 15 minutes.
//!
//! Generated from `tables/listbackup/oauth-states.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Delete, Error, Get, Kind, Put, Store, TableHandle};
use values::{AttributeValue, Number};

/// The table `listbackup/oauth-states`. Cloning is cheap.
#[derive(Clone)]
pub struct OauthStates(TableHandle);

impl OauthStates {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<OauthStates, Error> {
        let fingerprint = 0xa347_62a6_b16f_a7ea;
        TableHandle::generated(store, "listbackup/oauth-states", fingerprint).map(OauthStates)
    }

    /// Get an authorisation under way (R001-oauthstates-1, C1-03).
    pub fn get_state(&self, state: &str) -> Get {
        Get::new(&self.0, 0, [state.into()])
    }

    /// Start an authorisation (R001-oauthstates-1).
    pub fn create_state(&self) -> Put {
        Put::new(&self.0, 1, [])
    }

    /// End an authorisation, once (R001-oauthstates-5, C1-03, C1-27).
    pub fn consume_state(&self, state: &str, now: impl Into<Number>) -> Delete {
        Delete::new(&self.0, 2, [state.into(), AttributeValue::N(now.into())])
    }

    /// Items of the kind `state`. One authorisation under way.
    pub fn state(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
