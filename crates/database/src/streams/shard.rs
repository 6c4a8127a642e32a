//! Shards: a stream is cut by time, each part the child of the one before.
//!
//! A shard holds the commits from `first_sequence` to `last_sequence`, so which shard a record
//! belongs to follows from its commit alone. There is one open shard at a time: one machine writes
//! one log, and splitting it would only scatter the order.

use super::RETENTION_MILLIS;
use super::position::Position;
use crate::Error;
use crate::catalog::{ShardDefinition, StreamDefinition};
use crate::keys::StreamNumber;
use crate::shapes::TimestampMillis;

const ID_LENGTH_MIN: usize = 28;
const ID_LENGTH_MAX: usize = 65;

/// The id of a shard: its number and the stream's. Sorts as the shards do, which the Kinesis client
/// library relies on.
pub fn id(stream: StreamNumber, shard: u32) -> String {
    format!("shardId-{shard:020}-{stream:08x}")
}

/// Checks the length of a shard id.
pub fn check_id(id: &str, member: &str) -> Result<(), Error> {
    super::check_length(id, member, ID_LENGTH_MIN, ID_LENGTH_MAX)
}

/// The shards that may still hold records: a shard is gone once everything in it is older than the
/// retention.
pub fn kept(
    stream: &StreamDefinition,
    now: TimestampMillis,
) -> impl Iterator<Item = &ShardDefinition> {
    stream.shards.iter().filter(move |shard| is_kept(shard, now))
}

/// May the shard still hold records?
pub fn is_kept(shard: &ShardDefinition, now: TimestampMillis) -> bool {
    shard.closed.is_none_or(|closed| closed + RETENTION_MILLIS >= now)
}

/// The place after everything a closed shard can hold.
pub fn end(shard: &ShardDefinition) -> Option<Position> {
    shard.last_sequence.map(|last| Position::start_of((last + 1).max(shard.first_sequence)))
}

/// Closes the open shard of a stream. The commit with number `next_sequence` is the first that does
/// not belong to it.
pub fn close_last(stream: &mut StreamDefinition, next_sequence: u64, now: TimestampMillis) {
    if let Some(shard) = stream.shards.last_mut()
        && shard.closed.is_none()
    {
        shard.last_sequence = Some(next_sequence.saturating_sub(1));
        shard.closed = Some(now);
    }
}

/// Opens the next shard of a stream, to hold the commits from `next_sequence` on.
pub fn open_next(stream: &mut StreamDefinition, next_sequence: u64, now: TimestampMillis) {
    stream.shards.push(ShardDefinition {
        number: stream.shards.last().map_or(0, |shard| shard.number + 1),
        opened: now,
        first_sequence: next_sequence,
        last_sequence: None,
        closed: None,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_allowed_length_and_sort_by_number() {
        let ids = [0, 1, 9, 10, u32::MAX].map(|shard| id(7, shard));
        assert!(ids.is_sorted());
        for id in ids {
            assert_eq!(check_id(&id, "shardId"), Ok(()), "{id}");
        }
        assert_ne!(id(1, 0), id(2, 0));
    }
}
