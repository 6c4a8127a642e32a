//! A new index on a table with items: filled while writes go on, exact when it is ready.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::atomic::{AtomicBool, Ordering};

use database::operations::*;
use database::shapes::*;
use database::storage::Space;
use values::{AttributeValue, Item, size};

use crate::streams_world::{TABLE, World, key_of, put_request, song};

const INDEX: &str = "ByYear";

fn add_index(world: &World, projection_type: ProjectionType) {
    let key = |name: &str, key_type| KeySchemaElement { attribute_name: name.to_owned(), key_type };
    let index = GlobalSecondaryIndex {
        index_name: INDEX.to_owned(),
        key_schema: vec![key("year", KeyType::Hash), key("mood", KeyType::Range)],
        projection: Projection { projection_type: Some(projection_type), non_key_attributes: None },
        ..GlobalSecondaryIndex::default()
    };
    let attribute = |name: &str| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    let request = UpdateTableRequest {
        table_name: TABLE.to_owned(),
        attribute_definitions: Some(vec![attribute("year"), attribute("mood")]),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate::Create(index)]),
        ..UpdateTableRequest::default()
    };
    world.wait(world.database.update_table(request)).unwrap();
}

fn index_of(world: &World) -> GlobalSecondaryIndexDescription {
    world.describe_table().global_secondary_indexes.remove(0)
}

fn scan(world: &World, index_name: Option<&str>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let request = ScanRequest {
            table_name: TABLE.to_owned(),
            index_name: index_name.map(str::to_owned),
            exclusive_start_key: start,
            ..ScanRequest::default()
        };
        let page = world.wait(world.database.scan(request)).unwrap();
        items.extend(page.items.unwrap());
        start = page.last_evaluated_key;
        if start.is_none() {
            items.sort_by_key(|item| format!("{:?}", key_of(item)));
            return items;
        }
    }
}

/// What the index must hold, worked out from the table.
fn recomputed(world: &World, projection_type: ProjectionType) -> Vec<Item> {
    let is_key = |item: &Item, name: &str| {
        matches!(item.get(name), Some(AttributeValue::S(text)) if !text.is_empty()
            && text.len() <= if name == "year" { 2048 } else { 1024 })
    };
    let project = |item: Item| match projection_type {
        ProjectionType::All => item,
        _ => item
            .into_iter()
            .filter(|(name, _)| ["artist", "song", "year", "mood"].contains(&name.as_str()))
            .collect(),
    };
    let items = scan(world, None).into_iter();
    items.filter(|item| is_key(item, "year") && is_key(item, "mood")).map(project).collect()
}

fn check_index(world: &World, projection_type: ProjectionType) {
    let index = index_of(world);
    assert_eq!((index.index_status, index.backfilling), (IndexStatus::Active, None));
    let expected = recomputed(world, projection_type);
    assert_eq!(scan(world, Some(INDEX)), expected);
    assert_eq!(world.keys(Space::Index, b"g").len(), expected.len());
    assert_eq!(index.item_count, expected.len() as u64);
    let bytes: usize = expected.iter().map(size::item_size).sum();
    assert_eq!(index.index_size_bytes, bytes as u64);
}

fn entry(name: String, year: usize, note: &str) -> Item {
    let year = (1960 + year % 20).to_string();
    song(name, &[("year", year.into()), ("mood", "blue".into()), ("note", note.into())])
}

#[test]
fn an_index_on_a_table_with_items_is_filled() {
    for projection_type in [ProjectionType::All, ProjectionType::KeysOnly] {
        let world = World::new();
        world.create_table(None);
        for number in 0..700 {
            world.put(entry(format!("Song {number}"), number, "first"));
        }
        world.put(song("No year", &[("mood", "blue".into())]));
        add_index(&world, projection_type);
        assert_eq!(index_of(&world).index_status, IndexStatus::Creating);
        world.work();
        check_index(&world, projection_type);
        assert_eq!(index_of(&world).item_count, 700);
    }
}

