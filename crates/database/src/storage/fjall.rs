//! Storage on disk: fjall, an LSM engine whose batches are atomic across key spaces.
//!
//! What is set here and why: fjall's default durability is the operating system's cache, so every
//! commit names its own; its journal is not compressed, so that it can be checked before it is
//! trusted; its write path poisons itself after a failed batch (3.1.13 and later), and the database above stops at the first error anyway.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use bytes::{Bytes, BytesMut};
use fjall::config::{BlockSizePolicy, CompressionPolicy, PartitioningPolicy, PinningPolicy};
use fjall::{
    AbstractTree as _, CompressionType, Keyspace, KeyspaceCreateOptions, PersistMode, Readable,
};

use super::{
    Durability, KeyValue, Snapshot, Space, Storage, StorageError, Write, journal, manifest,
};

/// How long closing may take to spare the next opening some work.
const SETTLE_MAX: Duration = Duration::from_secs(10);

/// Bytes of journal that may be left to replay after a crash.
const JOURNAL_BYTES_MAX: u64 = 128 << 20;

/// Less is searched quickly, and not worth a table of its own.
const FLUSH_BYTES_MIN: u64 = 4 << 20;

/// A block ends with the entry that makes it longer than this. With most entries that is little less
/// than 4 KiB, and the allocator has pieces of 3.5 and 4 KiB, but none between them and 5 KiB.
const BLOCK_BYTES: u32 = 3328;

/// Nothing is ever stored under this key. To remove it changes nothing, and makes the engine's count
/// of changes go on.
const ABSENT_KEY: &[u8] = &[0xFE];

/// A folder of fjall files.
pub struct FjallStorage {
    database: fjall::Database,
    spaces: Arc<[Keyspace; 4]>,
    /// The view of the last commit, which all who read now share: to open and close one of the
    /// engine's takes four locks and a count that all threads write to, and a read is not much more.
    latest: ArcSwap<FjallSnapshot>,
    /// Held from opening a view until it is the latest, so that none takes the place of a newer one.
    renewing: Mutex<()>,
    /// Bytes written to each space since it was last flushed, about: the engine flushes by itself.
    recent_bytes: [AtomicU64; 4],
    /// What was written last of each space lies here, and what is written next.
    chunks: Mutex<[Chunks; 4]>,
    /// Tables have taken the place of memory, or will have soon, that the engine holds on to.
    superseded: AtomicBool,
    journal_end: Option<u64>,
}

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FjallOptions {
    /// Bytes of decompressed blocks kept in memory.
    pub cache_bytes: u64,
    /// Bytes of recent writes kept in memory, for each space, before they are written as a table.
    pub memtable_bytes: u64,
    /// Threads that write tables and merge them. With fewer than four, the first of fjall 3.1.13, which
    /// only writes, finds requests to merge that the others have no time for, and hands them back to
    /// the queue and takes them out again without a pause: a core at work for nothing for as long as
    /// a merge takes. A lone one merges while memtables pile up behind it, and then waits for ever
    /// for room in the queue that only it empties.
    pub worker_threads: usize,
}

impl Default for FjallOptions {
    fn default() -> Self {
        FjallOptions { cache_bytes: 440 << 20, memtable_bytes: 32 << 20, worker_threads: 4 }
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
        let spaces = Arc::new(spaces);
        Ok(FjallStorage {
            latest: ArcSwap::from_pointee(FjallSnapshot::open(&database, &spaces)),
            renewing: Mutex::default(),
            database,
            spaces,
            recent_bytes,
            chunks: Mutex::default(),
            superseded: AtomicBool::new(false),
            journal_end,
        })
    }

    /// Whether tables are being written or merged.
    fn is_busy(&self) -> bool {
        self.database.outstanding_flushes() > 0 || self.database.active_compactions() > 0
    }

    /// How often what the engine has of a space is there as it was before tables were written or
    /// merged. Of the small one that is rotated to let go of them, they do not count.
    fn older_versions(&self) -> usize {
        let spaces = [Space::Items, Space::Index, Space::Log];
        spaces.iter().map(|space| self.spaces[*space as usize].tree.version_free_list_len()).sum()
    }

    /// From here on readers see everything that is committed by now.
    fn renew(&self) {
        let _renewing = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
        self.latest.store(Arc::new(FjallSnapshot::open(&self.database, &self.spaces)));
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
        Space::Meta | Space::Items | Space::Index => base
            .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
            .data_block_compression_policy(CompressionPolicy::disabled()),
    }
}

