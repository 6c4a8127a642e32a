//! How the owners of an account hear that one of their webhook endpoints is in trouble: in their list
//! of messages, with the transaction of what happened, and by mail after it.

use identity::ToOwners;
use notifications::Priority;
use webhooks::{Notice, NoticeKind, Owner, Preparing, Telling};

/// Owners as identity knows them.
pub(super) struct AccountOwners(pub identity::Service);

impl Owner for AccountOwners {
    fn notify<'a>(&'a self, notice: &'a Notice) -> Preparing<'a> {
        Box::pin(async move {
            let (subject, message) = words(notice);
            let priority = match notice.kind {
                NoticeKind::Failing => Priority::High,
                NoticeKind::DisabledAfterFailing | NoticeKind::DisabledAsGone => Priority::Critical,
            };
            let account_id = notice.account_id.as_str();
            let told = ToOwners { account_id, priority, subject, message: &message };
            let (writes, mails) = self.0.tell_owners(told).await?;
            if writes.is_empty() {
                tracing::warn!(account_id, subject, "an account has no owner who could be told");
            }
            let identity = self.0.clone();
            let afterwards = Box::pin(async move { identity.mail_all(mails).await });
            Ok(Telling { writes, afterwards })
        })
    }
}

fn words(notice: &Notice) -> (&'static str, String) {
    let Notice { endpoint_id, url, at, .. } = notice;
    let since = notice.failing_since.unwrap_or(*at);
    match notice.kind {
        NoticeKind::Failing => (
            "A webhook endpoint is failing",
            format!(
                "The webhook endpoint {endpoint_id} at {url} has been failing since {since}. Its \
                 events wait and are tried again. Look at its attempts, and repair it: if it goes on \
                 failing, it is disabled."
            ),
        ),
        NoticeKind::DisabledAfterFailing => (
            "A webhook endpoint was disabled",
            format!(
                "The webhook endpoint {endpoint_id} at {url} has been failing since {since} and was \
                 disabled at {at}. Repair it, enable it, and replay what it missed."
            ),
        ),
        NoticeKind::DisabledAsGone => (
            "A webhook endpoint was disabled",
            format!(
                "The webhook endpoint {endpoint_id} at {url} answered 410 Gone and was disabled at \
                 {at}. Delete it, or enable it if that was a mistake, and replay what it missed."
            ),
        ),
    }
}
