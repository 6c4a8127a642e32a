//! Writing tables while nobody else writes. What was written lately is in memory and in the journal:
//! every read searches through it, which takes longer than to ask the filter of a table, and after a
//! crash it is replayed. What tables have taken the place of is then let go.

use std::sync::atomic::Ordering;

use crate::storage::Storage;
use crate::{Database, Error};

/// Nobody writes if nothing was committed for so long.
const QUIET_MILLIS: u64 = 1000;
/// Every new table is merged with what is there, which for many small ones would be written again and
/// again: this long passes from one flush to the next.
const PAUSE_MILLIS: u64 = 60_000;

#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The last commit that was seen, and since when it is the last.
    sequence: u64,
    since_millis: u64,
    /// The last commit before a flush, and when that was.
    flushed: Option<(u64, u64)>,
}

pub(super) fn run(database: &Database, watch: &mut Watch) -> Result<(), Error> {
    database.upkeep(Storage::release)?;
    let sequence = database.statistics().sequence.load(Ordering::Acquire);
    let now_millis = database.clock().now_millis();
    let has_passed = |since, millis| now_millis.saturating_sub(since) >= millis;
    if sequence != watch.sequence {
        (watch.sequence, watch.since_millis) = (sequence, now_millis);
    }
    let is_due = match watch.flushed {
        None => true,
        Some((flushed, at_millis)) => flushed != sequence && has_passed(at_millis, PAUSE_MILLIS),
    };
    if !is_due || !has_passed(watch.since_millis, QUIET_MILLIS) {
        return Ok(());
    }
    watch.flushed = Some((sequence, now_millis));
    database.upkeep(Storage::flush)
}
