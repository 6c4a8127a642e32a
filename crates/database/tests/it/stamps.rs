//! Whether an item is as it was read is told without reading it, and never wrongly.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use database::operations::*;
use database::options::{Options, Points};
use database::{Database, Stamp};
use serde_json::json;
use values::AttributeValue;

use crate::items_world::{get, key, put, things, things_in, update, wait};

fn stamp(database: &Database, pk: &str) -> Stamp {
    let key = key(pk, 1);
    let stamp = database.stamp([("things", &key)]).unwrap();
    stamp.unwrap()
}

fn write(database: &Database, pk: &str, value: i64) {
    put(database, json!({ "pk": {"S": pk}, "sk": {"N": "1"}, "v": {"N": value.to_string()} }))
        .unwrap();
}

#[test]
fn an_item_is_unchanged_until_it_is_put_updated_or_deleted() {
    let database = things();
    let absent = stamp(&database, "a");
    let other = stamp(&database, "b");
    write(&database, "a", 1);
    assert!(!database.is_unchanged(&absent));

    let stored = stamp(&database, "a");
    assert!(database.is_unchanged(&stored), "reading changes nothing");
    wait(database.update_item(update("a", 1, "SET v = v + v"))).unwrap();
    assert!(!database.is_unchanged(&stored));

    let updated = stamp(&database, "a");
    let delete = DeleteItemRequest {
        table_name: "things".to_owned(),
        key: key("a", 1),
        ..DeleteItemRequest::default()
    };
    wait(database.delete_item(delete)).unwrap();
    assert!(!database.is_unchanged(&updated));
    assert!(database.is_unchanged(&other), "another item");
}

#[test]
fn of_several_items_one_that_changed_is_enough() {
    let database = things();
    let (one, two) = (key("a", 1), key("b", 1));
    let both = database.stamp([("things", &one), ("things", &two)]).unwrap().unwrap();
    assert!(database.is_unchanged(&both));
    write(&database, "b", 1);
    assert!(!database.is_unchanged(&both));
}

/// A remembered item must not outlive its table, nor hide that the database has stopped.
#[test]
fn nothing_is_unchanged_once_a_table_is_gone_or_the_database_closed() {
    let database = things();
    write(&database, "a", 1);
    let before = stamp(&database, "a");
    let delete = DeleteTableRequest { table_name: "things".to_owned() };
    wait(database.delete_table(delete)).unwrap();
    assert!(!database.is_unchanged(&before));
    assert!(database.stamp([("things", &key("a", 1))]).is_err(), "there is no such table");

    let database = things();
    let before = stamp(&database, "a");
    database.close();
    assert!(!database.is_unchanged(&before));
}

/// Readers that remember what they read and ask for changes see every write that was answered before
/// they asked: as if they had read each time.
#[test]
fn what_is_remembered_is_never_older_than_what_was_answered() {
    // Time for others between the steps of a commit.
    let points = Points::new(|point| {
        if point.starts_with("committer:") {
            std::thread::sleep(Duration::from_micros(100));
        }
    });
    let database = things_in(Options { points, ..Options::in_memory() });
    write(&database, "hot", 0);
    let (answered, is_done) = (AtomicI64::new(0), AtomicBool::new(false));
    let read = |expected: i64| {
        let Some(item) = get(&database, "hot", 1) else { panic!("it is there") };
        let AttributeValue::N(value) = &item["v"] else { panic!("a number") };
        let value = value.to_i64().unwrap();
        assert!(value >= expected, "read {value} after {expected} was answered");
        value
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut uses = 0_u64;
                    while !is_done.load(Ordering::SeqCst) {
                        let hot = key("hot", 1);
                        let Some(stamp) = database.stamp([("things", &hot)]).unwrap() else {
                            continue;
                        };
                        let remembered = read(answered.load(Ordering::SeqCst));
                        for _ in 0..50 {
                            let at_least = answered.load(Ordering::SeqCst);
                            if !database.is_unchanged(&stamp) {
                                break;
                            }
                            assert!(
                                remembered >= at_least,
                                "{remembered}, {at_least} was answered"
                            );
                            uses += 1;
                        }
                    }
                    uses
                })
            })
            .collect();
        for value in 1..1_000 {
            write(&database, "hot", value);
            answered.store(value, Ordering::SeqCst);
        }
        is_done.store(true, Ordering::SeqCst);
        let uses: u64 = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        assert!(uses > 0, "nothing was ever remembered");
    });
}
