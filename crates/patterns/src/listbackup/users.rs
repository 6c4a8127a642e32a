//! People who sign in to ListBackup.ai.
//!
//! Generated from `tables/listbackup/users.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Check, Delete, Error, Get, Kind, List, Marker, Put, Store, TableHandle, Update};
use values::{AttributeValue, Number};

/// The table `listbackup/users`. Cloning is cheap.
#[derive(Clone)]
pub struct Users(TableHandle);

impl Users {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Users, Error> {
        let fingerprint = 0x2e39_5adf_3697_e275;
        TableHandle::generated(store, "listbackup/users", fingerprint).map(Users)
    }

    /// Get a user by id (R001-access-1, C1-30).
    pub fn get_user(&self, user_id: &str) -> Get {
        Get::new(&self.0, 0, [user_id.into()])
    }

    /// Get a user by email address (R001-access-2).
    pub fn get_user_by_email(&self, email: &str) -> List {
        List::new(&self.0, 1, [email.into()])
    }

    /// Get a user by username (R001-access-3).
    pub fn get_user_by_username(&self, username: &str) -> List {
        List::new(&self.0, 2, [username.into()])
    }

    /// Create a user with both markers (R001-users-4, C1-14).
    pub fn create_user(&self) -> Put {
        Put::new(&self.0, 3, [])
    }

    /// Find whose an email address is (C1-14).
    pub fn get_email_owner(&self, unique_value: &str) -> Get {
        Get::new(&self.0, 4, [unique_value.into()])
    }

    /// Find whose a username is (C1-14).
    pub fn get_username_owner(&self, unique_value: &str) -> Get {
        Get::new(&self.0, 5, [unique_value.into()])
    }

    /// Change a user (C1-15).
    pub fn update_user(&self, user_id: &str) -> Update {
        Update::new(&self.0, 6, [user_id.into()])
    }

    /// Get how a user proves who they are (C1-29).
    pub fn get_credential(&self, owner: &str) -> Get {
        Get::new(&self.0, 7, [owner.into()])
    }

    /// Check that all sessions were not ended meanwhile (C1-28).
    pub fn check_epoch(&self, owner: &str, epoch: impl Into<Number>) -> Check {
        Check::new(&self.0, 8, [owner.into(), AttributeValue::N(epoch.into())])
    }

    /// End all sessions, unless they were ended meanwhile (C1-28).
    pub fn end_sessions(&self, owner: &str, epoch: impl Into<Number>) -> Update {
        Update::new(&self.0, 9, [owner.into(), AttributeValue::N(epoch.into())])
    }

    /// Get what a second factor needs (C1-29).
    pub fn get_second_factor(&self, owner: &str) -> Get {
        Get::new(&self.0, 10, [owner.into()])
    }

    /// Accept a second factor's code, once (C1-29).
    pub fn accept_step(&self, owner: &str, last_step: impl Into<Number>) -> Update {
        Update::new(&self.0, 11, [owner.into(), AttributeValue::N(last_step.into())])
    }

    /// Forget a second factor (C1-29).
    pub fn remove_second_factor(&self, owner: &str, version: impl Into<Number>) -> Delete {
        Delete::new(&self.0, 12, [owner.into(), AttributeValue::N(version.into())])
    }

    /// Get a code that was sent (C1-29).
    pub fn get_code(&self, purpose: &str, owner: &str) -> Get {
        Get::new(&self.0, 13, [purpose.into(), owner.into()])
    }

    /// Count an attempt at a code (C1-29).
    pub fn try_code(&self, purpose: &str, owner: &str, attempts: impl Into<Number>) -> Update {
        let values = [purpose.into(), owner.into(), AttributeValue::N(attempts.into())];
        Update::new(&self.0, 14, values)
    }

    /// Use a code up (C1-29).
    pub fn use_code(&self, purpose: &str, owner: &str, code_hash: &str) -> Delete {
        Delete::new(&self.0, 15, [purpose.into(), owner.into(), code_hash.into()])
    }

    /// Get the keys that sign tokens (CX-13).
    pub fn get_key_ring(&self, ring: &str) -> Get {
        Get::new(&self.0, 16, [ring.into()])
    }

    /// Items of the kind `user`. One person.
    pub fn user(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Markers of the kind `emailMarker`. Reserves an email address.
    pub fn email_marker(&self) -> Marker<'_> {
        Marker::new(&self.0, 1, [])
    }

    /// Markers of the kind `usernameMarker`. Reserves a username.
    pub fn username_marker(&self) -> Marker<'_> {
        Marker::new(&self.0, 2, [])
    }

    /// Items of the kind `credential`. How a user proves who they are, apart from what others may
    /// read of them.
    pub fn credential(&self) -> Kind<'_> {
        Kind::new(&self.0, 3)
    }

    /// Items of the kind `secondFactor`. What a user's second factor needs to know.
    pub fn second_factor(&self) -> Kind<'_> {
        Kind::new(&self.0, 4)
    }

    /// Items of the kind `code`. A one-time code that was sent to a user.
    pub fn code(&self) -> Kind<'_> {
        Kind::new(&self.0, 5)
    }

    /// Items of the kind `keyRing`. The keys that sign access tokens.
    pub fn key_ring(&self) -> Kind<'_> {
        Kind::new(&self.0, 6)
    }
}
