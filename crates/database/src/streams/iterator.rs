//! Shard iterators: the opaque text that says where a reader goes on.
//!
//! ```text
//! version:u8 = 1 | stream:u32 | shard:u32 | sequence:u64 | change:u16 | issued:u64 (milliseconds)
//! | check:u64 (a hash of everything before)
//! ```
//!
//! written as hexadecimal digits, 70 of them. The check finds texts that were cut off or made up; it
//! is no signature, since an iterator opens nothing that its stream's ARN does not.

use values::limits;
use xxhash_rust::xxh3::xxh3_64;

use super::position::Position;
use crate::keys::StreamNumber;
use crate::shapes::TimestampMillis;
use crate::{Error, text};

const VERSION: u8 = 1;
const BODY_BYTES: usize = 1 + 4 + 4 + 8 + 2 + 8;
const TEXT_LENGTH_MAX: usize = 2048;
const LIFETIME_MILLIS: u64 = limits::SHARD_ITERATOR_SECONDS * 1000;

/// A reader's place in a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardIterator {
    /// The stream.
    pub stream: StreamNumber,
    /// The shard's number.
    pub shard: u32,
    /// The next record to read: always a record that was there when this was issued, or the end of
    /// the shard at that time. So if it has been trimmed since, the reader has missed something.
    pub next: Position,
    /// When it was issued.
    pub issued: TimestampMillis,
}

impl ShardIterator {
    /// The text for the reader.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::with_capacity(BODY_BYTES + 8);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.stream.to_be_bytes());
        bytes.extend_from_slice(&self.shard.to_be_bytes());
        bytes.extend_from_slice(&self.next.sequence.to_be_bytes());
        bytes.extend_from_slice(&self.next.change.to_be_bytes());
        bytes.extend_from_slice(&self.issued.to_be_bytes());
        bytes.extend_from_slice(&xxh3_64(&bytes).to_be_bytes());
        values::hexadecimal::encode(&bytes)
    }

    /// Reads the text back; an error if it is not one, or older than 15 minutes (rule 60).
    pub fn decode(text: &str, now: TimestampMillis) -> Result<ShardIterator, Error> {
        super::check_length(text, "shardIterator", 1, TEXT_LENGTH_MAX)?;
        let iterator = decode(text)
            .ok_or_else(|| Error::Validation(text::INVALID_SHARD_ITERATOR.to_owned()))?;
        if now.saturating_sub(iterator.issued) > LIFETIME_MILLIS {
            return Err(Error::ExpiredIterator(text::EXPIRED_ITERATOR.to_owned()));
        }
        Ok(iterator)
    }
}

fn decode(text: &str) -> Option<ShardIterator> {
    let bytes = values::hexadecimal::decode(text)?;
    let (body, check) = bytes.split_at_checked(BODY_BYTES)?;
    if check != xxh3_64(body).to_be_bytes() || body.first() != Some(&VERSION) {
        return None;
    }
    Some(ShardIterator {
        stream: u32::from_be_bytes(body.get(1..5)?.try_into().ok()?),
        shard: u32::from_be_bytes(body.get(5..9)?.try_into().ok()?),
        next: Position {
            sequence: u64::from_be_bytes(body.get(9..17)?.try_into().ok()?),
            change: u16::from_be_bytes(body.get(17..19)?.try_into().ok()?),
        },
        issued: u64::from_be_bytes(body.get(19..27)?.try_into().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> ShardIterator {
        let next = Position { sequence: 1_234_567, change: 89 };
        ShardIterator { stream: 3, shard: 14, next, issued: 1_700_000_000_000 }
    }

    #[test]
    fn an_iterator_reads_back_for_15_minutes() {
        let iterator = sample();
        let text = iterator.encode();
        assert_eq!(text.len(), 70);
        let last = iterator.issued + 15 * 60 * 1000;
        assert_eq!(ShardIterator::decode(&text, last), Ok(iterator));
        let expired = ShardIterator::decode(&text, last + 1);
        assert!(matches!(expired, Err(Error::ExpiredIterator(_))), "{expired:?}");
    }

    #[test]
    fn a_text_that_was_changed_anywhere_is_refused() {
        let text = sample().encode();
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            let refused = ShardIterator::decode(&changed, sample().issued);
            assert!(matches!(refused, Err(Error::Validation(_))), "{changed}: {refused:?}");
        }
        for garbage in ["", "x", &text[1..], &"é".repeat(35), &"0".repeat(5000)] {
            let refused = ShardIterator::decode(garbage, sample().issued);
            assert!(matches!(refused, Err(Error::Validation(_))), "{garbage}: {refused:?}");
        }
    }
}
