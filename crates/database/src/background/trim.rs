//! Trimming what is past its time: stream pointers, shards and streams, the front of the log, and
//! client tokens.
//!
//! Order matters in one place: the log is trimmed only after the pointers into it.

use std::collections::HashMap;

use bytes::Bytes;
use serde::Deserialize;
use values::limits;

use super::{JOB_KEYS, ROUND_ITEMS, read_keys, remove_keys, shards};
use crate::commit::Transaction;
use crate::keys::{self, StreamNumber};
use crate::log::{CommitRecord, LogHead};
use crate::storage::{Snapshot, Space};
use crate::streams::view::{damaged, first_sequence_since, last_sequence, log_anchor, unreadable};
use crate::streams::{self};
use crate::{Database, Error, stored};

/// How long the log is kept at least: what streams need. Recovery to a point in time needs more, and
/// will make this a setting.
const LOG_RETENTION_MILLIS: u64 = streams::RETENTION_MILLIS;

/// The commit up to which each stream's pointers were removed.
#[derive(Debug, Default)]
pub struct Cursors(HashMap<StreamNumber, u64>);

/// Trims everything; gives how many keys were removed.
pub fn run(database: &Database, cursors: &mut Cursors) -> Result<usize, Error> {
    let mut removed = tokens(database)?;
    let (pointers, all_gone) = pointers(database, cursors)?;
    removed += pointers;
    if all_gone {
        removed += shards::forget(database)?;
        removed += log(database)?;
    }
    Ok(removed)
}

/// Removes the pointers to commits past the retention; says also whether none are left.
fn pointers(database: &Database, cursors: &mut Cursors) -> Result<(usize, bool), Error> {
    let catalog = database.catalog();
    cursors.0.retain(|number, _| catalog.streams.contains_key(number));
    let cutoff = database.clock().now_millis().saturating_sub(streams::RETENTION_MILLIS);
    let first_kept = first_sequence_since(&*database.snapshot(), cutoff)?;
    let mut removed = 0;
    for stream in catalog.streams.values() {
        let oldest = stream.shards.first().map_or(0, |shard| shard.first_sequence);
        let from = cursors.0.get(&stream.number).copied().unwrap_or(oldest);
        let mut start = keys::stream_pointer(stream.number, from, 0);
        let end = keys::stream_pointer(stream.number, first_kept, 0);
        loop {
            if removed >= ROUND_ITEMS || database.background().is_stopped() {
                return Ok((removed, false));
            }
            let snapshot = database.snapshot();
            let keys = read_keys(&*snapshot, Space::Index, start, end.clone(), JOB_KEYS)?;
            let Some(last) = keys.last() else { break };
            start = keys::after(last);
            let (sequence, _) = keys::decode_stream_pointer(last).ok_or_else(damaged)?;
            removed += keys.len();
            remove_keys(database, Space::Index, keys)?;
            cursors.0.insert(stream.number, sequence);
        }
        cursors.0.insert(stream.number, first_kept.max(from));
    }
    Ok((removed, true))
}

/// Removes commits past the retention from the front of the log, and moves the anchor, from which
/// the chain of hashes is checked, along in the same job. Never past the last verified point: the
/// check at the next open starts there.
fn log(database: &Database) -> Result<usize, Error> {
    let cutoff = database.clock().now_millis().saturating_sub(LOG_RETENTION_MILLIS);
    let mut removed = 0;
    while removed < ROUND_ITEMS && !database.background().is_stopped() {
        let (keys, anchor) = removable(&*database.snapshot(), cutoff)?;
        if keys.is_empty() {
            break;
        }
        removed += keys.len();
        database.commit_blocking(move |transaction| {
            for key in keys {
                transaction.set(Space::Log, key, None);
            }
            transaction.set(Space::Meta, keys::meta(b'a', &[]), Some(anchor.encode()));
            Ok(())
        })?;
    }
    Ok(removed)
}

/// The oldest commits that may go, as many as one job removes, and the last of them.
fn removable(snapshot: &dyn Snapshot, cutoff: u64) -> Result<(Vec<Bytes>, LogHead), Error> {
    let mut anchor = log_anchor(snapshot)?;
    let mut removable = Vec::new();
    let verified = snapshot.get(Space::Meta, &keys::meta(b'l', &[])).map_err(unreadable)?;
    let Some(verified) = verified else { return Ok((removable, anchor)) };
    let verified = LogHead::decode(&verified).ok_or_else(damaged)?;
    let last = verified.sequence.min(last_sequence(snapshot)?);
    let start = keys::log_record(anchor.sequence + 1);
    for entry in snapshot.range(Space::Log, start, keys::log_record(last + 1), false) {
        let (key, value) = entry.map_err(unreadable)?;
        let sequence = keys::decode_log_record(&key).ok_or_else(damaged)?;
        let record = CommitRecord::decode(value).ok_or_else(damaged)?;
        if record.time >= cutoff || removable.len() == JOB_KEYS {
            break;
        }
        anchor = LogHead { sequence, time: record.time, hash: record.hash };
        removable.push(key);
    }
    Ok((removable, anchor))
}

/// The part of a stored token that says how old it is; see `tokens.rs`.
#[derive(Deserialize)]
struct TokenAge {
    completed_millis: u64,
}

/// Forgets client tokens whose time is over.
fn tokens(database: &Database) -> Result<usize, Error> {
    let now = database.clock().now_millis();
    let end = keys::meta(b'x', &[&now.saturating_add(1).to_be_bytes()]);
    let mut start = keys::meta(b'x', &[]);
    let mut removed = 0;
    while removed < ROUND_ITEMS && !database.background().is_stopped() {
        let snapshot = database.snapshot();
        let notes = read_keys(&*snapshot, Space::Meta, start, end.clone(), JOB_KEYS)?;
        drop(snapshot);
        let Some(last) = notes.last() else { break };
        start = keys::after(last);
        removed += notes.len();
        database.commit_blocking(move |transaction| forget_tokens(transaction, notes))?;
    }
    Ok(removed)
}

/// Removes notes and their tokens; but a token that was used anew after its time stays, and has a
/// later note of its own.
fn forget_tokens(transaction: &mut Transaction<'_>, notes: Vec<Bytes>) -> Result<(), Error> {
    let now = transaction.now_millis();
    for note in notes {
        let token = keys::meta(b'k', &[note.get(9..).unwrap_or_default()]);
        if let Some(bytes) = transaction.get(Space::Meta, &token)? {
            let age: TokenAge = stored::record(&bytes)?;
            if age.completed_millis + limits::CLIENT_TOKEN_SECONDS * 1000 <= now {
                transaction.set(Space::Meta, token, None);
            }
        }
        transaction.set(Space::Meta, note, None);
    }
    Ok(())
}
