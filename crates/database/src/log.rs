//! The log: one record for each commit, numbered without gaps, timed, and chained by hash.
//!
//! A record's value, all integers big-endian:
//!
//! ```text
//! version:u8 = 1 | time:u64 (milliseconds) | hash:32 bytes | change*
//! hash = SHA-256(hash of the commit before | sequence:u64 | time:u64 | change*)
//!
//! change: kind:u8 = 1  item     table:u32 | flags:u8 | part item-key | part old? | part new?
//!         kind:u8 = 2  table    part definition             (created or changed)
//!         kind:u8 = 3  table    table:u32                   (deleted)
//! part:   length:u32 | bytes
//! flags:  1 = old present, 2 = new present, 4 = by time to live, 8 = there was an item before
//! ```
//!
//! `old` is kept only while a stream needs it; `new` always, so that a base and the log give any
//! later state. Kinds and flags not listed are for later formats and refused by this one.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::keys::{self, TableNumber};
use crate::storage::{Snapshot, Space};

const VERSION: u8 = 1;
const HEADER_BYTES: usize = 1 + 8 + 32;

const KIND_ITEM: u8 = 1;
const KIND_TABLE_DEFINED: u8 = 2;
const KIND_TABLE_DELETED: u8 = 3;

const FLAG_OLD: u8 = 1;
const FLAG_NEW: u8 = 2;
const FLAG_TIME_TO_LIVE: u8 = 4;
const FLAG_EXISTED: u8 = 8;
const FLAGS_KNOWN: u8 = FLAG_OLD | FLAG_NEW | FLAG_TIME_TO_LIVE | FLAG_EXISTED;

/// Where the log ends: the last commit's number, time and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// The commit's number; 0 before the first one.
    pub sequence: u64,
    /// Its time in milliseconds. Never smaller than the one before.
    pub time: u64,
    /// Its hash.
    pub hash: [u8; 32],
}

impl LogHead {
    /// Before the first commit.
    pub const GENESIS: LogHead = LogHead { sequence: 0, time: 0, hash: [0; 32] };

    /// The stored form of a known point of the chain.
    pub fn encode(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(48);
        bytes.extend_from_slice(&self.sequence.to_be_bytes());
        bytes.extend_from_slice(&self.time.to_be_bytes());
        bytes.extend_from_slice(&self.hash);
        bytes.into()
    }

    /// Reads what [`LogHead::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Option<LogHead> {
        let sequence = u64::from_be_bytes(bytes.get(0..8)?.try_into().ok()?);
        let time = u64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?);
        let hash = bytes.get(16..48)?.try_into().ok()?;
        (bytes.len() == 48).then_some(LogHead { sequence, time, hash })
    }

    /// The head after one more commit, and that commit's record.
    pub fn append(&self, now: u64, changes: &[u8]) -> (LogHead, Bytes) {
        let sequence = self.sequence + 1;
        let time = now.max(self.time);
        let head = LogHead { sequence, time, hash: chain(&self.hash, sequence, time, changes) };
        let mut record = Vec::with_capacity(HEADER_BYTES + changes.len());
        record.push(VERSION);
        record.extend_from_slice(&time.to_be_bytes());
        record.extend_from_slice(&head.hash);
        record.extend_from_slice(changes);
        (head, record.into())
    }
}

fn chain(previous: &[u8; 32], sequence: u64, time: u64, changes: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(sequence.to_be_bytes());
    hasher.update(time.to_be_bytes());
    hasher.update(changes);
    hasher.finalize().into()
}

/// The change of one item, to be appended to a commit's changes.
#[derive(Clone, Copy, Debug)]
pub struct ItemChange<'a> {
    /// The table.
    pub table: TableNumber,
    /// The item's key after the table number.
    pub item_key: &'a [u8],
    /// There was an item before.
    pub existed: bool,
    /// The encoded item before, if a stream wants it.
    pub old: Option<&'a [u8]>,
    /// The encoded item after; `None` for a deletion.
    pub new: Option<&'a [u8]>,
    /// The item had expired.
    pub by_time_to_live: bool,
}

/// Appends an item change.
pub fn append_item_change(changes: &mut Vec<u8>, change: &ItemChange<'_>) {
    let flags = [
        (change.old.is_some(), FLAG_OLD),
        (change.new.is_some(), FLAG_NEW),
        (change.by_time_to_live, FLAG_TIME_TO_LIVE),
        (change.existed, FLAG_EXISTED),
    ];
    changes.push(KIND_ITEM);
    changes.extend_from_slice(&change.table.to_be_bytes());
    changes.push(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum());
    append_part(changes, change.item_key);
    for image in [change.old, change.new].into_iter().flatten() {
        append_part(changes, image);
    }
}

/// Appends the definition of a table that was created or changed.
pub fn append_table_defined(changes: &mut Vec<u8>, definition: &[u8]) {
    changes.push(KIND_TABLE_DEFINED);
    append_part(changes, definition);
}

