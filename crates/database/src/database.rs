//! The handle: open a database, call its operations, close it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arc_swap::ArcSwapOption;
use tokio::sync::oneshot;

use crate::catalog::{Catalog, Table};
use crate::clock::Clock;
use crate::commit::{CommitStatistics, Committer, Executor, Shared, Start, Transaction};
use crate::conflicts::Conflicts;
use crate::disk::DiskGuard;
use crate::lifecycle::Lifecycle;
use crate::log::LogHead;
use crate::open::{self, OpenError, Opened};
use crate::options::Options;
use crate::stamps::Stamps;
use crate::storage::{ClosedSnapshot, Durability, Snapshot, Storage, StorageError};
use crate::{Error, arn, background, text};

/// An open database. Cloning is cheap: every clone is the same database. It is closed by
/// [`Database::close`], or when the last clone is dropped.
///
/// Operations are `async` because a write waits for its group to become durable; reads do their
/// (short, bounded) work on the caller's thread.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    /// Let go when the database is closed, so that the folder can be opened again.
    storage: ArcSwapOption<Arc<dyn Storage>>,
    shared: Arc<Shared>,
    executor: Arc<Executor>,
    closed: AtomicBool,
    conflicts: Conflicts,
    lifecycle: Lifecycle,
    disk: DiskGuard,
    background: background::Handle,
    committer: Mutex<Option<JoinHandle<()>>>,
}

impl Database {
    /// Opens a database with everything in it checked as [`crate::open`] says.
    pub fn open(options: Options) -> Result<Database, OpenError> {
        let Opened { storage, catalog, head, verified, watermark, marked } = open::open(&options)?;
        let shared = Arc::new(Shared::new(Arc::clone(&catalog), options.points.clone()));
        let start = Start {
            storage: Arc::clone(&storage),
            clock: Arc::clone(&options.clock),
            catalog,
            head,
            verified,
            marked,
        };
        let executor = Arc::new(Executor::new(start, Arc::clone(&shared)));
        let committer = Committer {
            storage: Arc::clone(&storage),
            durability: options.durability,
            executor: Arc::clone(&executor),
            shared: Arc::clone(&shared),
            // Without a sync before it, a note could be ahead of what the disk holds.
            watermark: watermark.filter(|_| options.durability == Durability::Durable),
        };
        let committer = spawn("plinth-committer", move || committer.run())?;
        let inner = Arc::new(Inner {
            disk: DiskGuard::new(&options),
            options,
            storage: ArcSwapOption::from_pointee(storage),
            shared,
            executor,
            closed: AtomicBool::new(false),
            conflicts: Conflicts::default(),
            lifecycle: Lifecycle::default(),
            background: background::Handle::default(),
            committer: Mutex::new(Some(committer)),
        });
        let database = Database { inner };
        background::start(&database).map_err(thread_error)?;
        Ok(database)
    }

    /// Opens a database in memory, for tests and trials.
    pub fn in_memory() -> Result<Database, OpenError> {
        Database::open(Options::in_memory())
    }

    /// Finishes every write that was taken, then closes and lets go of the folder. Operations on any
    /// clone fail from here on. Closing twice does nothing.
    pub fn close(&self) {
        self.inner.close();
    }

    /// Why the database has stopped, if it has: after a failed write nothing is acknowledged any
    /// more, and the process should end.
    pub fn stopped(&self) -> Option<String> {
        self.inner.shared.last_word()
    }

    /// Counts of commits, for metrics.
    pub fn statistics(&self) -> &CommitStatistics {
        &self.inner.shared.statistics
    }

    /// Why writes are refused for now, if they are: there is too little room on the disk.
    pub fn writes_refused(&self) -> Option<String> {
        self.inner.disk.refusal()
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.inner.storage.load_full().map_or(0, |storage| storage.disk_bytes())
    }

    /// How far the sweeper of expired items is behind the clock, at most.
    pub fn expiry_lag_seconds(&self) -> u64 {
        let now = self.clock().now_millis() / 1000;
        self.background().swept_seconds().map_or(0, |swept| now.saturating_sub(swept))
    }

    /// Checks the whole log against its hashes: how many commits it holds, and where it ends.
    pub fn verify_log(&self, progress: impl FnMut(u64)) -> Result<(u64, LogHead), OpenError> {
        open::verify_whole_log(&*self.snapshot(), progress)
    }

    /// Reads everything that the log led to: items, indexes, definitions. Gives how many entries there
    /// are.
    pub fn verify_entries(&self, progress: impl FnMut(u64)) -> Result<u64, OpenError> {
        open::read_everything(&*self.snapshot(), progress)
    }

    /// Does one round of background work now: expiry, index backfill, purge, trimming. For databases
    /// opened without the background thread; gives how many items were worked on.
    pub fn run_background_work(&self) -> Result<usize, Error> {
        background::run_once(self)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.inner.options.clock
    }

    pub(crate) fn stamps(&self) -> &Stamps {
        &self.inner.shared.stamps
    }

