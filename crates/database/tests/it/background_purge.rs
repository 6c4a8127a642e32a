//! Nothing of a deleted table or index is left, and nothing else is touched.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::operations::*;
use database::shapes::*;
use database::storage::Space;
use values::AttributeValue;

use crate::streams_world::{START, TABLE, World, song, table_request};

fn key(name: &str, key_type: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type }
}

/// Two tables with a local and a global index and time to live, 1,500 items each.
fn two_full_tables() -> World {
    let world = World::new();
    for name in [TABLE, "Other"] {
        let mut request = table_request(None);
        request.table_name = name.to_owned();
        request.attribute_definitions.push(AttributeDefinition {
            attribute_name: "year".to_owned(),
            attribute_type: ScalarAttributeType::S,
        });
        let projection =
            Projection { projection_type: Some(ProjectionType::All), non_key_attributes: None };
        request.local_secondary_indexes = Some(vec![LocalSecondaryIndex {
            index_name: "Local".to_owned(),
            key_schema: vec![key("artist", KeyType::Hash), key("year", KeyType::Range)],
            projection: projection.clone(),
        }]);
        request.global_secondary_indexes = Some(vec![GlobalSecondaryIndex {
            index_name: "Global".to_owned(),
            key_schema: vec![key("year", KeyType::Hash)],
            projection,
            ..GlobalSecondaryIndex::default()
        }]);
        world.wait(world.database.create_table(request)).unwrap();
        let request = UpdateTimeToLiveRequest {
            table_name: name.to_owned(),
            attribute_name: "expires".to_owned(),
            enabled: true,
        };
        world.wait(world.database.update_time_to_live(request)).unwrap();
        fill(&world, name);
    }
    world
}

fn fill(world: &World, table_name: &str) {
    let expires = AttributeValue::from(START as i64);
    for number in 0..1500 {
        let attributes = [("year", "1965".into()), ("expires", expires.clone())];
        let request = PutItemRequest {
            table_name: table_name.to_owned(),
            item: song(format!("Song {number}"), &attributes),
            ..PutItemRequest::default()
        };
        world.wait(world.database.put_item(request)).unwrap();
    }
}

fn counts(world: &World) -> [usize; 6] {
    [
        world.keys(Space::Items, b"\0").len(),
        world.keys(Space::Index, b"g").len(),
        world.keys(Space::Index, b"e").len(),
        world.keys(Space::Meta, b"z").len(),
        world.keys(Space::Meta, b"c").len(),
        world.keys(Space::Meta, b"p").len(),
    ]
}

#[test]
fn a_deleted_table_leaves_nothing() {
    let world = two_full_tables();
    assert_eq!(counts(&world), [3000, 6000, 3000, 2, 2, 0]);
    let request = DeleteTableRequest { table_name: TABLE.to_owned() };
    world.wait(world.database.delete_table(request)).unwrap();
    assert_eq!(counts(&world)[5], 1);
    world.work();
    assert_eq!(counts(&world), [1500, 3000, 1500, 1, 1, 0]);
    let request = DescribeTableRequest { table_name: "Other".to_owned() };
    let other = world.wait(world.database.describe_table(request)).unwrap().table;
    assert_eq!(other.item_count, 1500);
}

#[test]
fn a_table_can_be_made_anew_before_the_old_one_is_purged() {
    let world = two_full_tables();
    let request = DeleteTableRequest { table_name: TABLE.to_owned() };
    world.wait(world.database.delete_table(request)).unwrap();
    world.create_table(None);
    world.put(song("New", &[]));
    world.work();
    assert_eq!(world.get(&song("New", &[])), Some(song("New", &[])));
    assert_eq!(world.describe_table().item_count, 1);
    assert_eq!(counts(&world)[0], 1501);
}

#[test]
fn a_deleted_index_leaves_nothing() {
    let world = two_full_tables();
    let request = UpdateTableRequest {
        table_name: TABLE.to_owned(),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate::Delete {
            index_name: "Global".to_owned(),
        }]),
        ..UpdateTableRequest::default()
    };
    world.wait(world.database.update_table(request)).unwrap();
    world.work();
    assert_eq!(counts(&world), [3000, 4500, 3000, 2, 2, 0]);
    let table = world.describe_table();
    assert_eq!((table.item_count, table.global_secondary_indexes.len()), (1500, 0));
    assert_eq!(table.local_secondary_indexes[0].item_count, 1500);
}
