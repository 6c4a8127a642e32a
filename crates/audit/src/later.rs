//! Entries that nobody waits for: authentication attempts are gathered and recorded together, into
//! the same chains. What happens again while it waits, the same in everything but its time, is
//! recorded with the first of its kind: how often, and when each time. The queue has an end: who fills
//! it waits. What cannot be recorded is tried again; an attempt without an answer may then be recorded
//! twice, never not at all. Only what the store refuses for good is given up, and counted. What
//! strangers cause faster than it can be recorded, or than they may, is counted, and the number
//! recorded ([`Tally`]).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use kernel::error::{Error, SERVICE_UNAVAILABLE};
use kernel::metrics::Metrics;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::again::{Again, Known};
use super::commit::Failure;
use super::repeated::Repeated;
use super::row::Row;
use super::tally::Tally;
use super::{Audit, Entry, Origin};

/// Entries that wait at most.
const QUEUE_MAX: usize = 4096;
/// Entries of one transaction: two items each, and the end and the register.
const TOGETHER_MAX: usize = 45;
/// For how long an entry waits for others, at most.
const GATHER: Duration = Duration::from_millis(100);
/// Accounts whose entries are stored at one time.
const STORED_AT_ONCE: usize = 16;
/// The longest pause before what failed is tried again.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// How often what was only counted is recorded.
const TALLY_EVERY: Duration = Duration::from_secs(10);
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
    again: Arc<Again>,
    tally: Arc<Tally>,
    counted: Counter,
    refused: Counter,
}

impl Later {
    /// Starts the worker, on the runtime that this is called on. It ends, and has recorded what it
    /// was given, when every clone of the queue is gone.
    pub fn start(audit: Audit) -> (Later, JoinHandle<()>) {
        let (queue, messages) = mpsc::channel(QUEUE_MAX);
        let (again, tally) = (Arc::<Again>::default(), Arc::<Tally>::default());
        let refused = Counter::default();
        let worker = Worker {
            audit: audit.clone(),
            waiting: BTreeMap::new(),
            again: Arc::clone(&again),
            tally: Arc::clone(&tally),
            tallied: Instant::now(),
            refused: refused.clone(),
        };
        let worker = tokio::spawn(worker.work(messages));
        (Later { audit, queue, again, tally, counted: Counter::default(), refused }, worker)
    }

    /// How many entries the store refused for good; more than none is a fault to look into.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// How many entries were not recorded one by one, but as a number.
    pub fn counted(&self) -> u64 {
        self.counted.get()
    }

    /// Shows both with these metrics.
    pub fn show(&self, metrics: &Metrics) {
        let help = "Attempts of strangers that are in the audit log as a number, not one by one";
        metrics.show_counter("audit_attempts_counted", help, self.counted.clone());
        let help = "Audit entries that the store refused for good: a fault to look into";
        metrics.show_counter("audit_entries_refused", help, self.refused.clone());
    }

    /// Has an entry recorded soon. Waits only if the queue is full.
    pub async fn record(&self, entry: &Entry, origin: &Origin) -> Result<(), Error> {
        if !self.queue.is_closed() && self.again.note(entry, origin, self.audit.now()) {
            return Ok(());
        }
        let row = self.audit.draft(entry, origin);
        let sent = self.queue.send(Message::Record(Box::new(row))).await;
        sent.map_err(|_| Error::unavailable("the audit queue has been closed"))
    }

    /// The same for an entry that a stranger caused. If the queue is half full it is only counted:
    /// whoever sends nonsense must not make others wait.
    pub fn record_if_room(&self, entry: &Entry, origin: &Origin) {
        let has_room = self.queue.capacity() > QUEUE_MAX / 2;
        let send = || {
            let row = self.audit.draft(entry, origin);
            self.queue.try_send(Message::Record(Box::new(row))).is_ok()
        };
        if !has_room || !send() {
            self.count(entry);
        }
    }

    /// Counts an entry that a stranger caused, so that it is recorded with others like it, as one.
    pub fn count(&self, entry: &Entry) {
        self.tally.count(entry, self.audit.now());
        self.counted.inc();
    }

