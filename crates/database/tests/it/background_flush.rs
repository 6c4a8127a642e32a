//! Writing tables while nobody else writes: when, and that tables are what comes of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use database::clock::ManualClock;
use database::options::Location;
use database::storage::fjall::{FjallOptions, FjallStorage};
use database::storage::memory::MemoryStorage;
use database::storage::{Durability, Snapshot, Space, Storage, StorageError, Write};
use database::{Database, Options};

use crate::items_world::wait;
use crate::streams_world::{START, put_request, song, table_request};

/// Counts how often it was to flush.
#[derive(Default)]
struct Counting {
    inner: MemoryStorage,
    flushes: AtomicUsize,
}

impl Storage for Counting {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.inner.snapshot()
    }

    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write<'_>>,
        durability: Durability,
    ) -> Result<(), StorageError> {
        self.inner.commit(writes, durability)
    }

    fn flush(&self) -> Result<(), StorageError> {
        self.flushes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn disk_bytes(&self) -> u64 {
        0
    }
}

#[test]
fn tables_are_written_once_nobody_has_written_for_a_second() {
    let (clock, storage) = (ManualClock::new(START), Arc::new(Counting::default()));
    let location = Location::Storage(Arc::<Counting>::clone(&storage));
    let mut options = Options { clock: Arc::new(clock.clone()), ..Options::at(location) };
    options.background_work = false;
    let database = Database::open(options).unwrap();
    wait(database.create_table(table_request(None))).unwrap();
    let flushes = || {
        database.run_background_work().unwrap();
        storage.flushes.load(Ordering::Relaxed)
    };
    for title in ["One", "Two", "Three"] {
        wait(database.put_item(put_request(song(title, &[])))).unwrap();
        assert_eq!(flushes(), 0);
        clock.advance(999);
        assert_eq!(flushes(), 0, "somebody may be writing still");
    }
    clock.advance(1);
    assert_eq!(flushes(), 1);
    wait(database.put_item(put_request(song("Four", &[])))).unwrap();
    assert_eq!(flushes(), 1);
    clock.advance(59_999);
    assert_eq!(flushes(), 1, "many small tables are not worth it");
    clock.advance(1);
    assert_eq!(flushes(), 2);
    clock.advance(600_000);
    assert_eq!(flushes(), 2, "there is nothing more to flush");
}

/// Files in the folders for tables, wherever they are below this one. Those of the engine's own space,
/// the first, do not count.
fn tables(folder: &Path) -> usize {
    if folder.ends_with("keyspaces/0") {
        return 0;
    }
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let count = |path: std::path::PathBuf| match path.is_dir() {
        true => tables(&path),
        false => usize::from(folder.ends_with("tables")),
    };
    entries.map(count).sum()
}

fn write(storage: &FjallStorage, space: Space, number: u32, bytes: usize) {
    let (key, value) = (Bytes::from(format!("{number:08}")), Bytes::from(vec![b'x'; bytes]));
    let mut writes = std::iter::once((space, &key, Some(&value)));
    storage.commit(&mut writes, Durability::Relaxed).unwrap();
}

/// Waits for as many tables as there shall be, for ten seconds at most.
fn until_tables(folder: &Path, count: usize) {
    let started = Instant::now();
    while tables(folder) != count && started.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(tables(folder), count);
}

#[test]
fn what_is_worth_a_table_becomes_one() {
    let (folder, aside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let open = || FjallStorage::open(folder.path(), aside.path(), FjallOptions::default()).unwrap();
    let storage = open();
    storage.flush().unwrap();
    write(&storage, Space::Items, 1, 4 << 20);
    write(&storage, Space::Index, 1, 2 << 20);
    storage.flush().unwrap();
    until_tables(folder.path(), 1);
    write(&storage, Space::Index, 2, 2 << 20);
    storage.flush().unwrap();
    until_tables(folder.path(), 2);
    write(&storage, Space::Items, 2, 100);
    storage.flush().unwrap();
    drop(storage);
    // However little the journal held, it need not be replayed twice.
    let storage = open();
    assert_eq!(storage.snapshot().get(Space::Items, b"00000002").unwrap().unwrap().len(), 100);
    storage.flush().unwrap();
    until_tables(folder.path(), 3);
    assert_eq!(storage.snapshot().get(Space::Items, b"00000002").unwrap().unwrap().len(), 100);
}
