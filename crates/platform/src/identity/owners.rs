//! Who owns an account, and telling them something: in their list of messages, and by mail.

use store::Write;

use super::notifications::{Category, NewNotification, Priority};
use super::records::{MEMBERSHIPS, MembershipRecord, UserRecord, UserStatus};
use super::service::Service;
use crate::error::Error;
use crate::ids::is_uuid;
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
    /// and the mails to send once that is committed. Nobody is told of an account without owners here.
    pub async fn tell_owners(&self, told: ToOwners<'_>) -> Result<(Vec<Write>, Vec<Mail>), Error> {
        let (mut writes, mut mails) = (Vec::new(), Vec::new());
        let ToOwners { account_id, priority, subject, message } = told;
        for owner in self.owners(account_id).await? {
            let user_id = owner.user_id.as_str();
            let category = Category::System;
            let new = NewNotification { user_id, account_id, category, priority, subject, message };
            writes.push(self.new_notification(new)?);
            mails.push(Mail::notice(&self.settings.product, &owner.email, subject, message));
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

    /// The active owners of an account.
    async fn owners(&self, account_id: &str) -> Result<Vec<UserRecord>, Error> {
        // Accounts that are not of people, such as the platform's own.
        if !is_uuid(account_id) {
            return Ok(Vec::new());
        }
        let access = self.store.table(MEMBERSHIPS)?.access("list-members-of-account")?;
        let access = access.with("accountId", account_id)?;
        let (mut owners, mut token) = (Vec::new(), None);
        loop {
            let page =
                access.page::<MembershipRecord>("owners", PAGE_ITEMS, token.as_deref()).await?;
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
