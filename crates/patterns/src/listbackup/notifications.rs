//! Messages to a user, for 30 days.
//!
//! Generated from `tables/listbackup/notifications.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use std::ops::Deref;

use store::{Error, Get, Kind, List, Store, TableHandle, Test, Update};
use values::Number;

/// The table `listbackup/notifications`. Cloning is cheap.
#[derive(Clone)]
pub struct Notifications(TableHandle);

impl Notifications {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<Notifications, Error> {
        let fingerprint = 0x7334_cf90_440a_3f8d;
        TableHandle::generated(store, "listbackup/notifications", fingerprint).map(Notifications)
    }

    /// List a user's messages, newest first (R001-notifications-1).
    pub fn list_notifications(&self, user_id: &str) -> ListNotifications {
        ListNotifications(List::new(&self.0, 0, [user_id.into()]))
    }

    /// List an account's messages, newest first (R001-notifications-11, C1-25).
    pub fn list_notifications_of_account(&self, account_id: &str) -> List {
        List::new(&self.0, 1, [account_id.into()])
    }

    /// List a user's messages in a status (R001-notifications-12).
    pub fn list_notifications_by_status(&self, user_id: &str, status: &str) -> List {
        List::new(&self.0, 2, [user_id.into(), status.into()])
    }

    /// Get a message (R001-notifications-1).
    pub fn get_notification(&self, user_id: &str, created_at: &str, notification_id: &str) -> Get {
        Get::new(&self.0, 3, [user_id.into(), created_at.into(), notification_id.into()])
    }

    /// Mark a message as read (R001-notifications-8, C1-25).
    pub fn mark_read(&self, user_id: &str, created_at: &str, notification_id: &str) -> Update {
        Update::new(&self.0, 4, [user_id.into(), created_at.into(), notification_id.into()])
    }

    /// Items of the kind `notification`. One message.
    pub fn notification(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }
}

/// What [`Notifications::list_notifications`] gives: a list that can be filtered.
#[derive(Clone)]
pub struct ListNotifications(List);

impl ListNotifications {
    /// Lets only items pass of whose `expiresAt` this is true.
    pub fn filter_expires_at(self, test: impl Into<Test<Number>>) -> Self {
        Self(self.0.filter(0, test.into()))
    }
}

impl Deref for ListNotifications {
    type Target = List;

    fn deref(&self) -> &List {
        &self.0
    }
}

impl From<ListNotifications> for List {
    fn from(list: ListNotifications) -> List {
        list.0
    }
}
