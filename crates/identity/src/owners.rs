//! Who owns an account, and telling them something: in their list of messages, and by mail.

use kernel::error::Error;
use kernel::ids::is_uuid;
use notifications::{Category, NewNotification, Priority};
use store::Write;

use super::records::{MembershipRecord, UserRecord, UserStatus};
use super::service::Service;
use crate::mail::Mail;

/// Most owners of one account that are told: their messages are part of a transaction.
const OWNERS_MAX: usize = 20;
/// Members of an account that are read at once.
const PAGE_ITEMS: u32 = 100;

/// Something that the owners of an account must hear of.
#[derive(Clone, Copy, Debug)]
pub struct ToOwners<'t> {
    /// The account.
    pub account_id: &'t str,
    /// How urgent it is.
    pub priority: Priority,
    /// In a line.
    pub subject: &'t str,
    /// In full.
    pub message: &'t str,
}

impl Service {
    /// The writes that put something into the owners' lists, for the transaction of what it tells of,
    /// and the mails to send once that is committed.
    pub async fn tell_owners(&self, told: ToOwners<'_>) -> Result<(Vec<Write>, Vec<Mail>), Error> {
        let (mut writes, mut mails) = (Vec::new(), Vec::new());
        let ToOwners { account_id, priority, subject, message } = told;
        let mut message = message.to_owned();
        let mut owners = self.owners(account_id).await?;
        let is_nobodys = owners.is_empty();
        if is_nobodys {
            owners.extend(self.administrator().await?);
            message.push_str(&format!(" It is about the account {account_id}, which nobody owns."));
        }
        for owner in owners {
            // A message is about an account of people (R001-notifications-2).
            let account_id = if is_nobodys { owner.account_id.as_str() } else { account_id };
            let new = NewNotification {
                user_id: &owner.user_id,
                account_id,
                category: Category::System,
                priority,
                subject,
                message: &message,
            };
            writes.push(self.notifications.in_app(new)?);
            mails.push(Mail::notice(&self.settings.product, &owner.email, subject, &message));
        }
        Ok((writes, mails))
    }

    /// Sends mails of which each is worth trying, whatever becomes of the others.
    pub async fn mail_all(&self, mails: Vec<Mail>) {
        for mail in mails {
            if let Err(error) = self.mail(mail).await {
                tracing::warn!(
                    ?error,
                    "a mail to an owner did not go; the message is in their list"
                );
            }
        }
    }

    /// Who hears of accounts that nobody owns, such as the platform's own and those of tenants: the
    /// administrator whom the first start has made.
    async fn administrator(&self) -> Result<Option<UserRecord>, Error> {
        let found = self.user_by_email(&self.settings.admin_email).await?;
        Ok(found.filter(|user| user.status == UserStatus::Active))
    }

    /// The active owners of an account.
    async fn owners(&self, account_id: &str) -> Result<Vec<UserRecord>, Error> {
        // Accounts that are not of people, such as the platform's own.
        if !is_uuid(account_id) {
            return Ok(Vec::new());
        }
        let list = self.tables.memberships.list_members_of_account(account_id);
        let (mut owners, mut token) = (Vec::new(), None);
        loop {
            let page =
                list.page::<MembershipRecord>("owners", PAGE_ITEMS, token.as_deref()).await?;
            for member in page.items {
                if member.role != "owner" || member.status != "active" {
                    continue;
                }
                let user = self.user(&member.user_id).await?;
                owners.extend(user.filter(|user| user.status == UserStatus::Active));
                if owners.len() == OWNERS_MAX {
                    return Ok(owners);
                }
            }
            token = page.next;
            if token.is_none() {
                return Ok(owners);
            }
        }
    }
}
