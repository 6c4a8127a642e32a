//! Expired items are removed, others are not, and a stream says why.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::time::Instant;

use database::operations::*;
use database::shapes::StreamViewType;
use database::storage::Space;
use values::{AttributeValue, Item, Number};

use crate::streams_world::{HOUR, SECOND, START, TABLE, World, song};

const YEAR_SECONDS: u64 = 365 * 24 * 60 * 60;

fn expiring(name: &str, seconds: u64) -> Item {
    song(name, &[("expires", AttributeValue::N(Number::from(seconds)))])
}

fn names_left(world: &World) -> Vec<String> {
    let request = ScanRequest { table_name: TABLE.to_owned(), ..ScanRequest::default() };
    let items = world.wait(world.database.scan(request)).unwrap().items.unwrap();
    let name = |item: &Item| match &item["song"] {
        AttributeValue::S(name) => name.clone(),
        other => format!("{other:?}"),
    };
    items.iter().map(name).collect()
}

#[test]
fn an_item_goes_when_its_second_has_come() {
    let world = World::new();
    world.create_table(None);
    world.expire_by("expires");
    let now = START / 1000;
    world.put(expiring("Soon", now + 10));
    world.put(expiring("Later", now + 1000));
    world.put(song("Never", &[]));
    world.put(song("Text", &[("expires", "1".into())]));
    world.put(expiring("Ages ago", now - 5 * YEAR_SECONDS - 1));
    world.clock.advance(9 * SECOND);
    world.work();
    assert_eq!(names_left(&world).len(), 5);
    world.clock.advance(SECOND);
    world.work();
    assert_eq!(names_left(&world), ["Ages ago", "Later", "Never", "Text"]);
    assert_eq!(world.describe_table().item_count, 4);
    // The entries of what stays are there; that of what went is not.
    assert_eq!(world.keys(Space::Index, b"e").len(), 2);
}

#[test]
fn an_item_written_with_an_expiry_in_the_past_goes_too() {
    let world = World::new();
    world.create_table(None);
    world.expire_by("expires");
    world.work();
    world.put(expiring("Late", START / 1000 - 5 * YEAR_SECONDS));
    world.put(expiring("Just now", START / 1000));
    world.work();
    assert_eq!(names_left(&world), Vec::<String>::new());
}

#[test]
fn an_item_that_was_changed_to_live_on_stays() {
    let world = World::new();
    world.create_table(None);
    world.expire_by("expires");
    let now = START / 1000;
    world.put(expiring("Prolonged", now + 10));
    world.put(expiring("Freed", now + 10));
    world.put(expiring("Prolonged", now + 100));
    world.put(song("Freed", &[]));
    world.clock.advance(50 * SECOND);
    world.work();
    assert_eq!(names_left(&world), ["Freed", "Prolonged"]);
}

#[test]
fn items_from_before_time_to_live_was_enabled_go_too() {
    let world = World::new();
    world.create_table(None);
    let now = START / 1000;
    for number in 0..450 {
        world.put(expiring(&format!("Old {number}"), now + 10));
    }
    world.expire_by("expires");
    world.put(expiring("New", now + 10));
    world.work();
    assert_eq!(world.keys(Space::Index, b"e").len(), 451);
    world.clock.advance(10 * SECOND);
    world.work();
    assert_eq!(names_left(&world), Vec::<String>::new());
    assert_eq!(world.keys(Space::Index, b"e").len(), 0);
}

/// Time to live was on for one attribute, is off for an hour, and then on for another: entries of
/// the first are left over, and must not take items with them.
#[test]
fn entries_left_over_from_another_attribute_remove_nothing() {
    let world = World::new();
    world.create_table(None);
    world.expire_by("expires");
    world.put(expiring("Song", START / 1000 + 10));
    world.clock.advance(HOUR / 1000);
    let disable = UpdateTimeToLiveRequest {
        table_name: TABLE.to_owned(),
        attribute_name: "expires".to_owned(),
        enabled: false,
    };
    world.clock.advance(HOUR);
    world.wait(world.database.update_time_to_live(disable)).unwrap();
    world.clock.advance(HOUR);
    world.expire_by("ends");
    world.work();
    assert_eq!(names_left(&world), ["Song"]);
    assert_eq!(world.keys(Space::Index, b"e").len(), 0);
}

#[test]
fn a_stream_names_time_to_live_as_the_cause() {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewAndOldImages));
    world.expire_by("expires");
    let item = expiring("Song", START / 1000 + 1);
    world.put(item.clone());
    world.clock.advance(SECOND);
    world.work();
    let records = world.read_stream();
    assert_eq!(records.len(), 2);
    assert!(!records[0].by_time_to_live);
    assert!(records[1].by_time_to_live);
    assert_eq!(records[1].event_name, EventName::Remove);
    assert_eq!(records[1].old_image.as_ref(), Some(&item));
}

/// 20,000 items expire in one second. The rate is printed; the bench asserts it, in release.
#[test]
fn twenty_thousand_expiries_complete() {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewAndOldImages));
    world.expire_by("expires");
    let due = START / 1000 + 1;
    let puts: Vec<WriteRequest> = (0..20_000)
        .map(|number| WriteRequest::Put { item: expiring(&format!("Song {number:05}"), due) })
        .collect();
    for batch in puts.chunks(25) {
        let request = BatchWriteItemRequest {
            request_items: [(TABLE.to_owned(), batch.to_vec())].into(),
            ..BatchWriteItemRequest::default()
        };
        world.wait(world.database.batch_write_item(request)).unwrap();
    }
    assert_eq!(world.describe_table().item_count, 20_000);
    world.clock.advance(SECOND);
    let started = Instant::now();
    world.work();
    let seconds = started.elapsed().as_secs_f64();
    println!("20,000 expiries in {seconds:.2} s: {:.0} a second", 20_000.0 / seconds);
    assert_eq!(world.describe_table().item_count, 0);
    assert_eq!(world.keys(Space::Items, b"\0").len(), 0);
    assert_eq!(world.keys(Space::Index, b"e").len(), 0);
    let records = world.read_stream();
    assert_eq!(records.iter().filter(|record| record.by_time_to_live).count(), 20_000);
}
