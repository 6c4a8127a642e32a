//! Entries that nobody waits for: authentication attempts are gathered and recorded together, into
//! the same chains. The queue has an end: who fills it waits. What cannot be recorded is tried again;
//! an attempt without an answer may then be recorded twice, never not at all.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::commit::Failure;
use super::row::Row;
use super::{Audit, Entry, Origin};
use crate::error::Error;

/// Entries that wait at most.
const QUEUE_MAX: usize = 4096;
/// Entries of one transaction: two items each, and the end and the register.
const TOGETHER_MAX: usize = 45;
/// For how long more entries are waited for.
const GATHER: Duration = Duration::from_millis(50);
/// The longest pause before what failed is tried again.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// How often a flush tries before it says that it could not.
const FLUSH_ATTEMPTS_MAX: u32 = 5;

enum Message {
    Record(Box<Row>),
    Flush(oneshot::Sender<Result<(), Error>>),
}

/// A queue into the log. Cloning is cheap.
#[derive(Clone)]
pub struct Later {
    audit: Audit,
    queue: mpsc::Sender<Message>,
}

impl Later {
    /// Starts the worker, on the runtime that this is called on. It ends, and has recorded what it
    /// was given, when every clone of the queue is gone.
    pub fn start(audit: Audit) -> (Later, JoinHandle<()>) {
        let (queue, messages) = mpsc::channel(QUEUE_MAX);
        let worker = tokio::spawn(work(audit.clone(), messages));
        (Later { audit, queue }, worker)
    }

    /// Has an entry recorded soon. Waits only if the queue is full.
    pub async fn record(&self, entry: &Entry, origin: &Origin) -> Result<(), Error> {
        let row = self.audit.draft(entry, origin);
        let sent = self.queue.send(Message::Record(Box::new(row))).await;
        sent.map_err(|_| Error::unavailable("the audit queue has been closed"))
    }

    /// Waits until everything that was given before is recorded; before a shutdown.
    pub async fn flush(&self) -> Result<(), Error> {
        let closed = || Error::unavailable("the audit queue has been closed");
        let (sender, answer) = oneshot::channel();
        self.queue.send(Message::Flush(sender)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

async fn work(audit: Audit, mut messages: mpsc::Receiver<Message>) {
    let mut waiting: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut failures: u32 = 0;
    loop {
        let pause = match failures {
            0 => GATHER,
            failures => (GATHER * 2_u32.saturating_pow(failures.min(10))).min(PAUSE_MAX),
        };
        let count: usize = waiting.values().map(Vec::len).sum();
        let message = if count == 0 {
            messages.recv().await
        } else if count >= QUEUE_MAX {
            // Nothing is taken on before something has been got rid of.
            tokio::time::sleep(pause).await;
            failures = after(store_all(&audit, &mut waiting).await, failures);
            continue;
        } else {
            match tokio::time::timeout(pause, messages.recv()).await {
                Ok(message) => message,
                Err(_) => {
                    failures = after(store_all(&audit, &mut waiting).await, failures);
                    continue;
                }
            }
        };
        match message {
            Some(Message::Record(row)) => {
                let rows = waiting.entry(row.account.clone()).or_default();
                rows.push(*row);
                if rows.len() >= TOGETHER_MAX && failures == 0 {
                    failures = after(store_all(&audit, &mut waiting).await, failures);
                }
            }
            Some(Message::Flush(answer)) => {
                // Who asked may have gone.
                let _ = answer.send(insist(&audit, &mut waiting).await);
            }
            None => {
                let _ = insist(&audit, &mut waiting).await;
                return;
            }
        }
    }
}

fn after(done: Result<(), Error>, failures: u32) -> u32 {
    if done.is_ok() { 0 } else { failures + 1 }
}

async fn insist(audit: &Audit, waiting: &mut BTreeMap<String, Vec<Row>>) -> Result<(), Error> {
    let mut attempt = 1;
    loop {
        match store_all(audit, waiting).await {
            Err(_) if attempt < FLUSH_ATTEMPTS_MAX => {
                tokio::time::sleep(GATHER * attempt).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}

/// Records what waits, account by account. One account's failure does not keep the others back.
async fn store_all(audit: &Audit, waiting: &mut BTreeMap<String, Vec<Row>>) -> Result<(), Error> {
    let mut failed = Ok(());
    let accounts: Vec<String> = waiting.keys().cloned().collect();
    for account in accounts {
        let Some(rows) = waiting.get_mut(&account) else { continue };
        while !rows.is_empty() {
            let count = rows.len().min(TOGETHER_MAX);
            match audit.commit(&[], &rows[..count], &[], &|_| {}).await {
                Ok(()) => {
                    rows.drain(..count);
                }
                Err(failure) => {
                    failed = Err(Failure::into_error(failure));
                    break;
                }
            }
        }
        if rows.is_empty() {
            waiting.remove(&account);
        }
    }
    failed
}
