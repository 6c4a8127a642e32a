//! Writing tables while nobody else writes. What was written lately is in memory and in the journal:
//! every read searches through it, which takes longer than to ask the filter of a table, and after a
//! crash it is replayed.

use std::sync::atomic::Ordering;

use crate::{Database, Error};

/// Nobody writes if nothing was committed for so long.
const QUIET_MILLIS: u64 = 1000;

/// The last commit that was seen.
#[derive(Debug, Default)]
pub(super) struct Watch {
    sequence: u64,
    since_millis: u64,
    is_flushed: bool,
}

pub(super) fn run(database: &Database, watch: &mut Watch) -> Result<(), Error> {
    let sequence = database.statistics().sequence.load(Ordering::Acquire);
    let now_millis = database.clock().now_millis();
    if sequence != watch.sequence {
        *watch = Watch { sequence, since_millis: now_millis, is_flushed: false };
    }
    if watch.is_flushed || now_millis.saturating_sub(watch.since_millis) < QUIET_MILLIS {
        return Ok(());
    }
    watch.is_flushed = true;
    database.flush()
}
