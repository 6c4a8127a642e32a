//! One transaction: what a caller writes, the events that record it, and what goes with it.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel::error::{Error, UNPROCESSABLE};
use store::{Reason, Transaction, Write};
use values::Item;
use values::limits::{TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};

use super::chain::{Linked, Locked, Part};
use super::head::Head;
use super::row::Row;
use super::{Audit, Entry, Origin};

/// How often a transaction is tried while others move the ends of its chains.
const ATTEMPTS_MAX: u32 = 12;
/// The longest pause before the second attempt; it doubles.
const PAUSE_FIRST_MS: u64 = 4;
const PAUSE_MAX_MS: u64 = 250;
/// Fewer writes are never too much: each has at most 400 KB, and the values of its condition.
const WEIGHED_MIN: usize = 9;
const CONDITION: &str = "ConditionalCheckFailed";
const CONFLICT: &str = "TransactionConflict";

/// Why nothing was written.
#[derive(Debug)]
pub enum Failure {
    /// The condition of one of the caller's writes.
    Before {
        /// Its place among the writes.
        index: usize,
        /// The item as it was found.
        found: Option<Item>,
    },
    /// The condition of one of the writes that go with it.
    After {
        /// Its place among them.
        index: usize,
    },
    /// More than a transaction holds.
    TooLarge(Error),
    /// Nobody answered: it may have been written.
    Uncertain(Error),
    /// Anything else.
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Failed(error)
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Failure {
        match error {
            store::Error::Unavailable(_) => Failure::Uncertain(error.into()),
            _ => Failure::Failed(error.into()),
        }
    }
}

/// What becomes of a transaction that was not done.
enum Verdict {
    Again(Vec<(String, Option<Item>)>),
    Over(Failure),
}

impl Audit {
    /// Records entries on their own.
    pub async fn record(&self, entries: &[Entry], origin: &Origin) -> Result<(), Error> {
        let mut rows: Vec<Row> = entries.iter().map(|entry| self.draft(entry, origin)).collect();
        let done = self.commit(Vec::new(), &mut rows, Vec::new(), &|_| {}).await;
        done.map_err(Failure::into_error)
    }

    /// An event without its place in the chain.
    pub fn draft(&self, entry: &Entry, origin: &Origin) -> Row {
        Row::draft(entry, origin, self.now())
    }

    /// Writes everything or nothing: `before`, the events, `after`. `adjust` may change the ends of
    /// the chains besides.
    pub async fn commit(
        &self,
        before: Vec<Write>,
        rows: &mut [Row],
        after: Vec<Write>,
        adjust: &(dyn Fn(&mut Head) + Sync),
    ) -> Result<(), Failure> {
        if before.is_empty() && rows.is_empty() && after.is_empty() {
            return Ok(());
        }
        let accounts: BTreeSet<String> = rows.iter().map(|row| row.account.clone()).collect();
        let mut locked = self.lock(accounts).await;
        let start = before.len();
        let mut transaction: Transaction = before.into_iter().chain(after).collect();
        let mut links = start..start;
        let mut attempt = 1;
        loop {
            locked.load().await?;
            let mut linked = locked.link(rows, self.now(), adjust)?;
            transaction.replace(links, std::mem::take(&mut linked.writes));
            links = start..start + linked.parts.len();
            check_size(&transaction)?;
            let error = match self.inner.store.commit(&mut transaction).await {
                Ok(()) => {
                    locked.accept(linked);
                    return Ok(());
                }
                Err(error) => error,
            };
            let moved = match judge(error, start, &linked) {
                Verdict::Over(failure) => {
                    if matches!(failure, Failure::Uncertain(_)) {
                        locked.forget();
                    }
                    return Err(failure);
                }
                Verdict::Again(moved) => moved,
            };
            if attempt == ATTEMPTS_MAX {
                let why = "others kept changing the same account's audit chain";
                return Err(Error::unavailable(why).into());
            }
            Box::pin(self.before_next(&mut locked, moved, attempt)).await?;
            attempt += 1;
        }
    }

    async fn before_next(
        &self,
        locked: &mut Locked<'_>,
        moved: Vec<(String, Option<Item>)>,
        attempt: u32,
    ) -> Result<(), Error> {
        for (account, found) in moved {
            locked.moved(&account, found).await?;
        }
        let longest = (PAUSE_FIRST_MS << attempt.min(10)).min(PAUSE_MAX_MS);
        let [chance] = self.inner.ids.bytes::<1>()?;
        let pause = longest * u64::from(chance) / 255;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok(())
    }
}

impl Failure {
    /// For callers who wrote nothing of their own.
    pub(super) fn into_error(self) -> Error {
        match self {
            Failure::Before { .. } | Failure::After { .. } => {
                Error::internal("a write that goes with audit entries failed by its condition")
            }
            Failure::TooLarge(error) | Failure::Uncertain(error) | Failure::Failed(error) => error,
        }
    }
}

fn check_size(transaction: &Transaction) -> Result<(), Failure> {
    if transaction.len() < WEIGHED_MIN {
        return Ok(());
    }
    let bytes = transaction.weight();
    if transaction.len() <= TRANSACTION_ACTIONS_MAX && bytes <= TRANSACTION_BYTES_MAX {
        return Ok(());
    }
    let message = "This changes more at once than is possible. Split it into smaller requests";
    let error = Error::new(UNPROCESSABLE, message)
        .detail("writes", transaction.len())
        .detail("writesMax", TRANSACTION_ACTIONS_MAX)
        .detail("bytes", bytes)
        .detail("bytesMax", TRANSACTION_BYTES_MAX);
    Err(Failure::TooLarge(error))
}

/// A caller's condition comes first: it is what the caller asked. An end that moved is found again.
fn judge(error: store::Error, before: usize, linked: &Linked) -> Verdict {
    let reasons = match error {
        store::Error::TransactionFailed(reasons) => reasons,
        other => return Verdict::Over(other.into()),
    };
    let failed = |reason: &&Reason| reason.code == CONDITION;
    if let Some(reason) = reasons.iter().filter(failed).find(|reason| reason.action < before) {
        let (index, found) = (reason.action, reason.found.clone());
        return Verdict::Over(Failure::Before { index, found });
    }
    let end = before + linked.parts.len();
    if let Some(reason) = reasons.iter().filter(failed).find(|reason| reason.action >= end) {
        return Verdict::Over(Failure::After { index: reason.action - end });
    }
    if reasons.iter().any(|reason| reason.code != CONDITION && reason.code != CONFLICT) {
        return Verdict::Over(store::Error::TransactionFailed(reasons).into());
    }
    let mut moved = Vec::new();
    let mut begun = None;
    for reason in reasons.iter().filter(failed) {
        match linked.parts.get(reason.action - before) {
            Some(Part::Head(account)) => moved.push((account.clone(), reason.found.clone())),
            Some(Part::Register(account)) => begun = Some(account),
            _ => {}
        }
    }
    if let (Some(account), true) = (begun, moved.is_empty()) {
        let why = format!("the audit chain of {account} has begun and has no end: verify it");
        return Verdict::Over(Error::internal(why).into());
    }
    Verdict::Again(moved)
}
