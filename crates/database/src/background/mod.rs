//! Work that nobody waits for: filling new indexes, sweeping expired items, purging what was
//! deleted, rolling shards over, trimming streams, the log and old tokens, writing tables while nobody
//! else writes.
//!
//! One thread does a round at a time; every change goes through the same commit queue as a caller's,
//! in small jobs, so that it blocks nobody. [`run_once`] does a round on the caller's thread.
//!
//! Each task does a bounded amount in a round, so that none keeps the others waiting, and remembers
//! in memory where it was. After a restart it starts over, which is correct for all of them: what is
//! done already is found done.

mod backfill;
mod expiry;
mod flush;
mod purge;
mod shards;
mod thread;
mod trim;

use std::sync::{MutexGuard, PoisonError};

use bytes::Bytes;

pub use thread::{Handle, start};

use crate::storage::{Snapshot, Space};
use crate::streams::view::unreadable;
use crate::{Database, Error};

/// Items that one task works on in a round, about.
const ROUND_ITEMS: usize = 20_000;

/// Keys that one job removes.
const JOB_KEYS: usize = 1000;

/// Where each task was at the end of the last round.
#[derive(Debug, Default)]
struct Progress {
    backfill: backfill::Cursors,
    expiry: expiry::Swept,
    flush: flush::Watch,
    purge: purge::Cursors,
    trim: trim::Cursors,
}

/// How far back a round looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Only at what is new: cheap enough to do twice a second.
    Recent,
    /// At everything.
    Full,
}

/// One round; gives how many items were worked on.
pub fn run_once(database: &Database) -> Result<usize, Error> {
    run_round(database, Depth::Full)
}

fn run_round(database: &Database, depth: Depth) -> Result<usize, Error> {
    let progress = &mut *lock_progress(database);
    let mut worked = expiry::run(database, &mut progress.expiry, depth)?;
    worked += backfill::run(database, &mut progress.backfill)?;
    worked += purge::run(database, &mut progress.purge)?;
    if depth == Depth::Full {
        worked += shards::run(database)?;
        worked += trim::run(database, &mut progress.trim)?;
    }
    flush::run(database, &mut progress.flush)?;
    Ok(worked)
}

fn lock_progress(database: &Database) -> MutexGuard<'_, Progress> {
    database.background().progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Up to `count` keys of a range, in order.
fn read_keys(
    snapshot: &dyn Snapshot,
    space: Space,
    start: Bytes,
    end: Bytes,
    count: usize,
) -> Result<Vec<Bytes>, Error> {
    let entries = snapshot.range(space, start, end, false).take(count);
    entries.map(|entry| entry.map(|(key, _)| key).map_err(unreadable)).collect()
}

/// Removes keys in one job of their own. Such a job writes no log record: it changes nothing that a
/// reader could still see.
fn remove_keys(database: &Database, space: Space, keys: Vec<Bytes>) -> Result<(), Error> {
    database.commit_blocking(move |transaction| {
        for key in keys {
            transaction.set(space, key, None);
        }
        Ok(())
    })
}
