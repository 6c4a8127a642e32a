//! How long is an account's log kept? Events get a time of removal only once a signed checkpoint
//! covers them, so that their expiry never breaks the proof; a legal hold takes it away again
//! (R003-audit-12, R003-audit-13, C3-05, C3-06, C2-37).

use std::sync::Arc;

use kernel::error::Error;
use kernel::moment::Moment;
use serde_json::json;
use store::{Changes, Raw, Record as _, Transaction, Write};
use values::limits::TRANSACTION_ACTIONS_MAX;

use super::checkpoint::Checkpoint;
use super::commit::Failure;
use super::head::Head;
use super::reference::Reference;
use super::row::expiry_of;
use super::{Audit, Entry, Origin};

const ATTEMPTS_MAX: u32 = 12;
/// The longest time for which events can be kept, in days; a hold has no end.
pub const RETENTION_DAYS_MAX: u32 = 36_500;

/// What a new rule does to the end of a chain, where rules are kept.
pub type Adjust = Arc<dyn Fn(&mut Head) + Send + Sync>;

/// A new rule for an account's log. It holds from the commit of [`changes::Change::keep_log`] on;
/// [`Audit::apply_rules`] then does it to the events that are there.
#[must_use = "a rule does not hold until it is committed"]
pub struct NewRule {
    /// For how many days events will be kept.
    pub retention_days: u32,
    /// Since when everything will be held.
    pub held_since: Option<Moment>,
    /// That it was changed.
    pub entry: Entry,
    /// What becomes of the log's head.
    pub adjust: Adjust,
}

impl Audit {
    /// For how long the account's events are kept, and since when they are held.
    pub async fn retention(&self, account: &str) -> Result<(u32, Option<Moment>), Error> {
        let mut locked = self.lock([account.to_owned()].into()).await;
        locked.load().await?;
        let head = locked.head(account)?;
        Ok((head.retention_days, head.held_since))
    }

    /// Keeps the account's events for so many days after the checkpoint that covers them.
    pub async fn set_retention(
        &self,
        account: &str,
        days: u32,
        origin: &Origin,
    ) -> Result<(), Error> {
        self.settle(self.retention_rule(account, days).await?, origin).await
    }

    /// The rule that keeps the account's events for so many days.
    pub async fn retention_rule(&self, account: &str, days: u32) -> Result<NewRule, Error> {
        if !(1..=RETENTION_DAYS_MAX).contains(&days) {
            let message = format!("it is {days}, and should be 1 to {RETENTION_DAYS_MAX}");
            return Err(Error::validation([("retentionDays", message)]));
        }
        let (before, held_since) = self.retention(account).await?;
        let entry = Entry::new("AUDIT", "AUDIT_RETENTION_CHANGED", account).changed(
            Some(json!({ "retention_days": before })),
            Some(json!({ "retention_days": days })),
        );
        let adjust = Arc::new(move |head: &mut Head| {
            head.retention_days = days;
            head.released = 0;
        });
        Ok(NewRule { retention_days: days, held_since, entry, adjust })
    }

    /// Holds everything of the account, or lets it expire again.
    pub async fn set_hold(&self, account: &str, held: bool, origin: &Origin) -> Result<(), Error> {
        self.settle(self.hold_rule(account, held).await?, origin).await
    }

    /// The rule that holds everything of the account, or lets it expire again.
    pub async fn hold_rule(&self, account: &str, held: bool) -> Result<NewRule, Error> {
        let action = if held { "AUDIT_HOLD_SET" } else { "AUDIT_HOLD_LIFTED" };
        let (retention_days, before) = self.retention(account).await?;
        let now = self.now();
        let held_since = held.then(|| before.unwrap_or(now));
        let entry = Entry::new("AUDIT", action, account).changed(
            Some(json!({ "held_since": before })),
            Some(json!({ "held_since": held_since })),
        );
        let adjust = Arc::new(move |head: &mut Head| {
            head.held_since = held.then(|| head.held_since.unwrap_or(now));
        });
        Ok(NewRule { retention_days, held_since, entry, adjust })
    }

    /// Records a new rule and applies it.
    async fn settle(&self, rule: NewRule, origin: &Origin) -> Result<(), Error> {
        let mut rows = [self.draft(&rule.entry, origin)];
        let done = self.commit(Vec::new(), &mut rows, Vec::new(), &*rule.adjust).await;
        done.map_err(Failure::into_error)?;
        self.apply_rules(&rule.entry.account_id).await
    }

    /// Seals the account's log, so that a signed checkpoint tells of its rules, and applies them to its
    /// events. May be repeated.
    pub async fn apply_rules(&self, account: &str) -> Result<(), Error> {
        self.seal(account).await?;
        self.release(account).await
    }

