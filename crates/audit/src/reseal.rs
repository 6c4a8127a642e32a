//! A log whose end was forged goes on: how, and how that is never forgotten.
//!
//! Nothing is recorded on an end that does not bear our mark, so that whoever forges one stops the
//! account's changes. After somebody has looked, a new end is made from what is there: the last event,
//! or the last checkpoint if that is further. The first event on it says what was found, and `verify`
//! repeats it for as long as the event is kept; the platform's own log has it too. What was removed or
//! changed before stays so, and stays named: nothing that is there is touched.

use kernel::PLATFORM;
use kernel::error::{CONFLICT, Error};
use serde_json::Value;
use store::{Raw, Record as _, Write};
use values::AttributeValue;

use super::checkpoint::Checkpoint;
use super::head::Head;
use super::reference::Reference;
use super::row::Row;
use super::{Audit, Entry, Origin};

const ACTION: &str = "AUDIT_CHAIN_RESEALED";
const KIND: &str = "AUDIT";

/// A new end for a log, to be committed with a change. [`Audit::forget_end`] afterwards.
#[must_use = "a log does not go on until this is committed"]
pub struct Resealing {
    /// What to write.
    pub writes: Vec<Write>,
    /// What the platform's own log is to have; nothing if it is the log itself.
    pub entry: Option<Entry>,
    /// What was found.
    pub found: String,
    /// The number of the event that says so.
    pub sequence: u64,
}

/// What is where the end of a chain should be.
enum Forged {
    /// Nothing.
    Removed,
    /// Something that is no end.
    Unreadable,
    /// An end with this mark, which is not ours.
    Marked(String),
}

impl Audit {
    /// Lets an account's log go on whose end was forged or removed. A log whose end bears our mark is
    /// left alone.
    pub async fn reseal(
        &self,
        account: &str,
        reason: &str,
        origin: &Origin,
    ) -> Result<Resealing, Error> {
        let report = self.verify(account, &[]).await?;
        let forged = self.forged_end(account).await?;
        let found = report.first_bad.map_or_else(|| "nothing".to_owned(), |bad| bad.to_string());
        let mut head = self.last_known(account).await?;
        if head.sequence == 0 {
            return Err(nothing_to_do());
        }
        let entry = Entry::new(KIND, ACTION, account)
            .of("audit_log", account)
            .detail("found", found.as_str())
            .detail("reason", reason);
        let mut row = self.draft(&entry, origin);
        self.place(&mut row, &head, self.now())?;
        let reference = Reference::of(&row);
        let mut writes = Vec::from(self.event_writes(&row, &reference)?);
        let sequence = row.sequence;
        head.advance(&reference);
        let head = head.marked(&self.inner.signing)?;
        writes.push(self.replace_end(&forged, &head)?);
        let entry = (account != PLATFORM).then(|| Entry {
            account_id: PLATFORM.to_owned(),
            ..entry.detail("sequence", sequence)
        });
        Ok(Resealing { writes, entry, found, sequence })
    }

    /// Forgets what this process remembers of the end of a chain.
    pub async fn forget_end(&self, account: &str) {
        self.lock([account.to_owned()].into()).await.forget();
    }

    /// What is where the end should be. One that bears our mark is none to be replaced.
    async fn forged_end(&self, account: &str) -> Result<Forged, Error> {
        let stored = match self.table().get_chain_head(account).get::<Raw>().await {
            Err(store::Error::Invalid { .. }) => return Ok(Forged::Unreadable),
            other => other?,
        };
        let Some(Raw(item)) = stored else { return Ok(Forged::Removed) };
        let mark = match item.get("mac") {
            Some(AttributeValue::S(mark)) => mark.clone(),
            _ => return Ok(Forged::Unreadable),
        };
        match Head::from_item(item) {
            Ok(head) if head.account == account && head.is_ours(&self.inner.signing).await? => {
                Err(nothing_to_do())
            }
            _ => Ok(Forged::Marked(mark)),
        }
    }

    /// The write that replaces it, on condition that it is still the same.
    fn replace_end(&self, forged: &Forged, head: &Head) -> Result<Write, Error> {
        let table = self.table();
        Ok(match forged {
            Forged::Removed => table.chain_head().create(head)?,
            // There is nothing to compare with.
            Forged::Unreadable => table.chain_head().put(head)?,
            Forged::Marked(mark) => table.move_chain_head(mark).put(head)?,
        })
    }

    /// The end of a chain as far as events and checkpoints tell. How long events are kept is believed
    /// only if it is signed.
    async fn last_known(&self, account: &str) -> Result<Head, Error> {
        let mut head = Head::before_first(account);
        let checkpoints = self.checkpoints(account).await?;
        let keys = self.inner.signing.public_keys();
        if let Some(last) = checkpoints.last() {
            head.checkpoint = last.number();
            head.checkpoint_hash = last.hash();
            head.sealed_sequence = last.last_sequence;
            let Checkpoint { last_sequence, last_hash, last_timestamp, .. } = last.clone();
            (head.sequence, head.hash, head.timestamp) = (last_sequence, last_hash, last_timestamp);
            if last.is_signed_by(&keys) {
                (head.retention_days, head.held_since) = (last.retention_days, last.held_since);
            }
        }
        let mut walk = self.chain_walk(account);
        while let Some(item) = walk.next().await? {
            let reference = item.ok().and_then(|Raw(item)| Reference::from_item(item).ok());
            let Some(reference) = reference.filter(|one| one.account == account) else {
                let message = "An event of this log cannot be read: restore it from a backup first";
                return Err(Error::new(CONFLICT, message));
            };
            if reference.sequence >= head.sequence {
                head.advance(&reference);
            } else if reference.event_id > head.event_id {
                // What comes next must sort after it, whatever number it has.
                head.event_id = reference.event_id;
            }
        }
        Ok(head)
    }
}

/// What was found when a log was sealed anew, if an event is about that.
pub(super) fn found_then(row: &Row) -> Option<String> {
    // The platform's log has such events about others.
    let is_own = row.resource_id.as_ref() == Some(&row.account);
    if row.event_type != KIND || row.action != ACTION || !is_own {
        return None;
    }
    let details: Value = serde_json::from_str(row.details.as_deref()?).ok()?;
    Some(details["found"].as_str()?.to_owned())
}

fn nothing_to_do() -> Error {
    Error::new(CONFLICT, "The end of this log is as it should be: there is nothing to seal anew")
}