impl Storage for FjallStorage {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.latest.load_full()
    }

    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write<'_>>,
        durability: Durability,
    ) -> Result<(), StorageError> {
        let mode = match durability {
            Durability::Durable => PersistMode::SyncData,
            Durability::Relaxed => PersistMode::Buffer,
        };
        let mut batch = self.database.batch().durability(Some(mode));
        let mut bytes = [0; 4];
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        for (space, key, value) in writes {
            let (keyspace, chunks) = (&self.spaces[space as usize], &mut chunks[space as usize]);
            bytes[space as usize] += key.len() + value.map_or(0, Bytes::len);
            let key = chunks.keys.pack(key);
            match value {
                Some(value) => batch.insert(keyspace, key, chunks.values.pack(value)),
                None => batch.remove(keyspace, key),
            }
        }
        drop(chunks);
        for (recent, bytes) in self.recent_bytes.iter().zip(bytes) {
            recent.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        batch.commit().map_err(explain)?;
        self.renew();
        Ok(())
    }

    fn flush(&self) -> Result<(), StorageError> {
        for (keyspace, recent) in self.spaces.iter().zip(&self.recent_bytes) {
            if recent.load(Ordering::Relaxed) >= FLUSH_BYTES_MIN {
                recent.store(0, Ordering::Relaxed);
                keyspace.rotate_memtable().map_err(explain)?;
                self.superseded.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// The engine keeps what a table was written or merged from, in memory and on disk, for views that
    /// are not younger than the table, and lets go of it when next a memtable is rotated.
    fn release(&self) -> Result<(), StorageError> {
        let is_due = self.superseded.load(Ordering::Relaxed) && !self.is_busy();
        let meta = &self.spaces[Space::Meta as usize];
        if is_due {
            meta.remove(ABSENT_KEY).map_err(explain)?;
        }
        if self.latest.load().snapshot.seqno() != self.database.visible_seqno() {
            self.renew();
        }
        if is_due {
            meta.rotate_memtable().map_err(explain)?;
            self.superseded.store(self.older_versions() > 0, Ordering::Relaxed);
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

/// Keys lie apart from values: a search compares keys all over a memtable, and the fewer pages they are
/// on the better.
#[derive(Default)]
struct Chunks {
    keys: Chunk,
    values: Chunk,
}

/// Memory for short keys or values, one after the other: what is written together to one space is
/// also let go of together, when it is a table. An allocation for each, and another one to count who
/// refers to it, cost more than to copy them.
#[derive(Default)]
struct Chunk(BytesMut);

impl Chunk {
    const BYTES: usize = 16 * 1024;
    /// What is longer is referred to where it is.
    const PACKED_BYTES_MAX: usize = 1024;

    fn pack(&mut self, bytes: &Bytes) -> Bytes {
        if bytes.len() > Chunk::PACKED_BYTES_MAX {
            return bytes.clone();
        }
        if self.0.capacity() < bytes.len() {
            self.0 = BytesMut::with_capacity(Chunk::BYTES);
        }
        self.0.extend_from_slice(bytes);
        self.0.split().freeze()
    }
}

struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    spaces: Arc<[Keyspace; 4]>,
}

impl FjallSnapshot {
    fn open(database: &fjall::Database, spaces: &Arc<[Keyspace; 4]>) -> FjallSnapshot {
        FjallSnapshot { snapshot: database.snapshot(), spaces: Arc::clone(spaces) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> (FjallStorage, [tempfile::TempDir; 2]) {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let options = FjallOptions::default();
        let storage = FjallStorage::open(folders[0].path(), folders[1].path(), options).unwrap();
        (storage, folders)
    }

    fn write(storage: &FjallStorage, space: Space, key: u32, value: Vec<u8>) {
        let key = Bytes::copy_from_slice(&key.to_be_bytes());
        let value = Bytes::from(value);
        let mut writes = std::iter::once((space, &key, Some(&value)));
        storage.commit(&mut writes, Durability::Relaxed).unwrap();
    }

    fn has(snapshot: &dyn Snapshot, key: u32) -> bool {
        snapshot.get(Space::Items, &key.to_be_bytes()).unwrap().is_some()
    }

    /// A view may be renewed at any moment. None may take the place of one that shows more.
    #[test]
    fn what_is_committed_is_seen_from_then_on() {
        let (storage, _folders) = open();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        storage.renew();
                    }
                });
            }
            let missing = (1..20_000).find(|key| {
                let before = storage.snapshot();
                write(&storage, Space::Items, *key, vec![1]);
                has(&*before, *key) || !has(&*storage.snapshot(), *key)
            });
            is_done.store(true, Ordering::Relaxed);
            assert_eq!(missing, None);
        });
    }

    /// Of any length, also where a chunk ends: nothing is cut, and nothing written over.
    #[test]
    fn what_is_packed_is_what_was_given() {
        let lengths = [0, 1, 700, Chunk::PACKED_BYTES_MAX, Chunk::PACKED_BYTES_MAX + 1];
        let given: Vec<Bytes> = (0..100_u8)
            .flat_map(|round| lengths.map(|length| Bytes::from(vec![round; length])))
            .collect();
        let mut chunk = Chunk::default();
        let packed: Vec<Bytes> = given.iter().map(|bytes| chunk.pack(bytes)).collect();
        assert_eq!(packed, given);
        let is_shared = |at: usize| packed[at].as_ptr() == given[at].as_ptr();
        assert!(is_shared(4) && !is_shared(3), "long ones are referred to, short ones copied");
    }

    #[test]
    fn what_tables_took_the_place_of_is_let_go() {
        let (storage, _folders) = open();
        storage.flush().unwrap();
        for key in 0..6 {
            for space in [Space::Items, Space::Index, Space::Log] {
                write(&storage, space, key, vec![1; 4 << 20]);
            }
            storage.flush().unwrap();
        }
        let wait_until = |is_so: &dyn Fn() -> bool| {
            let started = Instant::now();
            while !is_so() && started.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        let sealed = || storage.spaces.iter().map(Keyspace::sealed_memtable_count).sum::<usize>();
        wait_until(&|| sealed() == 0 && !storage.is_busy());
        assert!(storage.older_versions() >= 3, "memory that tables hold as well");
        wait_until(&|| storage.release().is_ok() && storage.older_versions() == 0);
        assert_eq!(storage.older_versions(), 0);
        assert!(has(&*storage.snapshot(), 5));
    }
}
