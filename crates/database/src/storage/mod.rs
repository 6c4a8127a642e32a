//! The seam to the storage engine: everything the database asks of it, in a few methods.
//!
//! Three implementations: [`fjall`](fjall::FjallStorage) on disk, [`memory`](memory::MemoryStorage)
//! for throw-away databases and as the model in tests, and [`faulty`](faulty::FaultyStorage), which
//! wraps another one and fails the n-th call. Outside this folder only `open` and `options` name
//! the engine, to choose it.

pub mod faulty;
pub mod fjall;
mod journal;
mod manifest;
pub mod memory;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

/// The four ordered key spaces. What the keys look like: see [`crate::keys`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The catalog, counters, tokens and the format version.
    Meta,
    /// Items by table and primary key.
    Items,
    /// Index entries, expiry entries and stream pointers.
    Index,
    /// One record for each commit.
    Log,
}

impl Space {
    /// Every space.
    pub const ALL: [Space; 4] = [Space::Meta, Space::Items, Space::Index, Space::Log];

    /// Its name on disk.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Meta => "meta",
            Space::Items => "items",
            Space::Index => "index",
            Space::Log => "log",
        }
    }
}

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// After `fdatasync`: an acknowledged write survives the loss of power.
    #[default]
    Durable,
    /// After the write reached the operating system: an acknowledged write survives the end of the
    /// process, but the loss of power takes the last seconds (what Linux had not yet written back,
    /// commonly up to 30 s). Never half a commit: what is lost is a tail of the log.
    Relaxed,
}

/// One change of one key: `None` removes it.
pub type Write<'w> = (Space, &'w Bytes, Option<&'w Bytes>);

/// A key with its value.
pub type KeyValue = (Bytes, Bytes);

/// Ordered key spaces with atomic batches and snapshots.
pub trait Storage: Send + Sync + 'static {
    /// A view of everything committed so far, and of nothing that comes later.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// Applies all writes or none; returns when they are as durable as asked. No key may occur
    /// twice. After an error the storage takes no further writes.
    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write<'_>>,
        durability: Durability,
    ) -> Result<(), StorageError>;

    /// Begins to write as tables what is in memory and in the journal only, where that is worth it.
    /// To be called while nobody writes. An error says that the disk cannot be trusted any more.
    fn flush(&self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Lets go of memory and files that only older views need. To be called now and then. An error
    /// says that the disk cannot be trusted any more.
    fn release(&self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Brings everything into the form that opens fastest. Loses nothing if it fails or is skipped;
    /// an error says that the disk cannot be trusted any more.
    fn settle(&self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Bytes on disk, as far as the engine knows.
    fn disk_bytes(&self) -> u64;
}

/// A consistent view of the storage.
pub trait Snapshot: Send + Sync {
    /// The value of a key.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, StorageError>;

    /// The keys from `start` (inclusive) to `end` (exclusive) in order, or in reverse.
    fn range<'a>(
        &'a self,
        space: Space,
        start: Bytes,
        end: Bytes,
        reverse: bool,
    ) -> Box<dyn Iterator<Item = Result<KeyValue, StorageError>> + 'a>;
}

/// What is left to read of a database that was closed: nothing but errors.
pub struct ClosedSnapshot;

impl Snapshot for ClosedSnapshot {
    fn get(&self, _space: Space, _key: &[u8]) -> Result<Option<Bytes>, StorageError> {
        Err(StorageError::Stopped)
    }

    fn range<'a>(
        &'a self,
        _space: Space,
        _start: Bytes,
        _end: Bytes,
        _reverse: bool,
    ) -> Box<dyn Iterator<Item = Result<KeyValue, StorageError>> + 'a> {
        Box::new(std::iter::once(Err(StorageError::Stopped)))
    }
}

/// What went wrong below the seam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// Reading or writing failed.
    Io(String),
    /// What was read is not what was written.
    Damaged(String),
    /// Another process has the folder open.
    Locked,
    /// An earlier write failed; nothing is written any more.
    Stopped,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::Io(detail) => write!(f, "the storage failed: {detail}"),
            StorageError::Damaged(detail) => write!(f, "the storage is damaged: {detail}"),
            StorageError::Locked => f.write_str("another process has the data folder open"),
            StorageError::Stopped => f.write_str("the storage stopped after an earlier failure"),
        }
    }
}

impl std::error::Error for StorageError {}
