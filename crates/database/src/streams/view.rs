//! A stream at one moment.
//!
//! Definition, pointers and commits are read from one snapshot. The published catalog would not do:
//! right after a shard was closed it may still show it open, while the snapshot already holds
//! records of its child, which would then be read twice.

use std::sync::Arc;

use crate::catalog::{ShardDefinition, StreamDefinition};
use crate::keys::{self, StreamNumber};
use crate::log::{CommitRecord, LogHead};
use crate::shapes::TimestampMillis;
use crate::storage::{Snapshot, Space, StorageError};
use crate::{Database, Error, stored, text};

use super::position::Position;
use super::{RETENTION_MILLIS, shard};

/// A stream at one moment.
pub struct StreamView {
    snapshot: Arc<dyn Snapshot>,
    /// The stream.
    pub stream: StreamDefinition,
    /// The time by the database's clock.
    pub now: TimestampMillis,
}

impl StreamView {
    /// The stream with this number; `None` if it is not kept any more.
    pub fn open(database: &Database, number: StreamNumber) -> Result<Option<StreamView>, Error> {
        database.check_running()?;
        let now = database.clock().now_millis();
        let snapshot = database.snapshot();
        let key = keys::meta(b's', &[&number.to_be_bytes()]);
        let stored = snapshot.get(Space::Meta, &key).map_err(unreadable)?;
        let Some(bytes) = stored else { return Ok(None) };
        let stream: StreamDefinition = stored::record(&bytes)?;
        Ok(super::is_kept(&stream, now).then_some(StreamView { snapshot, stream, now }))
    }

    /// The shard with this number, if it is kept.
    pub fn shard(&self, number: u32) -> Option<&ShardDefinition> {
        shard::kept(&self.stream, self.now).find(|shard| shard.number == number)
    }

    /// The shard with this id, if it is kept.
    pub fn shard_with_id(&self, id: &str) -> Option<&ShardDefinition> {
        shard::kept(&self.stream, self.now)
            .find(|shard| shard::id(self.stream.number, shard.number) == id)
    }

    /// The place after the last durable commit.
    pub fn end(&self) -> Result<Position, Error> {
        Ok(Position::start_of(last_sequence(&*self.snapshot)? + 1))
    }

    /// The oldest commit whose records are kept, or the one that comes next if there is none.
    pub fn first_kept_sequence(&self) -> Result<u64, Error> {
        first_sequence_since(&*self.snapshot, self.now.saturating_sub(RETENTION_MILLIS))
    }

    /// Have the records of this commit been trimmed, by time or in fact?
    pub fn is_trimmed(&self, sequence: u64) -> Result<bool, Error> {
        let commit = self.commit(sequence)?;
        Ok(match commit {
            Some(commit) => commit.time.saturating_add(RETENTION_MILLIS) < self.now,
            None => sequence <= last_sequence(&*self.snapshot)?,
        })
    }

    /// The places of a shard's records, from one place on.
    pub fn records_from<'a>(
        &'a self,
        shard: &ShardDefinition,
        from: Position,
    ) -> impl Iterator<Item = Result<Position, Error>> + 'a {
        let number = self.stream.number;
        let from = from.max(Position::start_of(shard.first_sequence));
        let start = keys::stream_pointer(number, from.sequence, from.change);
        let end = match shard::end(shard) {
            Some(end) => keys::stream_pointer(number, end.sequence, end.change),
            None => keys::prefix_end(&keys::stream_pointer(number, 0, 0)[..5]),
        };
        self.snapshot.range(Space::Index, start, end, false).map(|entry| {
            let (key, _) = entry.map_err(unreadable)?;
            let (sequence, change) = keys::decode_stream_pointer(&key).ok_or_else(damaged)?;
            Ok(Position { sequence, change })
        })
    }

    /// The commit with this number.
    pub fn commit(&self, sequence: u64) -> Result<Option<CommitRecord>, Error> {
        commit(&*self.snapshot, sequence)
    }
}

/// The number of the last durable commit.
pub fn last_sequence(snapshot: &dyn Snapshot) -> Result<u64, Error> {
    let mut newest = snapshot.range(Space::Log, keys::log_record(0), log_end(), true);
    match newest.next() {
        Some(entry) => {
            let (key, _) = entry.map_err(unreadable)?;
            keys::decode_log_record(&key).ok_or_else(damaged)
        }
        None => Ok(log_anchor(snapshot)?.sequence),
    }
}

/// The commit before the oldest one the log holds.
pub fn log_anchor(snapshot: &dyn Snapshot) -> Result<LogHead, Error> {
    let anchor = snapshot.get(Space::Meta, &keys::meta(b'a', &[])).map_err(unreadable)?;
    anchor.map_or(Ok(LogHead::GENESIS), |bytes| LogHead::decode(&bytes).ok_or_else(damaged))
}

/// The first commit at or after a time; the one that comes next if there is none. The times of
/// commits never fall, so half of what is left is ruled out with each look.
pub fn first_sequence_since(snapshot: &dyn Snapshot, time: TimestampMillis) -> Result<u64, Error> {
    let mut low = log_anchor(snapshot)?.sequence + 1;
    let mut high = last_sequence(snapshot)? + 1;
    while low < high {
        let middle = low + (high - low) / 2;
        let record = commit(snapshot, middle)?.ok_or_else(damaged)?;
        if record.time < time {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn commit(snapshot: &dyn Snapshot, sequence: u64) -> Result<Option<CommitRecord>, Error> {
    let bytes = snapshot.get(Space::Log, &keys::log_record(sequence)).map_err(unreadable)?;
    bytes.map(|bytes| CommitRecord::decode(bytes).ok_or_else(damaged)).transpose()
}

/// Past every key of the log.
pub fn log_end() -> bytes::Bytes {
    bytes::Bytes::from_static(&[0xFF; 9])
}

/// The storage failed under a reader.
pub fn unreadable(error: StorageError) -> Error {
    Error::Stopped(text::unreadable(&error))
}

/// What was read is not what was written.
pub fn damaged() -> Error {
    Error::Stopped(text::LOG_DAMAGED.to_owned())
}
