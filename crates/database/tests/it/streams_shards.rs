//! Shards over time: retention, roll-over, disabled streams, streams of deleted tables, lists.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::Error;
use database::operations::*;
use database::shapes::StreamViewType;
use database::storage::Space;

use crate::streams_world::{HOUR, TABLE, World, put_request, song, table_request};

fn world_with_stream() -> (World, String) {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewImage));
    let arn = world.streams().pop().unwrap();
    (world, arn)
}

fn delete_table(world: &World) {
    let request = DeleteTableRequest { table_name: TABLE.to_owned() };
    world.wait(world.database.delete_table(request)).unwrap();
}

fn stream_not_found(world: &World, arn: &str) -> bool {
    let request =
        DescribeStreamRequest { stream_arn: arn.to_owned(), ..DescribeStreamRequest::default() };
    let described = world.wait(world.database.describe_stream(request));
    matches!(described, Err(Error::ResourceNotFound(_)))
}

/// With and without the trimmer having run, the answers are the same.
#[test]
fn records_are_readable_for_24_hours() {
    for trims in [false, true] {
        let (world, arn) = world_with_stream();
        world.put(song("Old", &[]));
        world.clock.advance(HOUR);
        world.put(song("New", &[]));
        let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
        let old = world.read_shard(&arn, &shard).remove(0).sequence_number;
        world.clock.advance(23 * HOUR);
        let kind = ShardIteratorType::TrimHorizon;
        let iterator = world.iterator(&arn, &shard, kind, None).unwrap();
        assert_eq!(world.records(&iterator, None).unwrap().records.len(), 2);
        world.clock.advance(1);
        if trims {
            world.work();
        }
        let trimmed = world.records(&iterator, None);
        assert!(matches!(trimmed, Err(Error::TrimmedDataAccess(_))), "{trims}: {trimmed:?}");
        for kind in [ShardIteratorType::AtSequenceNumber, ShardIteratorType::AfterSequenceNumber] {
            let trimmed = world.iterator(&arn, &shard, kind, Some(&old));
            assert!(matches!(trimmed, Err(Error::TrimmedDataAccess(_))), "{trims}: {trimmed:?}");
        }
        let left = world.read_shard(&arn, &shard);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].keys, song("New", &[]));
    }
}

/// DynamoDB Local answers TrimmedDataAccessException here (aws-sdk-java issue 2923).
#[test]
fn a_reader_of_an_idle_stream_never_falls_behind_the_trim_point() {
    let (world, arn) = world_with_stream();
    world.put(song("Only", &[]));
    let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
    let kind = ShardIteratorType::TrimHorizon;
    let mut next = world.iterator(&arn, &shard, kind, None).unwrap();
    let mut read = 0;
    let mut other = table_request(None);
    other.table_name = "Busy".to_owned();
    world.wait(world.database.create_table(other)).unwrap();
    for number in 0..(30 * 6) {
        let busy = PutItemRequest {
            table_name: "Busy".to_owned(),
            ..put_request(song(number.to_string(), &[]))
        };
        world.wait(world.database.put_item(busy)).unwrap();
        let page = world.records(&next, None).unwrap();
        read += page.records.len();
        next = page.next_shard_iterator.unwrap();
        world.clock.advance(HOUR / 6);
    }
    assert_eq!(read, 1);
    world.put(song("Another", &[]));
    assert_eq!(world.records(&next, None).unwrap().records.len(), 1);
}

#[test]
fn a_shard_is_closed_after_4_hours_and_its_child_goes_on() {
    let (world, arn) = world_with_stream();
    world.put(song("First", &[]));
    world.clock.advance(4 * HOUR - 1);
    world.work();
    assert_eq!(world.describe(&arn).shards.len(), 1);
    let parent = world.describe(&arn).shards[0].shard_id.clone();
    let kind = ShardIteratorType::TrimHorizon;
    let reader = world.iterator(&arn, &parent, kind, None).unwrap();
    world.clock.advance(1);
    world.work();
    world.put(song("Second", &[]));
    let shards = world.describe(&arn).shards;
    assert_eq!(shards.len(), 2);
    assert_eq!(shards[0].parent_shard_id, None);
    assert_eq!(shards[1].parent_shard_id.as_ref(), Some(&parent));
    let end = shards[0].ending_sequence_number.clone().unwrap();
    assert!(shards[0].starting_sequence_number < end);
    assert!(end < shards[1].starting_sequence_number);
    assert_eq!(shards[1].ending_sequence_number, None);
    assert!(shards[0].shard_id < shards[1].shard_id);

    let page = world.records(&reader, None).unwrap();
    assert_eq!(page.records.len(), 1);
    assert_eq!(page.records[0].keys, song("First", &[]));
    assert_eq!(page.next_shard_iterator, None, "the end of a closed shard");
    let child = world.read_shard(&arn, &shards[1].shard_id);
    assert_eq!(child.len(), 1);
    assert_eq!(child[0].keys, song("Second", &[]));

    let latest = ShardIteratorType::Latest;
    let at_end = world.iterator(&arn, &parent, latest, None).unwrap();
    let page = world.records(&at_end, None).unwrap();
    assert_eq!((page.records.len(), page.next_shard_iterator), (0, None));
}

