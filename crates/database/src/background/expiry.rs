//! Sweeping expired items.
//!
//! The expiry index lists items by the second at which they expire, so a sweep reads exactly what
//! is due. Each job looks again at the items it was given: one that was changed to live on stays.
//! Entries more than five years old are passed over (rule 61).
//!
//! What a sweep removes still costs the storage engine a little to step over until it has merged it
//! away. So the frequent rounds start where the last sweep ended; what was written with an expiry
//! before that is found by the next full round.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use values::limits;

use super::{Depth, ROUND_ITEMS, read_keys};
use crate::catalog::Table;
use crate::commit::{ItemWrite, Transaction, expiry_seconds};
use crate::keys::{self, ItemKey, TableNumber};
use crate::storage::Space;
use crate::streams::view::damaged;
use crate::{Database, Error};

/// Entries that are read at once.
const CHUNK_ENTRIES: usize = 4000;

/// Entries that one job handles at most.
const JOB_ENTRIES: usize = 1000;

/// Bytes of expired items that one job removes, about: a stream keeps their old images in one log
/// record.
const JOB_BYTES: usize = 4 << 20;

/// The second up to which each table was swept.
#[derive(Debug, Default)]
pub struct Swept(HashMap<TableNumber, u64>);

/// Removes what has expired; gives how many entries were handled.
pub fn run(database: &Database, swept: &mut Swept, depth: Depth) -> Result<usize, Error> {
    let catalog = database.catalog();
    let is_swept = |table: &Table| table.time_to_live.is_some();
    swept
        .0
        .retain(|number, _| catalog.table_by_number(*number).is_some_and(|table| is_swept(table)));
    let mut handled = 0;
    for table in catalog.tables.values().filter(|table| is_swept(table)) {
        handled += sweep(database, swept, table.number, depth)?;
    }
    let swept_to = swept.0.values().min().copied().unwrap_or(0);
    database.background().swept_seconds.store(swept_to, Ordering::Relaxed);
    Ok(handled)
}

fn sweep(
    database: &Database,
    swept: &mut Swept,
    table: TableNumber,
    depth: Depth,
) -> Result<usize, Error> {
    let now = database.clock().now_millis() / 1000;
    let oldest = now.saturating_sub(limits::TTL_AGE_SECONDS_MAX);
    let recent = swept.0.get(&table).copied().filter(|_| depth == Depth::Recent);
    let mut start = entries_from(table, recent.unwrap_or(oldest).max(oldest));
    let end = entries_from(table, now + 1);
    let mut handled = 0;
    loop {
        let snapshot = database.snapshot();
        let chunk = read_keys(&*snapshot, Space::Index, start, end.clone(), CHUNK_ENTRIES)?;
        drop(snapshot);
        let Some(last) = chunk.last().cloned() else {
            swept.0.insert(table, now);
            return Ok(handled);
        };
        expire_chunk(database, table, &chunk)?;
        handled += chunk.len();
        if handled >= ROUND_ITEMS || database.background().is_stopped() {
            let (seconds, _) = keys::decode_expiry_entry(&last).ok_or_else(damaged)?;
            swept.0.insert(table, seconds);
            return Ok(handled);
        }
        start = keys::after(&last);
    }
}

/// Before every entry of this second.
fn entries_from(table: TableNumber, seconds: u64) -> Bytes {
    let mut key = keys::expiry_prefix(table);
    key.extend_from_slice(&seconds.to_be_bytes());
    key.into()
}

/// Handles a chunk in two lanes: while the jobs of one become durable, those of the other run.
fn expire_chunk(database: &Database, table: TableNumber, chunk: &[Bytes]) -> Result<(), Error> {
    if chunk.len() <= JOB_ENTRIES {
        return expire_lane(database, table, chunk);
    }
    let (one, other) = chunk.split_at(chunk.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| expire_lane(database, table, other));
        let outcome = expire_lane(database, table, one);
        other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(outcome)
    })
}

fn expire_lane(database: &Database, table: TableNumber, lane: &[Bytes]) -> Result<(), Error> {
    let mut rest = lane;
    while !rest.is_empty() {
        let entries = rest.get(..JOB_ENTRIES).unwrap_or(rest).to_vec();
        let done =
            database.commit_blocking(move |transaction| expire(transaction, table, &entries))?;
        rest = rest.get(done..).unwrap_or_default();
    }
    Ok(())
}

/// Removes the items of these entries if they have indeed expired, and entries that no item stands
/// behind any more; gives how many entries it got through.
fn expire(
    transaction: &mut Transaction<'_>,
    number: TableNumber,
    entries: &[Bytes],
) -> Result<usize, Error> {
    let table = transaction.catalog().table_by_number(number).cloned();
    let time_to_live = table.as_ref().and_then(|table| table.time_to_live.clone());
    let Some((table, time_to_live)) = table.zip(time_to_live) else { return Ok(entries.len()) };
    let now = transaction.now_millis() / 1000;
    let mut removed_bytes = 0;
    for (done, entry) in entries.iter().enumerate() {
        if removed_bytes >= JOB_BYTES {
            return Ok(done);
        }
        let (seconds, item_part) = keys::decode_expiry_entry(entry).ok_or_else(damaged)?;
        let key = ItemKey::from_item_part(number, item_part);
        let item = transaction.item(&key)?;
        let expiry =
            item.as_ref().and_then(|item| expiry_seconds(item, &time_to_live.attribute_name));
        if expiry != Some(seconds) {
            transaction.set(Space::Index, entry.clone(), None);
        } else if seconds <= now {
            let effect = transaction.write_item(ItemWrite {
                table: &table,
                key: &key,
                old: item.as_ref(),
                new: None,
                by_time_to_live: true,
            })?;
            removed_bytes += effect.old_size;
        }
    }
    Ok(entries.len())
}
