//! Storage on disk: fjall, an LSM engine whose batches are atomic across key spaces.
//!
//! What is set here and why: fjall's default durability is the operating system's cache, so every
//! commit names its own; its journal is not compressed, so that it can be checked before it is
//! trusted; its write path poisons itself after a failed batch (3.1.13 and later), and the database above stops at the first error anyway.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use fjall::config::{BlockSizePolicy, CompressionPolicy, PartitioningPolicy, PinningPolicy};
use fjall::{CompressionType, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};

use super::{
    Durability, KeyValue, Snapshot, Space, Storage, StorageError, Write, journal, manifest,
};

/// How long closing may take to spare the next opening some work.
const SETTLE_MAX: Duration = Duration::from_secs(10);

/// Bytes of journal that may be left to replay after a crash.
const JOURNAL_BYTES_MAX: u64 = 128 << 20;

/// Less is searched quickly, and not worth a table of its own.
const FLUSH_BYTES_MIN: u64 = 4 << 20;

/// A folder of fjall files.
pub struct FjallStorage {
    database: fjall::Database,
    spaces: Arc<[Keyspace; 4]>,
    /// Bytes written to each space since it was last flushed, about: the engine flushes by itself.
    recent_bytes: [AtomicU64; 4],
    journal_end: Option<u64>,
}

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FjallOptions {
    /// Bytes of decompressed blocks kept in memory.
    pub cache_bytes: u64,
    /// Bytes of recent writes kept in memory, for each space, before they are written as a table.
    pub memtable_bytes: u64,
    /// Threads that write tables and merge them. Two at least: a lone one of fjall 3.1.13 merges
    /// while memtables pile up behind it, and then waits for ever for room in the queue that only
    /// it empties.
    pub worker_threads: usize,
}

impl Default for FjallOptions {
    fn default() -> Self {
        FjallOptions { cache_bytes: 352 << 20, memtable_bytes: 32 << 20, worker_threads: 2 }
    }
}

impl FjallStorage {
    /// Opens the folder, creating it if it does not exist. What a crash left half written at the
    /// end of its journal is moved to the folder `aside`.
    pub fn open(folder: &Path, aside: &Path, options: FjallOptions) -> Result<Self, StorageError> {
        let has_spaces = manifest::check(folder)?;
        let journal_end = journal::check(folder, aside)?;
        if has_spaces && !journal::exists(folder) {
            // The engine takes such a folder for a new one, and reads nothing of it at first.
            let detail = format!("`{}` has no journal (`NUMBER.jnl`)", folder.display());
            return Err(StorageError::Damaged(detail));
        }
        let database = fjall::Database::builder(folder)
            .cache_size(options.cache_bytes)
            .worker_threads(options.worker_threads)
            .journal_compression(CompressionType::None)
            .max_journaling_size(JOURNAL_BYTES_MAX)
            .open()
            .map_err(explain)?;
        let open = |space: Space| {
            database.keyspace(space.name(), || keyspace_options(space, options)).map_err(explain)
        };
        let spaces =
            [open(Space::Meta)?, open(Space::Items)?, open(Space::Index)?, open(Space::Log)?];
        // What the journal held is in memory now, however much it was.
        let recent_bytes = [const { AtomicU64::new(FLUSH_BYTES_MIN) }; 4];
        Ok(FjallStorage { database, spaces: Arc::new(spaces), recent_bytes, journal_end })
    }

    /// The last commit in the journals when they were opened, if there was one. It is not the last
    /// one of all if a later part of a journal was lost that tables hold as well.
    pub fn journal_end(&self) -> Option<u64> {
        self.journal_end
    }
}

fn keyspace_options(space: Space, options: FjallOptions) -> KeyspaceCreateOptions {
    let base = KeyspaceCreateOptions::default()
        .max_memtable_size(options.memtable_bytes)
        // Filters and block indexes in memory: a point read touches one data block. Unless they are
        // whole, as they are not by default from the fourth level on, only the tops of them would be
        // there, and a read of a large table would look for three blocks.
        .filter_block_partitioning_policy(PartitioningPolicy::all(false))
        .index_block_partitioning_policy(PartitioningPolicy::all(false))
        .filter_block_pinning_policy(PinningPolicy::all(true))
        .index_block_pinning_policy(PinningPolicy::all(true));
    match space {
        Space::Log => base
            .data_block_size_policy(BlockSizePolicy::all(32 * 1024))
            .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4)),
        // What is read one by one is not compressed: a block that is not in the cache would take
        // twice the time, and reading must not get slower as a table outgrows the cache.
        Space::Meta | Space::Items | Space::Index => {
            base.data_block_compression_policy(CompressionPolicy::disabled())
        }
    }
}

