//! How identity's writes are made: together with their audit entries and events, by whoever keeps
//! those.

use std::future::Future;
use std::pin::Pin;

use audit::Entry;
use changes::{Conflict, Event, Refusal, Rejection};
use kernel::Error;
use store::{Store, Transaction, Write};

/// What happened, to be recorded and told with the writes.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// For the audit log.
    pub entries: Vec<Entry>,
    /// For those who listen.
    pub events: Vec<Event>,
}

impl Noted {
    pub(super) fn entry(entry: Entry) -> Noted {
        Noted { entries: vec![entry], events: Vec::new() }
    }

    pub(super) fn and(mut self, event: Event) -> Noted {
        self.events.push(event);
        self
    }
}

/// The outcome of a commit.
pub type Committing<'a> = Pin<Box<dyn Future<Output = Result<(), Rejection>> + Send + 'a>>;

/// One transaction for writes and what is noted of them. Each write says what its false condition
/// means. Without writes, what is noted is recorded all the same.
pub trait Commit: Send + Sync {
    /// Commits.
    fn commit(&self, writes: Vec<(Write, Refusal)>, noted: Noted) -> Committing<'_>;
}

/// How often a transaction is tried again that met nothing but other transactions, besides the store's
/// own attempts: a crowd on one email address is let in one by one.
const CROWDED_TRIES_MAX: usize = 8;

/// The writes alone: nothing is recorded or told. For the command line before the audit log is there,
/// and for tests.
impl Commit for Store {
    fn commit(&self, writes: Vec<(Write, Refusal)>, _: Noted) -> Committing<'_> {
        Box::pin(async move {
            if writes.is_empty() {
                return Ok(());
            }
            let (writes, mut refusals): (Vec<_>, Vec<_>) = writes.into_iter().unzip();
            let transaction: Transaction = writes.into_iter().collect();
            let mut tries = 0;
            loop {
                let reasons = match Store::commit(self, transaction.clone()).await {
                    Err(store::Error::TransactionFailed(reasons)) => reasons,
                    result => return Ok(result?),
                };
                tries += 1;
                let failed = reasons.iter().find(|reason| reason.code == "ConditionalCheckFailed");
                if let Some(failed) = failed.filter(|failed| failed.action < refusals.len()) {
                    let refusal = refusals.swap_remove(failed.action);
                    return Err(refusal.of(failed.found.clone()));
                }
                if tries > CROWDED_TRIES_MAX {
                    return Err(store::Error::TransactionFailed(reasons).into());
                }
            }
        })
    }
}

/// Writes whose false condition means that another request changed the same item.
pub(super) fn guarded(writes: impl IntoIterator<Item = Write>) -> Vec<(Write, Refusal)> {
    writes.into_iter().map(|write| (write, Error::changed_meanwhile().into())).collect()
}

/// The same, the first of which is the one that tells whether another request was faster.
pub(super) fn first_decides(writes: impl IntoIterator<Item = Write>) -> Vec<(Write, Refusal)> {
    let mut writes = guarded(writes);
    if let Some((_, refusal)) = writes.first_mut() {
        *refusal = Conflict.into();
    }
    writes
}
