//! What stream records hold: view types, event names, sizes, and which writes leave none.

use database::operations::*;
use database::shapes::*;
use values::{AttributeValue, Item, Number, size};

use crate::streams_world::{START, TABLE, World, key_of, song};

fn names(records: &[Record]) -> Vec<EventName> {
    records.iter().map(|record| record.event_name).collect()
}

/// Inserts, changes and removes one item under a view type; gives the records and both images.
fn three_changes(view_type: StreamViewType) -> (Vec<Record>, Item, Item) {
    let world = World::new();
    world.create_table(Some(view_type));
    let first = song("Feeling Good", &[("year", 1965.into())]);
    let second = song("Feeling Good", &[("year", 1965.into()), ("label", "Philips".into())]);
    world.put(first.clone());
    world.put(second.clone());
    world.delete(&second);
    let records = world.read_stream();
    assert_eq!(names(&records), [EventName::Insert, EventName::Modify, EventName::Remove]);
    for record in &records {
        assert_eq!(record.keys, key_of(&first));
        assert_eq!(record.stream_view_type, view_type);
        assert_eq!(record.aws_region, "us-east-1");
        assert_eq!(record.approximate_creation_date_time, START);
        assert!(!record.by_time_to_live);
        let images = [&record.new_image, &record.old_image].into_iter().flatten();
        let weight = size::item_size(&record.keys) + images.map(size::item_size).sum::<usize>();
        assert_eq!(record.size_bytes, weight as u64);
    }
    (records, first, second)
}

/// New and old image of each record.
fn images(records: &[Record]) -> Vec<(Option<Item>, Option<Item>)> {
    records.iter().map(|record| (record.new_image.clone(), record.old_image.clone())).collect()
}

#[test]
fn keys_only_shows_no_image() {
    let (records, _, _) = three_changes(StreamViewType::KeysOnly);
    assert_eq!(images(&records), [(None, None), (None, None), (None, None)]);
}

#[test]
fn new_image_shows_the_item_after() {
    let (records, first, second) = three_changes(StreamViewType::NewImage);
    assert_eq!(images(&records), [(Some(first), None), (Some(second), None), (None, None)]);
}

#[test]
fn old_image_shows_the_item_before() {
    let (records, first, second) = three_changes(StreamViewType::OldImage);
    assert_eq!(images(&records), [(None, None), (None, Some(first)), (None, Some(second))]);
}

#[test]
fn new_and_old_images_show_both() {
    let (records, first, second) = three_changes(StreamViewType::NewAndOldImages);
    assert_eq!(
        images(&records),
        [(Some(first.clone()), None), (Some(second.clone()), Some(first)), (None, Some(second)),]
    );
}

/// The figures of the sample event in the AWS Lambda guide.
#[test]
fn a_record_weighs_what_the_service_says() {
    let world = World::new();
    let id = |key_type| KeySchemaElement { attribute_name: "Id".to_owned(), key_type };
    let request = CreateTableRequest {
        table_name: TABLE.to_owned(),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "Id".to_owned(),
            attribute_type: ScalarAttributeType::N,
        }],
        key_schema: vec![id(KeyType::Hash)],
        ..crate::streams_world::table_request(Some(StreamViewType::NewAndOldImages))
    };
    world.wait(world.database.create_table(request)).unwrap();
    let item = |message: &str| {
        Item::from([("Id", AttributeValue::N(Number::from(101))), ("Message", message.into())])
    };
    world.put(item("New item!"));
    world.put(item("This item has changed"));
    let key = Item::from([("Id", AttributeValue::N(Number::from(101)))]);
    let request =
        DeleteItemRequest { table_name: TABLE.to_owned(), key, ..DeleteItemRequest::default() };
    world.wait(world.database.delete_item(request)).unwrap();
    let sizes: Vec<u64> = world.read_stream().iter().map(|record| record.size_bytes).collect();
    assert_eq!(sizes, [26, 59, 38]);
}

#[test]
fn a_write_that_changes_nothing_leaves_no_record() {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewAndOldImages));
    let tags =
        |order: [&str; 2]| AttributeValue::Ss(order.into_iter().map(str::to_owned).collect());
    world.put(song("Sinnerman", &[("tags", tags(["soul", "live"]))]));
    world.put(song("Sinnerman", &[("tags", tags(["live", "soul"]))]));
    world.delete(&song("Not there", &[]));
    let request = UpdateItemRequest {
        table_name: TABLE.to_owned(),
        key: song("Sinnerman", &[]),
        update_expression: Some("REMOVE nothing".to_owned()),
        ..UpdateItemRequest::default()
    };
    world.wait(world.database.update_item(request)).unwrap();
    assert_eq!(names(&world.read_stream()), [EventName::Insert]);
}

#[test]
fn records_are_unique_and_in_the_order_of_the_writes() {
    let world = World::new();
    world.create_table(Some(StreamViewType::KeysOnly));
    for number in 0..50 {
        world.put(song(format!("Song {number:02}"), &[]));
    }
    let put = |number: usize| TransactWrite::Put {
        item: song(format!("Song {number}"), &[]).into(),
        action: TransactAction { table_name: TABLE.to_owned(), ..TransactAction::default() },
    };
    let request = TransactWriteItemsRequest {
        transact_items: (50..60).map(put).collect(),
        ..TransactWriteItemsRequest::default()
    };
    world.wait(world.database.transact_write_items(request)).unwrap();
    let records = world.read_stream();
    let written: Vec<Item> = (0..60).map(|number| song(format!("Song {number:02}"), &[])).collect();
    let read: Vec<Item> = records.iter().map(|record| record.keys.clone()).collect();
    assert_eq!(read, written);
    assert!(records.is_sorted_by(|one, other| one.sequence_number < other.sequence_number));
    let mut ids: Vec<&str> = records.iter().map(|record| record.event_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 60);
    assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
}

#[test]
fn only_writes_while_the_stream_is_on_are_in_it() {
    let world = World::new();
    world.create_table(None);
    world.put(song("Before", &[]));
    world.switch_stream(Some(StreamViewType::KeysOnly));
    world.put(song("During", &[]));
    world.switch_stream(None);
    world.put(song("After", &[]));
    let records = world.read_stream();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].keys, song("During", &[]));
}
