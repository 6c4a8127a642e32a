//! Closing shards and opening their children, and dropping shards and streams that hold nothing any
//! more. Both change only the stream's definition; see [`crate::streams`].

use crate::commit::Transaction;
use crate::keys::StreamNumber;
use crate::streams::{self, shard};
use crate::{Database, Error};

/// How long a shard stays open. The service rolls its shards over about as often.
const SHARD_MILLIS: u64 = 4 * 60 * 60 * 1000;

/// Rolls shards over; gives how many.
pub fn run(database: &Database) -> Result<usize, Error> {
    let now = database.clock().now_millis();
    let mut rolled = 0;
    for stream in database.catalog().streams.values() {
        let open = stream.shards.last().filter(|shard| shard.closed.is_none());
        if open.is_some_and(|shard| shard.opened + SHARD_MILLIS <= now) {
            let number = stream.number;
            let done = database.commit_blocking(move |transaction| roll(transaction, number))?;
            rolled += usize::from(done);
        }
    }
    Ok(rolled)
}

/// Closes the open shard and opens the next. A shard that no commit can belong to yet stays: its
/// child would start where it does.
fn roll(transaction: &mut Transaction<'_>, number: StreamNumber) -> Result<bool, Error> {
    let (now, sequence) = (transaction.now_millis(), transaction.sequence());
    let Some(stream) = transaction.catalog().streams.get(&number) else { return Ok(false) };
    let is_due = stream.disabled_date_time.is_none()
        && stream.shards.last().is_some_and(|shard| {
            shard.closed.is_none()
                && shard.opened + SHARD_MILLIS <= now
                && shard.first_sequence < sequence
        });
    if is_due {
        let mut stream = (**stream).clone();
        shard::close_last(&mut stream, sequence, now);
        shard::open_next(&mut stream, sequence, now);
        transaction.put_stream(stream);
    }
    Ok(is_due)
}

/// Drops the shards whose records are all past the retention, and the stream itself once it has
/// been disabled for as long. Its pointers must be gone before.
pub fn forget(database: &Database) -> Result<usize, Error> {
    let now = database.clock().now_millis();
    let mut forgotten = 0;
    for stream in database.catalog().streams.values() {
        let is_kept = streams::is_kept(stream, now);
        if !is_kept || stream.shards.iter().any(|shard| !shard::is_kept(shard, now)) {
            let number = stream.number;
            database.commit_blocking(move |transaction| forget_in(transaction, number, now))?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

fn forget_in(
    transaction: &mut Transaction<'_>,
    number: StreamNumber,
    now: u64,
) -> Result<(), Error> {
    let Some(stream) = transaction.catalog().streams.get(&number) else { return Ok(()) };
    if streams::is_kept(stream, now) {
        let mut stream = (**stream).clone();
        stream.shards.retain(|shard| shard::is_kept(shard, now));
        transaction.put_stream(stream);
    } else {
        transaction.remove_stream(number);
    }
    Ok(())
}
