//! How identity's writes are made: together with their audit entries and events, by whoever keeps
//! those.

use std::future::Future;
use std::pin::Pin;

use audit::Entry;
use changes::Event;
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
pub type Committing<'a> = Pin<Box<dyn Future<Output = Result<(), store::Error>> + Send + 'a>>;

/// One transaction for writes and what is noted of them. The writes come first and in order: errors
/// name them by their place. Without writes, what is noted is recorded all the same.
pub trait Commit: Send + Sync {
    /// Commits.
    fn commit(&self, writes: Vec<Write>, noted: Noted) -> Committing<'_>;
}

/// The writes alone: nothing is recorded or told. For the command line before the audit log is there,
/// and for tests.
impl Commit for Store {
    fn commit(&self, writes: Vec<Write>, _: Noted) -> Committing<'_> {
        Box::pin(async move {
            if writes.is_empty() {
                return Ok(());
            }
            let transaction = writes.into_iter().fold(Transaction::new(), Transaction::with);
            Store::commit(self, transaction).await
        })
    }
}

/// How often a commit is tried again that met nothing but other transactions, besides the store's own
/// attempts: a crowd on one email address is let in one by one.
const CROWDED_TRIES_MAX: usize = 8;

/// Commits, through a crowd.
pub(super) async fn commit_through(
    commit: &dyn Commit,
    writes: Vec<Write>,
    noted: Noted,
) -> Result<(), store::Error> {
    for _ in 0..CROWDED_TRIES_MAX {
        match commit.commit(writes.clone(), noted.clone()).await {
            Err(store::Error::TransactionFailed(reasons))
                if reasons.iter().all(|reason| reason.code == "TransactionConflict") => {}
            result => return result,
        }
    }
    commit.commit(writes, noted).await
}
