//! How writes of many become durable together, and what everybody hears when that goes wrong.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use database::options::{Location, Options, Points};
use database::storage::memory::MemoryStorage;
use database::storage::{Durability, Snapshot, Storage, StorageError, Write};
use database::{Database, Error};
use serde_json::json;
use values::AttributeValue;

use crate::items_world::{get, put, things_in, update, wait};

const LONGEST: Duration = Duration::from_secs(20);

fn counter(database: &Database) -> u64 {
    let item = get(database, "counter", 1).unwrap();
    let AttributeValue::N(count) = &item["count"] else { panic!("a number") };
    count.to_i64().unwrap().try_into().unwrap()
}

fn with_counter(options: Options) -> Database {
    let database = things_in(options);
    put(&database, json!({"pk": {"S": "counter"}, "sk": {"N": "1"}, "count": {"N": "0"}})).unwrap();
    database
}

fn count_one(database: &Database) -> Result<(), Error> {
    let one = update("counter", 1, "SET #count = #count + :one");
    let one = database::operations::UpdateItemRequest {
        expression_attribute_names: Some([("#count".to_owned(), "count".to_owned())].into()),
        expression_attribute_values: Some([(":one".to_owned(), 1_i64.into())].into()),
        ..one
    };
    wait(database.update_item(one)).map(|_| ())
}

/// Whoever writes while the database is closed is answered: either the write is in the folder, which can
/// be opened at once, or it was refused and is not.
#[test]
fn closing_keeps_what_was_answered_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let database = with_counter(Options::folder(folder.path()));
    let answered = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while count_one(&database).is_ok() {
                    answered.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(150));
        database.close();
    });
    let again = Database::open(Options::folder(folder.path())).unwrap();
    assert_eq!(counter(&again), answered.load(Ordering::SeqCst));
    assert!(answered.load(Ordering::SeqCst) > 0, "nobody wrote");
    assert!(count_one(&database).is_err(), "it is closed");
}

/// A commit that ends in a panic must not leave anybody waiting, neither those whose writes were in it
/// nor those who come later.
#[test]
fn a_commit_that_panics_is_told_to_everybody() {
    const WRITERS: usize = 8;
    static IS_ARMED: AtomicBool = AtomicBool::new(false);
    static OTHERS: Barrier = Barrier::new(WRITERS);
    let points = Points::new(|point| {
        if point == "committer:before-commit" && IS_ARMED.load(Ordering::SeqCst) {
            // Others join the group that nobody will take.
            OTHERS.wait();
            std::thread::sleep(Duration::from_millis(100));
            panic!("as a test wants it");
        }
    });
    let database = with_counter(Options { points, ..Options::in_memory() });
    IS_ARMED.store(true, Ordering::SeqCst);
    let (told, answers) = mpsc::channel();
    for number in 0..WRITERS {
        let (database, told) = (database.clone(), told.clone());
        std::thread::spawn(move || {
            if number > 0 {
                OTHERS.wait();
            }
            for _ in 0..20 {
                told.send(count_one(&database)).unwrap();
            }
        });
    }
    for _ in 0..WRITERS * 20 {
        let answer = answers.recv_timeout(LONGEST);
        assert!(answer.is_ok(), "somebody waits for ever");
        let Ok(Err(Error::Stopped(why))) = answer else { panic!("{answer:?}") };
        assert!(why.contains("internal error"), "{why}");
    }
    assert!(database.stopped().unwrap().contains("internal error"));
    database.close();
}

/// Takes its time to bring itself into the form that opens fastest.
#[derive(Default)]
struct Slow {
    inner: MemoryStorage,
    settles: AtomicU64,
    settled: AtomicU64,
}

impl Storage for Slow {
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

    fn settle(&self) -> Result<(), StorageError> {
        self.settles.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(200));
        self.settled.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn disk_bytes(&self) -> u64 {
        0
    }
}

/// Whoever closes while another does returns when that is done, and the folder can be opened again.
#[test]
fn of_two_who_close_both_wait_until_it_is_done() {
    let storage = Arc::new(Slow::default());
    let location = Location::Storage(Arc::<Slow>::clone(&storage));
    let database = with_counter(Options::at(location));
    std::thread::scope(|scope| {
        scope.spawn(|| database.close());
        while storage.settles.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        database.close();
        assert_eq!(storage.settled.load(Ordering::SeqCst), 1, "it is still being closed");
    });
    assert_eq!(storage.settles.load(Ordering::SeqCst), 1);
    drop(database);
    assert_eq!(Arc::strong_count(&storage), 1, "nobody holds on to it");
}
