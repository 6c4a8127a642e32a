//! The thread that makes groups durable and answers their callers.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use arc_swap::ArcSwap;

use super::group::Group;
use super::{Executor, Watermark};
use crate::catalog::{Catalog, Table};
use crate::options::Points;
use crate::stamps::Stamps;
use crate::storage::{Durability, Storage, StorageError};
use crate::{Error, notice};

/// Counts what the committer does, for metrics.
#[derive(Debug, Default)]
pub struct CommitStatistics {
    /// Groups made durable.
    pub groups: AtomicU64,
    /// Jobs in them.
    pub jobs: AtomicU64,
    /// Microseconds spent in the storage's commit, sync included.
    pub commit_micros: AtomicU64,
    /// The last durable commit.
    pub sequence: AtomicU64,
}

/// What the executor, the committer and the readers share.
#[derive(Debug, Default)]
pub struct Shared {
    catalog: ArcSwap<Catalog>,
    stopped: AtomicBool,
    last_word: RwLock<Option<String>>,
    /// Counts for metrics.
    pub statistics: CommitStatistics,
    /// Who is told of named points.
    pub points: Points,
    /// Tells of items whether they have changed.
    pub stamps: Stamps,
}

impl Shared {
    /// Shares this catalog.
    pub fn new(catalog: Arc<Catalog>, points: Points) -> Shared {
        Shared { catalog: ArcSwap::new(catalog), points, ..Shared::default() }
    }

    /// The tables, as of the last durable group.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.catalog.load_full()
    }

    /// The table with this name, as of the last durable group.
    pub fn table(&self, name: &str) -> Result<Arc<Table>, Error> {
        self.catalog.load().table(name).cloned()
    }

    /// Has the database stopped?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Why the database has stopped, if it has.
    pub fn last_word(&self) -> Option<String> {
        self.last_word.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the database: nothing is acknowledged from here on. Gives the word that counts, which
    /// is the first one.
    pub fn stop(&self, error: &StorageError) -> String {
        let mut last_word = self.last_word.write().unwrap_or_else(PoisonError::into_inner);
        self.stopped.store(true, Ordering::Release);
        if let Some(first) = &*last_word {
            return first.clone();
        }
        let word = format!(
            "The database has stopped: {error}. Writes that were not answered may or may not \
             have happened; everything answered is on disk. Free or repair the disk, then start \
             again"
        );
        *last_word = Some(word.clone());
        drop(last_word);
        notice::error(&word);
        word
    }
}

/// The thread's own state.
pub struct Committer {
    /// Where groups go.
    pub storage: Arc<dyn Storage>,
    /// When a group counts as committed.
    pub durability: Durability,
    /// Where groups come from.
    pub executor: Arc<Executor>,
    /// What readers see.
    pub shared: Arc<Shared>,
    /// The note beside the storage; absent in memory.
    pub watermark: Option<Watermark>,
}

impl Committer {
    /// Makes groups durable until there are no more.
    pub fn run(mut self) {
        let _end = End(Arc::clone(&self.executor));
        while let Some(group) = self.executor.next_group() {
            let outcome = catch_unwind(AssertUnwindSafe(|| self.carry_out(&group)));
            let outcome = outcome.unwrap_or_else(|_| {
                // The panic has been reported.
                let detail = "a commit ended in an internal error".to_owned();
                Err(Error::Stopped(self.shared.stop(&StorageError::Damaged(detail))))
            });
            self.shared.points.reach("committer:before-answers");
            for completion in group.completions {
                completion(outcome.clone());
                self.shared.points.reach("committer:after-answer");
            }
        }
        if let Some(watermark) = &self.watermark
            && let Err(error) = watermark.sync()
        {
            self.stop_for_watermark(&error);
        }
    }

    /// Makes a group durable, and what it changed known.
    fn carry_out(&mut self, group: &Group) -> Result<(), Error> {
        self.shared.points.reach("committer:before-group");
        self.shared.stamps.mark(group);
        self.commit(group)?;
        if let Some(catalog) = &group.catalog {
            self.shared.catalog.store(Arc::clone(catalog));
        }
        self.shared.stamps.stamp(group);
        Ok(())
    }

    fn commit(&mut self, group: &Group) -> Result<(), Error> {
        if self.shared.is_stopped() {
            return Err(Error::Stopped(self.shared.last_word().unwrap_or_default()));
        }
        if group.writes.is_empty() {
            return Ok(());
        }
        self.shared.points.reach("committer:before-commit");
        let started = Instant::now();
        let committed = self.storage.commit(&mut group.writes.sorted(), self.durability);
        committed.map_err(|error| Error::Stopped(self.shared.stop(&error)))?;
        self.shared.points.reach("committer:before-watermark");
        let statistics = &self.shared.statistics;
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        statistics.commit_micros.fetch_add(micros, Ordering::Relaxed);
        statistics.groups.fetch_add(1, Ordering::Relaxed);
        statistics.jobs.fetch_add(group.completions.len() as u64, Ordering::Relaxed);
        statistics.sequence.store(group.head.sequence, Ordering::Release);
        if let Some(watermark) = &mut self.watermark {
            let noted = watermark.note(&group.head);
            noted.map_err(|error| Error::Stopped(self.stop_for_watermark(&error)))?;
        }
        Ok(())
    }

    fn stop_for_watermark(&self, error: &io::Error) -> String {
        let word = format!("the watermark cannot be written: {error}");
        self.shared.stop(&StorageError::Io(word))
    }
}

/// Tells those who still wait that nobody will answer them.
struct End(Arc<Executor>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end();
    }
}
