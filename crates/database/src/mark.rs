//! The mark that every commit leaves in each key space, so that none can fall behind unnoticed.
//!
//! A commit is one atomic batch over all key spaces, but the storage engine moves them from its
//! journal to tables one by one. A journal that is lost or damaged later takes the writes of those
//! that were still waiting, and only of those: the log may be whole while items are missing. With a
//! mark in each space, opening sees which one stayed behind. The marks in a row of journals also
//! show whether a piece between them is missing.

use bytes::Bytes;

use crate::storage::Space;

/// Where a mark lies: no other key starts like this.
pub const KEY: &[u8] = &[0xFF];

/// The spaces that carry one. The log needs none: its last record says where it ends.
pub const SPACES: [Space; 3] = [Space::Meta, Space::Items, Space::Index];

/// The length of a stored mark.
pub const BYTES: usize = 16;

/// Up to which commit a space has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last commit of the batch before it in the journals.
    pub before: u64,
    /// The last commit of this batch.
    pub sequence: u64,
}

impl Mark {
    /// As stored: `before:u64 | sequence:u64`, big-endian.
    pub fn encode(self) -> Bytes {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend_from_slice(&self.before.to_be_bytes());
        bytes.extend_from_slice(&self.sequence.to_be_bytes());
        bytes.into()
    }

    /// Reads what [`Mark::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Option<Mark> {
        let (before, sequence) = bytes.split_at_checked(BYTES / 2)?;
        Some(Mark {
            before: u64::from_be_bytes(before.try_into().ok()?),
            sequence: u64::from_be_bytes(sequence.try_into().ok()?),
        })
    }
}