/// Rule 46: such items can only be there from before the index. They are left out, and neither
/// changing nor deleting them later disturbs the counts.
#[test]
fn items_whose_values_cannot_be_index_keys_are_left_out() {
    let world = World::new();
    world.create_table(None);
    let misfit =
        |name: &str, year: AttributeValue| song(name, &[("year", year), ("mood", "blue".into())]);
    world.put(entry("Good".to_owned(), 1, "note"));
    world.put(misfit("Number", 1965.into()));
    world.put(misfit("Empty", "".into()));
    world.put(misfit("Long", AttributeValue::S("9".repeat(2049))));
    world.put(misfit("Deleted", "".into()));
    add_index(&world, ProjectionType::All);
    world.work();
    check_index(&world, ProjectionType::All);
    let request = UpdateItemRequest {
        table_name: TABLE.to_owned(),
        key: key_of(&misfit("Long", 0.into())),
        update_expression: Some("SET note = :note".to_owned()),
        expression_attribute_values: Some([(":note".to_owned(), "new".into())].into()),
        ..UpdateItemRequest::default()
    };
    world.wait(world.database.update_item(request)).unwrap();
    world.delete(&misfit("Deleted", "".into()));
    check_index(&world, ProjectionType::All);
    assert_eq!(index_of(&world).item_count, 1);
}

/// Between adding an index and filling it, items that were there before are changed and deleted, in
/// ways that leave their index key alone and in ways that do not. Once counted twice or not at all
/// when the writes took them for entered.
#[test]
fn writes_before_the_backfill_reaches_an_item_are_counted_once() {
    for projection_type in [ProjectionType::All, ProjectionType::KeysOnly] {
        let world = World::new();
        world.create_table(None);
        for number in 0..10 {
            world.put(entry(format!("Song {number}"), number, "first"));
        }
        add_index(&world, projection_type);
        world.put(entry("Song 0".to_owned(), 0, "changed"));
        world.put(entry("Song 1".to_owned(), 7, "moved"));
        world.put(song("Song 2", &[]));
        world.delete(&song("Song 3", &[]));
        world.put(entry("Song 4".to_owned(), 4, "first"));
        world.put(entry("Song 10".to_owned(), 10, "new"));
        world.put(entry("Song 10".to_owned(), 11, "new, moved"));
        world.delete(&song("Song 0", &[]));
        world.work();
        check_index(&world, projection_type);
        assert_eq!(index_of(&world).item_count, 8);
    }
}

#[test]
fn a_backfill_under_concurrent_writes_gives_the_index_that_the_items_ask_for() {
    let world = World::new();
    world.create_table(None);
    for number in 0..3000 {
        world.put(entry(format!("Song {number}"), number, "first"));
    }
    add_index(&world, ProjectionType::All);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..3_usize {
            let (database, done) = (world.database.clone(), &done);
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let mut step = 0_usize;
                while !done.load(Ordering::Relaxed) || step < 300 {
                    let number = (step * 7919 + writer * 1031) % 3300;
                    let name = format!("Song {number}");
                    step += 1;
                    if step.is_multiple_of(5) {
                        let request = DeleteItemRequest {
                            table_name: TABLE.to_owned(),
                            key: song(name, &[]),
                            ..DeleteItemRequest::default()
                        };
                        runtime.block_on(database.delete_item(request)).unwrap();
                    } else {
                        let item = match step % 5 {
                            1 => entry(name, number, &format!("by {writer}")),
                            2 => entry(name, step, "moved"),
                            3 => song(name, &[]),
                            _ => entry(name, number, "again"),
                        };
                        runtime.block_on(database.put_item(put_request(item))).unwrap();
                    }
                }
            });
        }
        world.work();
        done.store(true, Ordering::Relaxed);
    });
    check_index(&world, ProjectionType::All);
}

#[test]
fn a_backfill_that_was_interrupted_starts_over() {
    let world = World::new();
    world.create_table(None);
    for number in 0..300 {
        world.put(entry(format!("Song {number}"), number, "first"));
    }
    add_index(&world, ProjectionType::KeysOnly);
    let world = world.reopen();
    world.put(entry("Song 5".to_owned(), 6, "moved"));
    assert_eq!(index_of(&world).index_status, IndexStatus::Creating);
    world.work();
    check_index(&world, ProjectionType::KeysOnly);
}
