//! Sessions: refresh tokens by their hash.
//!
//! Generated from `tables/listbackup/refresh-tokens.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use std::ops::Deref;

use store::{Check, Delete, Error, Get, Kind, List, Store, TableHandle, Test, Update};
use values::{AttributeValue, Number};

/// The table `listbackup/refresh-tokens`. Cloning is cheap.
#[derive(Clone)]
pub struct RefreshTokens(TableHandle);

impl RefreshTokens {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<RefreshTokens, Error> {
        let fingerprint = 0x49d4_8685_c76c_8add;
        TableHandle::generated(store, "listbackup/refresh-tokens", fingerprint).map(RefreshTokens)
    }

    /// Get a token by its hash (R001-refreshtokens-1, C1-03).
    pub fn get_token(&self, refresh_token: &str) -> Get {
        Get::new(&self.0, 0, [refresh_token.into()])
    }

    /// List a user's sessions, newest first (R001-refreshtokens-7).
    pub fn list_sessions(&self, user_id: &str) -> ListSessions {
        ListSessions(List::new(&self.0, 1, [user_id.into()]))
    }

    /// List the tokens of a family (R001-refreshtokens-8, C1-28).
    pub fn list_family(&self, token_family: &str) -> ListFamily {
        ListFamily(List::new(&self.0, 2, [token_family.into()]))
    }

    /// Replace a token by a new one (R001-refreshtokens-3, C1-28).
    pub fn rotate_token(&self, refresh_token: &str) -> Update {
        Update::new(&self.0, 3, [refresh_token.into()])
    }

    /// Note something of a token (C1-28).
    pub fn update_token(&self, refresh_token: &str) -> Update {
        Update::new(&self.0, 4, [refresh_token.into()])
    }

    /// Get a session (C1-28).
    pub fn get_session(&self, session: &str) -> Get {
        Get::new(&self.0, 5, [session.into()])
    }

    /// Check that a session is not over (C1-28).
    pub fn check_session(&self, session: &str) -> Check {
        Check::new(&self.0, 6, [session.into()])
    }

    /// End a session (C1-28).
    pub fn end_session(&self, session: &str) -> Update {
        Update::new(&self.0, 7, [session.into()])
    }

    /// Get a second step that is waited for (C1-29).
    pub fn get_challenge(&self, challenge_hash: &str) -> Get {
        Get::new(&self.0, 8, [challenge_hash.into()])
    }

    /// Count an attempt at a second step (C1-29).
    pub fn try_challenge(&self, challenge_hash: &str, attempts: impl Into<Number>) -> Update {
        Update::new(&self.0, 9, [challenge_hash.into(), AttributeValue::N(attempts.into())])
    }

    /// Use a second step up (C1-29).
    pub fn use_challenge(&self, challenge_hash: &str) -> Delete {
        Delete::new(&self.0, 10, [challenge_hash.into()])
    }

    /// Items of the kind `refreshToken`. One token.
    pub fn refresh_token(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `session`. One token family: whether it is over is told by this item
    /// alone.
    pub fn session(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }

    /// Items of the kind `challenge`. The second step of signing in, while it is waited for.
    pub fn challenge(&self) -> Kind<'_> {
        Kind::new(&self.0, 2)
    }
}

/// What [`RefreshTokens::list_sessions`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListSessions(List);

impl ListSessions {
    /// Lets only items pass of whose `revoked` this is true.
    pub fn filter_revoked(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }

    /// Lets only items pass of whose `rotatedTo` this is true.
    pub fn filter_rotated_to<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(1, test.into()))
    }
}

impl Deref for ListSessions {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListSessions> for List {
    fn from(list: ListSessions) -> List {
        list.0
    }
}

/// What [`RefreshTokens::list_family`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListFamily(List);

impl ListFamily {
    /// Lets only items pass of whose `revoked` this is true.
    pub fn filter_revoked(self, test: impl Into<Test<bool>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }

    /// Lets only items pass of whose `rotatedTo` this is true.
    pub fn filter_rotated_to<'a>(self, test: impl Into<Test<&'a str>>) -> Self {
        Self(self.0.filter(1, test.into()))
    }
}

impl Deref for ListFamily {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListFamily> for List {
    fn from(list: ListFamily) -> List {
        list.0
    }
}