    /// Gives events behind checkpoints their time of removal, or takes it away under a hold. May be
    /// repeated, and goes on where it was interrupted.
    pub async fn release(&self, account: &str) -> Result<(), Error> {
        for _ in 0..ATTEMPTS_MAX {
            let Some(head) = self.stored_head(account).await? else { return Ok(()) };
            let released = match head.held_since {
                Some(_) if head.released == 0 => return Ok(()),
                Some(_) => {
                    let all = (Moment::from_millis(0), Moment::from_millis(u64::MAX));
                    self.expire(account, all, &|_| true, None).await?;
                    0
                }
                None if head.released == head.checkpoint => return Ok(()),
                None => {
                    self.expire_checkpoints(&head).await?;
                    head.checkpoint
                }
            };
            if self.note_released(&head, released).await? {
                return Ok(());
            }
        }
        Err(Error::unavailable("others kept changing the audit chain that was to expire"))
    }

    async fn expire_checkpoints(&self, head: &Head) -> Result<(), Error> {
        let checkpoints = self.checkpoints(&head.account).await?;
        let mut from = Moment::from_millis(0);
        for checkpoint in &checkpoints {
            let Checkpoint { first_sequence, last_sequence, last_timestamp, .. } = *checkpoint;
            if checkpoint.number() > head.released {
                let expires = checkpoint.expires(head.retention_days);
                let covered =
                    |one: &Reference| (first_sequence..=last_sequence).contains(&one.sequence);
                let span = (from, last_timestamp);
                self.expire(&head.account, span, &covered, Some(expires)).await?;
            }
            from = last_timestamp;
        }
        Ok(())
    }

    /// Sets or removes the time of removal of events and of their references, which tell all that
    /// this takes.
    async fn expire(
        &self,
        account: &str,
        (from, to): (Moment, Moment),
        covered: &(dyn Fn(&Reference) -> bool + Sync),
        expires: Option<Moment>,
    ) -> Result<(), Error> {
        let mut walk = self.walk_between(account, from, to);
        let mut writes = Vec::new();
        while let Some(item) = walk.next().await? {
            let Raw(item) = item.map_err(Error::internal)?;
            let (wanted, found) = (expires.map(Moment::seconds), expiry_of(&item));
            let reference = Reference::from_item(item)?;
            if covered(&reference) && found != wanted {
                writes.extend(self.expiry_writes(&reference, wanted)?);
            }
            if writes.len() + 2 > TRANSACTION_ACTIONS_MAX {
                self.run_together(std::mem::take(&mut writes)).await?;
            }
        }
        self.run_together(writes).await
    }

    fn expiry_writes(
        &self,
        reference: &Reference,
        seconds: Option<u64>,
    ) -> Result<[Write; 2], Error> {
        let changes = match seconds {
            Some(seconds) => Changes::new().set("ttl", i64::try_from(seconds).unwrap_or(i64::MAX)),
            None => Changes::new().remove("ttl"),
        };
        let Reference { account, date, epoch_ms, event_id, .. } = reference;
        let of_account = self.table().expire_event_of_account(account, date, *epoch_ms, event_id);
        let of_kind = self.expire_event(reference);
        Ok([of_account.update(changes.clone())?, of_kind.update(changes)?])
    }

    /// One transaction, as it costs one sync; if an item of it has just expired, each alone.
    async fn run_together(&self, writes: Vec<Write>) -> Result<(), Error> {
        if writes.is_empty() {
            return Ok(());
        }
        let transaction = writes.iter().cloned().fold(Transaction::new(), Transaction::with);
        match self.inner.store.commit(transaction).await {
            Ok(()) => return Ok(()),
            Err(store::Error::TransactionFailed(_)) => {}
            Err(error) => return Err(error.into()),
        }
        for write in writes {
            match write.run().await {
                Ok(_) | Err(store::Error::ConditionFailed { found: None }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Notes how far it got, unless the chain has another end by now.
    async fn note_released(&self, seen: &Head, released: u64) -> Result<bool, Error> {
        let mut locked = self.lock([seen.account.clone()].into()).await;
        locked.load().await?;
        let head = locked.head(&seen.account)?.clone();
        let rule = |head: &Head| (head.checkpoint, head.retention_days, head.held_since);
        if rule(&head) != rule(seen) {
            return Ok(false);
        }
        let next = Head { released, ..head.clone() }.marked(&self.inner.signing)?;
        match self.inner.store.commit(Transaction::new().with(self.move_head(&head, &next)?)).await
        {
            Ok(()) => {
                locked.replace(next);
                Ok(true)
            }
            Err(store::Error::TransactionFailed(_)) => {
                locked.forget();
                Ok(false)
            }
            Err(error) => {
                locked.forget();
                Err(error.into())
            }
        }
    }
}