/// Appends the deletion of a table.
pub fn append_table_deleted(changes: &mut Vec<u8>, table: TableNumber) {
    changes.push(KIND_TABLE_DELETED);
    changes.extend_from_slice(&table.to_be_bytes());
}

fn append_part(changes: &mut Vec<u8>, part: &[u8]) {
    // Items are limited to 400 KB and definitions are smaller still.
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    changes.extend_from_slice(&length.to_be_bytes());
    changes.extend_from_slice(part);
}

/// One change read back from the log.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// An item was put, changed or deleted.
    Item(ItemChange<'a>),
    /// A table was created or changed.
    TableDefined(&'a [u8]),
    /// A table was deleted.
    TableDeleted(TableNumber),
}

/// A commit read back from the log.
#[derive(Clone, Debug)]
pub struct CommitRecord {
    /// Milliseconds since 1970.
    pub time: u64,
    /// The commit's hash.
    pub hash: [u8; 32],
    bytes: Bytes,
}

impl CommitRecord {
    /// Reads a record's header.
    pub fn decode(bytes: Bytes) -> Option<CommitRecord> {
        if bytes.first() != Some(&VERSION) {
            return None;
        }
        let time = u64::from_be_bytes(bytes.get(1..9)?.try_into().ok()?);
        let hash = bytes.get(9..HEADER_BYTES)?.try_into().ok()?;
        Some(CommitRecord { time, hash, bytes })
    }

    /// The changes in order; `None` in place of a change that cannot be read.
    pub fn changes(&self) -> Changes<'_> {
        Changes { rest: self.body() }
    }

    fn body(&self) -> &[u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }
}

/// The changes of a commit, in order.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Changes<'a> {
    type Item = Option<Change<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let change = self.read_change();
        if change.is_none() {
            self.rest = &[];
        }
        Some(change)
    }
}

impl<'a> Changes<'a> {
    fn read_change(&mut self) -> Option<Change<'a>> {
        match self.take(1)?[0] {
            KIND_ITEM => self.read_item_change().map(Change::Item),
            KIND_TABLE_DEFINED => self.take_part().map(Change::TableDefined),
            KIND_TABLE_DELETED => self.take_number().map(Change::TableDeleted),
            _ => None,
        }
    }

    fn read_item_change(&mut self) -> Option<ItemChange<'a>> {
        let table = self.take_number()?;
        let flags = self.take(1)?[0];
        if flags & !FLAGS_KNOWN != 0 {
            return None;
        }
        let item_key = self.take_part()?;
        let old = if flags & FLAG_OLD != 0 { Some(self.take_part()?) } else { None };
        let new = if flags & FLAG_NEW != 0 { Some(self.take_part()?) } else { None };
        let by_time_to_live = flags & FLAG_TIME_TO_LIVE != 0;
        let existed = flags & FLAG_EXISTED != 0;
        Some(ItemChange { table, item_key, existed, old, new, by_time_to_live })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn take_number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn take_part(&mut self) -> Option<&'a [u8]> {
        let length = self.take_number()?;
        self.take(usize::try_from(length).ok()?)
    }
}

/// What checking the log found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogDamage {
    /// The storage could not be read.
    Unreadable(String),
    /// This commit is not there, though later ones are.
    Missing(u64),
    /// This commit's record is not one, or its hash does not follow from the one before.
    Broken(u64),
}

impl std::fmt::Display for LogDamage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LogDamage::Unreadable(detail) => write!(f, "the log cannot be read: {detail}"),
            LogDamage::Missing(sequence) => write!(f, "commit {sequence} is missing from the log"),
            LogDamage::Broken(sequence) => {
                write!(f, "commit {sequence} in the log does not match its hash")
            }
        }
    }
}

/// Checks the chain from a known point to the end; gives the end. `progress` is told each sequence
/// number as it is checked.
pub fn verify(
    snapshot: &dyn Snapshot,
    from: LogHead,
    mut progress: impl FnMut(u64),
) -> Result<LogHead, LogDamage> {
    let mut head = from;
    let start = keys::log_record(from.sequence + 1);
    let end = Bytes::from_static(&[0xFF; 9]);
    for entry in snapshot.range(Space::Log, start, end, false) {
        let (key, value) = entry.map_err(|error| LogDamage::Unreadable(error.to_string()))?;
        let expected = head.sequence + 1;
        let sequence = keys::decode_log_record(&key).ok_or(LogDamage::Broken(expected))?;
        if sequence != expected {
            return Err(LogDamage::Missing(expected));
        }
        let record = CommitRecord::decode(value).ok_or(LogDamage::Broken(sequence))?;
        let hash = chain(&head.hash, sequence, record.time, record.body());
        if hash != record.hash || record.time < head.time {
            return Err(LogDamage::Broken(sequence));
        }
        head = LogHead { sequence, time: record.time, hash };
        progress(sequence);
    }
    Ok(head)
}
