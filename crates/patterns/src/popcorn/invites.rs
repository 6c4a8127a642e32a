//! Invitations to a seller's profile, for 14 days.
//!
//! Generated from `tables/popcorn/invites.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Delete, Error, Get, Kind, List, Put, Store, TableHandle};
use values::{AttributeValue, Number};

/// The table `popcorn/invites`. Cloning is cheap.
#[derive(Clone)]
pub struct Invites(TableHandle);

impl Invites {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Invites, Error> {
        let fingerprint = 0xd116_23ea_cf6d_f65e;
        TableHandle::generated(store, "popcorn/invites", fingerprint).map(Invites)
    }

    /// Get an invitation by its code (R004-invite-4, C4-04).
    pub fn get_invite(&self, invite_code: &str) -> Get {
        Get::new(&self.0, 0, [invite_code.into()])
    }

    /// List the invitations to a profile (R004-invites-2).
    pub fn list_invites(&self, profile_id: &str) -> List {
        List::new(&self.0, 1, [profile_id.into()])
    }

    /// Make an invitation (R004-invite-1, R004-invite-2).
    pub fn create_invite(&self) -> Put {
        Put::new(&self.0, 2, [])
    }

    /// Use an invitation up and write the share (R004-invite-5, R004-ttl-2, C4-19).
    pub fn accept_invite(&self, invite_code: &str, now: impl Into<Number>) -> Delete {
        Delete::new(&self.0, 3, [invite_code.into(), AttributeValue::N(now.into())])
    }

    /// Items of the kind `invite`. One invitation.
    pub fn invite(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}