impl Storage for FjallStorage {
    fn snapshot(&self) -> Box<dyn Snapshot> {
        Box::new(FjallSnapshot {
            snapshot: self.database.snapshot(),
            spaces: Arc::clone(&self.spaces),
        })
    }

    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write>,
        durability: Durability,
    ) -> Result<(), StorageError> {
        let mode = match durability {
            Durability::Durable => PersistMode::SyncData,
            Durability::Relaxed => PersistMode::Buffer,
        };
        let mut batch = self.database.batch().durability(Some(mode));
        let mut bytes = [0; 4];
        for (space, key, value) in writes {
            let keyspace = &self.spaces[space as usize];
            bytes[space as usize] += key.len() + value.as_ref().map_or(0, Bytes::len);
            match value {
                Some(value) => batch.insert(keyspace, key, value),
                None => batch.remove(keyspace, key),
            }
        }
        for (recent, bytes) in self.recent_bytes.iter().zip(bytes) {
            recent.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        batch.commit().map_err(explain)
    }

    fn flush(&self) -> Result<(), StorageError> {
        for (keyspace, recent) in self.spaces.iter().zip(&self.recent_bytes) {
            if recent.load(Ordering::Relaxed) >= FLUSH_BYTES_MIN {
                recent.store(0, Ordering::Relaxed);
                keyspace.rotate_memtable().map_err(explain)?;
            }
        }
        Ok(())
    }

    /// Writes what is in memory as tables, so that opening has no journal to replay.
    fn settle(&self) -> Result<(), StorageError> {
        for keyspace in self.spaces.iter() {
            keyspace.rotate_memtable().map_err(explain)?;
        }
        let waiting_since = Instant::now();
        loop {
            // Tells whether a thread that writes tables has failed.
            self.database.persist(PersistMode::Buffer).map_err(explain)?;
            if self.database.outstanding_flushes() == 0 || waiting_since.elapsed() > SETTLE_MAX {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn disk_bytes(&self) -> u64 {
        self.database.disk_space().unwrap_or(0)
    }
}

struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    spaces: Arc<[Keyspace; 4]>,
}

impl Snapshot for FjallSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, StorageError> {
        let value = self.snapshot.get(&self.spaces[space as usize], key).map_err(explain)?;
        Ok(value.map(Bytes::from))
    }

    fn range<'a>(
        &'a self,
        space: Space,
        start: Bytes,
        end: Bytes,
        reverse: bool,
    ) -> Box<dyn Iterator<Item = Result<KeyValue, StorageError>> + 'a> {
        if start >= end {
            return Box::new(std::iter::empty());
        }
        let entries = self.snapshot.range(&self.spaces[space as usize], start..end);
        let own = |guard: fjall::Guard| {
            let (key, value) = guard.into_inner().map_err(explain)?;
            Ok((Bytes::from(key), Bytes::from(value)))
        };
        if reverse { Box::new(entries.rev().map(own)) } else { Box::new(entries.map(own)) }
    }
}

/// fjall's errors in the words of the seam.
fn explain(error: fjall::Error) -> StorageError {
    match error {
        fjall::Error::Locked => StorageError::Locked,
        fjall::Error::Poisoned => StorageError::Stopped,
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => {
            explain_io(&error)
        }
        fjall::Error::Storage(fjall::LsmError::ChecksumMismatch { .. }) => {
            StorageError::Damaged("a block of a table does not have its checksum".to_owned())
        }
        fjall::Error::Storage(fjall::LsmError::Unrecoverable) => {
            StorageError::Damaged("a table or a list of tables cannot be read".to_owned())
        }
        damage => StorageError::Damaged(format!("the storage engine says {damage:?}")),
    }
}

/// Files that are not as the engine left them look like this, and not a disk that fails.
fn explain_io(error: &io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof => StorageError::Damaged(format!(
            "a file of the storage is missing or cut short ({error})"
        )),
        _ => StorageError::Io(error.to_string()),
    }
}
