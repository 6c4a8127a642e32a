//! What is a user told? Messages, written with what they tell of, kept for 30 days, listed and marked as
//! read.
//!
//! Not here: mail and other ways to a user, and who decides what is told.

use std::sync::Arc;
use std::time::Duration;

use kernel::clock::Clock;
use kernel::error::{Error, NOT_FOUND};
use kernel::ids::is_uuid;
use kernel::{Ids, Moment};
use patterns::listbackup;
use serde::{Deserialize, Serialize};
use store::{Changes, Page, Store, Test, Write};

/// How long a message is kept (R001-notifications-13).
const KEPT: Duration = Duration::from_secs(2_592_000);

/// How a message is delivered (R001-notifications-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotificationType {
    /// By mail.
    Email,
    /// By text message.
    Sms,
    /// To a device.
    Push,
    /// In the list of messages alone.
    InApp,
}

/// What a message is about (R001-notifications-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Plinth itself.
    System,
    /// A source of data.
    Source,
    /// A job.
    Job,
    /// Money.
    Billing,
    /// Logins and credentials.
    Security,
}

/// How urgent a message is (R001-notifications-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Good to know.
    Low,
    /// Usual.
    Medium,
    /// To be read soon.
    High,
    /// To be acted on.
    Critical,
}

/// How far a message has come (R001-notifications-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NotificationStatus {
    /// Not sent yet.
    Pending,
    /// On its way.
    Sent,
    /// There.
    Delivered,
    /// It did not get there.
    Failed,
    /// Read.
    Read,
}

/// A message to a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// Whom it is for.
    pub user_id: String,
    /// Which one it is.
    pub notification_id: String,
    /// The account it is about.
    pub account_id: String,
    /// How it is delivered.
    #[serde(rename = "type")]
    pub notification_type: NotificationType,
    /// What it is about.
    pub category: Category,
    /// How urgent it is.
    pub priority: Priority,
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub message: String,
    /// How far it has come.
    pub status: NotificationStatus,
    /// When it was made.
    pub created_at: Moment,
    /// When it was read.
    pub read_at: Option<Moment>,
    /// When it may be removed, in seconds since 1970.
    pub expires_at: u64,
}

/// What a new message says.
#[derive(Clone, Copy, Debug)]
pub struct NewNotification<'n> {
    /// Whom it is for.
    pub user_id: &'n str,
    /// The account it is about.
    pub account_id: &'n str,
    /// What it is about.
    pub category: Category,
    /// How urgent it is.
    pub priority: Priority,
    /// Its subject.
    pub subject: &'n str,
    /// Its text.
    pub message: &'n str,
}

/// The messages of all users. Cloning is cheap.
#[derive(Clone)]
pub struct Notifications {
    table: listbackup::Notifications,
    ids: Ids,
    clock: Arc<dyn Clock>,
}

impl Notifications {
    /// The messages in this store.
    pub fn open(store: &Store, ids: Ids, clock: Arc<dyn Clock>) -> Result<Notifications, Error> {
        Ok(Notifications { table: listbackup::Notifications::open(store)?, ids, clock })
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    /// The write of a message that is delivered by being listed.
    pub fn in_app(&self, new: NewNotification<'_>) -> Result<Write, Error> {
        let now = self.now();
        let notification = Notification {
            user_id: new.user_id.to_owned(),
            notification_id: self.ids.uuid()?,
            account_id: new.account_id.to_owned(),
            notification_type: NotificationType::InApp,
            category: new.category,
            priority: new.priority,
            subject: new.subject.to_owned(),
            message: new.message.to_owned(),
            status: NotificationStatus::Delivered,
            created_at: now,
            read_at: None,
            expires_at: now.after(KEPT).seconds(),
        };
        self.create(&notification)
    }

    /// The write of any message, for a service to commit with what it tells of.
    pub fn create(&self, notification: &Notification) -> Result<Write, Error> {
        Ok(self.table.notification().create(notification)?)
    }

    /// A user's messages, newest first. Those whose time is over are left out, removed or not.
    pub async fn list(
        &self,
        user_id: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Notification>, Error> {
        // Whom another issuer knows has no messages here.
        if !is_uuid(user_id) {
            return Ok(Page { items: Vec::new(), next: None });
        }
        let list = self.table.list_notifications(user_id);
        let list = list.filter_expires_at(Test::GreaterThan(self.now().seconds().into()));
        Ok(list.page(user_id, limit, token).await?)
    }

    /// Marks a user's message as read. A second time changes nothing.
    pub async fn mark_read(
        &self,
        user_id: &str,
        created_at: Moment,
        notification_id: &str,
    ) -> Result<Notification, Error> {
        let missing = || Error::new(NOT_FOUND, "There is no such message");
        if !is_uuid(user_id) || !is_uuid(notification_id) {
            return Err(missing());
        }
        let created_at = created_at.to_string();
        let get = self.table.get_notification(user_id, &created_at, notification_id);
        let found: Option<Notification> = get.get().await?;
        let found = found.ok_or_else(missing)?;
        if found.status == NotificationStatus::Read {
            return Ok(found);
        }
        let changes = Changes::new().set("status", "read").set("readAt", self.now().to_string());
        let mark = self.table.mark_read(user_id, &created_at, notification_id);
        match mark.update(changes)?.run_into().await {
            Ok(read) => read.ok_or_else(missing),
            Err(store::Error::ConditionFailed { .. }) => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }
}
