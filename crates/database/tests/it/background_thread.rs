//! The background thread: it works by itself, is woken, and ends with the database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::clock::ManualClock;
use database::operations::*;
use database::options::Location;
use database::storage::memory::MemoryStorage;
use database::{Database, Options};
use values::{AttributeValue, Item, Number};

use crate::streams_world::{START, TABLE, put_request, song, table_request};

fn open(clock: &ManualClock) -> Database {
    let storage = Arc::new(MemoryStorage::default());
    let options =
        Options { clock: Arc::new(clock.clone()), ..Options::at(Location::Storage(storage)) };
    Database::open(options).unwrap()
}

fn expiring(seconds: u64) -> Item {
    song("Song", &[("expires", AttributeValue::N(Number::from(seconds)))])
}

async fn item_count(database: &Database) -> u64 {
    let request = DescribeTableRequest { table_name: TABLE.to_owned() };
    database.describe_table(request).await.unwrap().table.item_count
}

/// Waits until there are no items, for ten seconds at most.
async fn until_empty(database: &Database) -> Duration {
    let started = Instant::now();
    while item_count(database).await > 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "the items are still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    started.elapsed()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn expired_items_go_by_themselves() {
    let clock = ManualClock::new(START);
    let database = open(&clock);
    runtime().block_on(async {
        database.create_table(table_request(None)).await.unwrap();
        let request = UpdateTimeToLiveRequest {
            table_name: TABLE.to_owned(),
            attribute_name: "expires".to_owned(),
            enabled: true,
        };
        database.update_time_to_live(request).await.unwrap();
        for round in 1..=3 {
            database.put_item(put_request(expiring(START / 1000 + round))).await.unwrap();
            clock.advance(1000);
            until_empty(&database).await;
        }
    });
    database.close();
}

#[test]
fn closing_does_not_wait_for_the_pause() {
    for closes in [true, false] {
        let database = open(&ManualClock::new(START));
        std::thread::sleep(Duration::from_millis(50));
        let started = Instant::now();
        if closes {
            database.close();
            database.close();
        }
        drop(database);
        assert!(started.elapsed() < Duration::from_millis(400), "{:?}", started.elapsed());
    }
}

/// Many databases, each dropped at another moment of its first rounds: whichever thread holds the
/// last handle closes it, and none may wait for itself.
#[test]
fn a_database_can_be_dropped_at_any_moment() {
    for number in 0..200 {
        let database = open(&ManualClock::new(START));
        runtime().block_on(async {
            database.create_table(table_request(None)).await.unwrap();
            database.put_item(put_request(expiring(1))).await.unwrap();
        });
        std::thread::sleep(Duration::from_micros(number * 10));
        drop(database);
    }
}

#[test]
fn a_folder_can_be_opened_again_right_after_closing() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let database = Database::open(Options::folder(folder.path())).unwrap();
        runtime().block_on(async {
            if round == 0 {
                database.create_table(table_request(None)).await.unwrap();
            }
            database.put_item(put_request(song(round.to_string(), &[]))).await.unwrap();
        });
        database.close();
        drop(database);
    }
}