#[test]
fn a_closed_shard_disappears_after_24_hours() {
    let (world, arn) = world_with_stream();
    world.put(song("First", &[]));
    world.clock.advance(4 * HOUR);
    world.work();
    let parent = world.describe(&arn).shards[0].shard_id.clone();
    world.clock.advance(24 * HOUR);
    assert_eq!(world.describe(&arn).shards[0].shard_id, parent);
    world.clock.advance(1);
    let before = world.describe(&arn).shards;
    world.work();
    assert_eq!(world.keys(Space::Index, b"r"), Vec::<bytes::Bytes>::new());
    for shards in [before, world.describe(&arn).shards] {
        assert_ne!(shards[0].shard_id, parent);
        assert_eq!(shards[0].parent_shard_id.as_ref(), Some(&parent));
    }
}

#[test]
fn shards_come_in_pages_and_by_parent() {
    let (world, arn) = world_with_stream();
    for number in 0..4 {
        world.put(song(number.to_string(), &[]));
        world.clock.advance(4 * HOUR);
        world.work();
    }
    let all: Vec<String> =
        world.describe(&arn).shards.into_iter().map(|shard| shard.shard_id).collect();
    assert_eq!(all.len(), 5);
    let describe = |start: Option<&String>, parent: Option<&String>| {
        let request = DescribeStreamRequest {
            stream_arn: arn.clone(),
            limit: Some(2),
            exclusive_start_shard_id: start.cloned(),
            child_shards_of: parent.cloned(),
        };
        world.wait(world.database.describe_stream(request)).unwrap().stream_description
    };
    let mut paged = Vec::new();
    let mut start = None;
    loop {
        let page = describe(start.as_ref(), None);
        paged.extend(page.shards.into_iter().map(|shard| shard.shard_id));
        start = page.last_evaluated_shard_id;
        if start.is_none() {
            break;
        }
        assert_eq!(start.as_ref(), paged.last());
    }
    assert_eq!(paged, all);
    assert_eq!(describe(all.last(), None).shards, []);
    let children = describe(None, Some(&all[1])).shards;
    assert_eq!(children.len(), 1);
    assert_eq!(children[0].shard_id, all[2]);
}

#[test]
fn a_disabled_stream_stays_readable_for_24_hours_and_a_new_one_has_a_new_arn() {
    let (world, first) = world_with_stream();
    world.put(song("First", &[]));
    let shard = world.describe(&first).shards.pop().unwrap().shard_id;
    world.switch_stream(None);
    let description = world.describe(&first);
    assert_eq!(description.stream_status, StreamStatus::Disabled);
    assert!(description.shards[0].ending_sequence_number.is_some());
    world.clock.advance(HOUR);
    world.switch_stream(Some(StreamViewType::KeysOnly));
    world.put(song("Second", &[]));
    let streams = world.streams();
    assert_eq!(streams.len(), 2);
    assert!(streams.contains(&first));
    assert_eq!(world.read_shard(&first, &shard).len(), 1);

    world.clock.advance(23 * HOUR);
    assert_eq!(world.read_shard(&first, &shard).len(), 1);
    world.clock.advance(1);
    assert!(stream_not_found(&world, &first));
    world.work();
    assert!(stream_not_found(&world, &first));
    assert_eq!(world.streams().len(), 1);
    assert_eq!(world.keys(Space::Meta, b"s").len(), 1);
    assert_eq!(world.keys(Space::Index, b"r").len(), 1);
}

#[test]
fn the_stream_of_a_deleted_table_stays_readable() {
    let (world, arn) = world_with_stream();
    world.put(song("Last", &[]));
    delete_table(&world);
    world.work();
    world.wait(world.database.create_table(table_request(Some(StreamViewType::KeysOnly)))).unwrap();
    assert_eq!(world.streams().len(), 2);
    let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
    let iterator = world.iterator(&arn, &shard, ShardIteratorType::TrimHorizon, None).unwrap();
    let page = world.records(&iterator, None).unwrap();
    assert_eq!((page.records.len(), page.next_shard_iterator), (1, None));
}

#[test]
fn streams_are_listed_by_table_and_in_pages() {
    let world = World::new();
    for name in ["Alpha", "Beta", "Gamma"] {
        let mut request = table_request(Some(StreamViewType::KeysOnly));
        request.table_name = name.to_owned();
        world.wait(world.database.create_table(request)).unwrap();
    }
    let list = |table: Option<&str>, limit, start: Option<String>| {
        let request = ListStreamsRequest {
            table_name: table.map(str::to_owned),
            limit,
            exclusive_start_stream_arn: start,
        };
        world.wait(world.database.list_streams(request)).unwrap()
    };
    let beta = list(Some("Beta"), None, None);
    assert_eq!(beta.streams.len(), 1);
    assert_eq!(beta.streams[0].table_name, "Beta");
    assert_eq!(list(Some("Delta"), None, None).streams, []);
    let first = list(None, Some(2), None);
    let second = list(None, Some(2), first.last_evaluated_stream_arn.clone());
    assert_eq!(first.last_evaluated_stream_arn, Some(first.streams[1].stream_arn.clone()));
    assert_eq!(second.last_evaluated_stream_arn, None);
    let names: Vec<&str> = first
        .streams
        .iter()
        .chain(&second.streams)
        .map(|stream| stream.table_name.as_str())
        .collect();
    assert_eq!(names, ["Alpha", "Beta", "Gamma"]);
}