    /// The tables that are being created or deleted.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.inner.lifecycle
    }

    pub(crate) fn conflicts(&self) -> &Conflicts {
        &self.inner.conflicts
    }

    pub(crate) fn background(&self) -> &background::Handle {
        &self.inner.background
    }

    pub(crate) fn downgrade(&self) -> WeakDatabase {
        WeakDatabase(Arc::downgrade(&self.inner))
    }

    /// A consistent view of everything that is durable.
    pub(crate) fn snapshot(&self) -> Arc<dyn Snapshot> {
        match &*self.inner.storage.load() {
            Some(storage) => storage.snapshot(),
            None => Arc::new(ClosedSnapshot),
        }
    }

    /// Has the storage tidy up, unless it was let go of.
    pub(crate) fn upkeep(
        &self,
        task: impl FnOnce(&dyn Storage) -> Result<(), StorageError>,
    ) -> Result<(), Error> {
        let Some(storage) = self.inner.storage.load_full() else { return Ok(()) };
        task(&**storage).map_err(|error| Error::Stopped(self.inner.shared.stop(&error)))
    }

    /// The tables, as of the last durable commit.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.inner.shared.catalog()
    }

    /// Reads are refused too once the database has stopped.
    pub(crate) fn check_running(&self) -> Result<(), Error> {
        if self.inner.shared.is_stopped() || self.inner.closed.load(Ordering::Acquire) {
            return Err(self.stopped_error());
        }
        Ok(())
    }

    /// The table with this name or ARN, for an operation on items.
    pub(crate) fn table(&self, operation: &str, name_or_arn: &str) -> Result<Arc<Table>, Error> {
        self.check_running()?;
        let name = arn::own_table(self.options(), operation, name_or_arn)?;
        if self.lifecycle().phase(name, self.clock()).is_some() {
            return Err(Error::ResourceNotFound(text::RESOURCE_NOT_FOUND.to_owned()));
        }
        self.inner.shared.table(name)
    }

    /// Runs a job and waits until its changes are durable. Refused while the disk is nearly full.
    pub(crate) async fn commit<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Transaction<'_>) -> Result<T, Error> + Send + 'static,
    {
        self.inner.disk.check()?;
        self.commit_without_disk_check(job).await
    }

    /// Like [`Database::commit`], also while the disk is nearly full: for jobs that make room.
    pub(crate) async fn commit_without_disk_check<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Transaction<'_>) -> Result<T, Error> + Send + 'static,
    {
        let receiver = self.submit(job)?;
        receiver.await.unwrap_or_else(|_| Err(self.stopped_error()))
    }

    /// Like [`Database::commit_without_disk_check`], for threads outside any async runtime.
    pub(crate) fn commit_blocking<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Transaction<'_>) -> Result<T, Error> + Send + 'static,
    {
        let receiver = self.submit(job)?;
        receiver.blocking_recv().unwrap_or_else(|_| Err(self.stopped_error()))
    }

    fn submit<T, F>(&self, job: F) -> Result<oneshot::Receiver<Result<T, Error>>, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Transaction<'_>) -> Result<T, Error> + Send + 'static,
    {
        self.check_running()?;
        let (sender, receiver) = oneshot::channel();
        let job: crate::commit::Job = Box::new(move |transaction| {
            let outcome = job(transaction);
            let stands = outcome.is_ok();
            // A caller that has gone away needs no answer.
            let completion = move |durable: Result<(), Error>| {
                let _ = sender.send(durable.and(outcome));
            };
            (stands, Box::new(completion))
        });
        if self.inner.executor.submit(job) { Ok(receiver) } else { Err(self.stopped_error()) }
    }

    fn stopped_error(&self) -> Error {
        Error::Stopped(self.stopped().unwrap_or_else(|| text::CLOSED.to_owned()))
    }
}

/// A handle that does not keep the database open.
pub(crate) struct WeakDatabase(std::sync::Weak<Inner>);

impl WeakDatabase {
    pub(crate) fn upgrade(&self) -> Option<Database> {
        self.0.upgrade().map(|inner| Database { inner })
    }
}

impl Inner {
    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.background.stop();
        // Held to the end: who closes at the same time returns when everything is let go of.
        let mut committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = committer.take() {
            self.finish_writes(thread);
        }
        let storage = self.storage.swap(None);
        if let Some(storage) = storage
            && !self.shared.is_stopped()
            && let Err(error) = storage.settle()
        {
            self.shared.stop(&error);
        }
    }

    /// Has everything that was taken made durable.
    fn finish_writes(&self, committer: JoinHandle<()>) {
        self.executor.stop();
        if committer.thread().id() != std::thread::current().id() {
            // A thread that panicked has said so on standard error.
            let _ = committer.join();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, OpenError> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map_err(thread_error)
}

fn thread_error(error: std::io::Error) -> OpenError {
    OpenError::Io { path: "thread".into(), error }
}