    /// Waits until everything that was given before is recorded; before a shutdown.
    pub async fn flush(&self) -> Result<(), Error> {
        let closed = || Error::unavailable("the audit queue has been closed");
        let (sender, answer) = oneshot::channel();
        self.queue.send(Message::Flush(sender)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

struct Worker {
    audit: Audit,
    /// By account.
    waiting: BTreeMap<String, Vec<Repeated>>,
    /// What came in besides: only when entries happened again.
    again: Arc<Again>,
    tally: Arc<Tally>,
    /// When the tally was last recorded.
    tallied: Instant,
    refused: Counter,
}

impl Worker {
    async fn work(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut failures: u32 = 0;
        let mut due = Instant::now() + TALLY_EVERY;
        loop {
            let message = if self.count() < QUEUE_MAX {
                tokio::time::timeout_at(due, messages.recv()).await.map_err(|_| ())
            } else {
                // Nothing is taken on before something has been got rid of.
                tokio::time::sleep_until(due).await;
                Err(())
            };
            let is_time = match message {
                Err(()) => true,
                Ok(Some(Message::Record(row))) => {
                    if self.waiting.is_empty() {
                        due = Instant::now() + GATHER;
                    }
                    self.wait(*row) >= TOGETHER_MAX && failures == 0
                }
                Ok(Some(Message::Flush(answer))) => {
                    // Who asked may have gone.
                    let _ = answer.send(self.insist().await);
                    false
                }
                Ok(None) => {
                    let _ = self.insist().await;
                    return;
                }
            };
            if is_time {
                if self.tallied.elapsed() >= TALLY_EVERY && self.count() < QUEUE_MAX / 2 {
                    self.take_tally();
                }
                failures = if self.store_all().await.is_ok() { 0 } else { failures + 1 };
                let pause = (GATHER * 2_u32.saturating_pow(failures.min(10))).min(PAUSE_MAX);
                due = Instant::now() + if self.waiting.is_empty() { TALLY_EVERY } else { pause };
            }
        }
    }

    /// Lets an event wait, by itself or with one that it repeats. Gives how many wait for its account.
    fn wait(&mut self, row: Row) -> usize {
        let rows = self.waiting.entry(row.account.clone()).or_default();
        join(rows, row);
        rows.len()
    }

    /// The times at which entries happened again wait with their first ones from now on.
    fn take_again(&mut self) {
        for Known { entry, origin, mut times, .. } in self.again.take() {
            let row = self.audit.draft(&entry, &origin);
            let rows = self.waiting.entry(row.account.clone()).or_default();
            while !times.is_empty() {
                let time = times.remove(0);
                let row = Row { timestamp: time, occurred_at: time, ..row.clone() };
                let place = join(rows, row);
                rows[place].happened_again(&mut times);
            }
        }
    }

    fn count(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    /// What was only counted waits to be recorded from now on.
    fn take_tally(&mut self) {
        self.tallied = Instant::now();
        let origin = Origin::system("audit");
        for entry in self.tally.take() {
            self.wait(self.audit.draft(&entry, &origin));
        }
    }

    async fn insist(&mut self) -> Result<(), Error> {
        self.take_tally();
        let mut attempt = 1;
        loop {
            match self.store_all().await {
                Err(_) if attempt < FLUSH_ATTEMPTS_MAX => {
                    tokio::time::sleep(GATHER * attempt).await;
                    attempt += 1;
                }
                done => return done,
            }
        }
    }

    /// Records what waits. One account's failure does not keep the others back.
    async fn store_all(&mut self) -> Result<(), Error> {
        self.take_again();
        let mut outcome = Ok(());
        let waiting = std::mem::take(&mut self.waiting);
        let (audit, refused) = (&self.audit, &self.refused);
        let stored = waiting.into_iter().map(|(account, rows)| async move {
            let mut rows: Vec<Row> = rows.into_iter().map(Repeated::into_row).collect();
            let done = store(audit, refused, &mut rows).await;
            (account, rows, done)
        });
        let mut stored = stream::iter(stored).buffer_unordered(STORED_AT_ONCE);
        while let Some((account, rows, done)) = stored.next().await {
            if let Err(error) = done {
                outcome = Err(error);
                self.waiting.insert(account, rows.into_iter().map(Repeated::first).collect());
            }
        }
        outcome
    }
}

/// Lets an event wait with one that it repeats, or by itself; gives that one's place.
fn join(rows: &mut Vec<Repeated>, row: Row) -> usize {
    let mut row = Some(row);
    // More wait only while the store fails: who comes then is not compared with all of them.
    let compared = rows.len().saturating_sub(TOGETHER_MAX)..rows.len();
    for place in compared.rev() {
        row = row.and_then(|row| rows[place].take(row));
        if row.is_none() {
            return place;
        }
    }
    rows.extend(row.map(Repeated::first));
    rows.len() - 1
}

async fn store(audit: &Audit, refused: &Counter, rows: &mut Vec<Row>) -> Result<(), Error> {
    let mut together = TOGETHER_MAX;
    while !rows.is_empty() {
        let count = rows.len().min(together);
        let done = audit.commit(Vec::new(), &mut rows[..count], Vec::new(), &|_| {}).await;
        match done.map_err(Failure::into_error) {
            Ok(()) => {}
            Err(error) if error.code() == SERVICE_UNAVAILABLE => return Err(error),
            // One of them can never be written: which?
            Err(_) if count > 1 => {
                together = 1;
                continue;
            }
            Err(_) => {
                refused.inc();
            }
        }
        rows.drain(..count);
    }
    Ok(())
}
