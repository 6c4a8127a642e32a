//! Shard iterators: the four kinds, pages, expiry, and what is refused.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::Error;
use database::operations::*;
use database::shapes::StreamViewType;
use values::AttributeValue;

use crate::streams_world::{MINUTE, World, song};

/// A stream with five records; gives its ARN and shard.
fn five_records() -> (World, String, String) {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewImage));
    for number in 0..5 {
        world.put(song(number.to_string(), &[]));
    }
    let arn = world.streams().pop().unwrap();
    let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
    (world, arn, shard)
}

fn songs(records: &[Record]) -> Vec<String> {
    let name = |record: &Record| match &record.keys["song"] {
        AttributeValue::S(name) => name.clone(),
        other => format!("{other:?}"),
    };
    records.iter().map(name).collect()
}

fn is_validation(outcome: &Result<impl std::fmt::Debug, Error>) -> bool {
    matches!(outcome, Err(Error::Validation(_)))
}

#[test]
fn each_kind_starts_where_it_says() {
    let (world, arn, shard) = five_records();
    let all = world.read_shard(&arn, &shard);
    let read = |kind, number: Option<&str>| {
        let iterator = world.iterator(&arn, &shard, kind, number).unwrap();
        world.records(&iterator, None).unwrap()
    };
    let third = Some(all[2].sequence_number.as_str());
    let page = read(ShardIteratorType::TrimHorizon, None);
    assert_eq!(songs(&page.records), ["0", "1", "2", "3", "4"]);
    let page = read(ShardIteratorType::AtSequenceNumber, third);
    assert_eq!(songs(&page.records), ["2", "3", "4"]);
    let page = read(ShardIteratorType::AfterSequenceNumber, third);
    assert_eq!(songs(&page.records), ["3", "4"]);
    let page = read(ShardIteratorType::Latest, None);
    assert_eq!(page.records, []);
    world.put(song("5", &[]));
    let page = world.records(&page.next_shard_iterator.unwrap(), None).unwrap();
    assert_eq!(songs(&page.records), ["5"]);
}

#[test]
fn the_range_of_a_shard_can_be_started_from() {
    let (world, arn, shard) = five_records();
    let start = world.describe(&arn).shards[0].starting_sequence_number.clone();
    for kind in [ShardIteratorType::AtSequenceNumber, ShardIteratorType::AfterSequenceNumber] {
        let iterator = world.iterator(&arn, &shard, kind, Some(&start)).unwrap();
        assert_eq!(world.records(&iterator, None).unwrap().records.len(), 5);
    }
}

#[test]
fn pages_follow_one_another_without_gap_or_repetition() {
    let (world, arn, shard) = five_records();
    let kind = ShardIteratorType::TrimHorizon;
    let mut next = world.iterator(&arn, &shard, kind, None).unwrap();
    let mut read = Vec::new();
    for _ in 0..3 {
        let page = world.records(&next, Some(2)).unwrap();
        assert!(page.records.len() <= 2);
        read.extend(page.records);
        next = page.next_shard_iterator.unwrap();
    }
    assert_eq!(songs(&read), ["0", "1", "2", "3", "4"]);
    assert_eq!(world.records(&next, None).unwrap().records, []);
}

#[test]
fn a_page_holds_1000_records() {
    let world = World::new();
    world.create_table(Some(StreamViewType::KeysOnly));
    for number in 0..1003 {
        world.put(song(number.to_string(), &[]));
    }
    let arn = world.streams().pop().unwrap();
    let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
    let iterator = world.iterator(&arn, &shard, ShardIteratorType::TrimHorizon, None).unwrap();
    let page = world.records(&iterator, None).unwrap();
    assert_eq!(page.records.len(), 1000);
    let page = world.records(&page.next_shard_iterator.unwrap(), Some(1000)).unwrap();
    assert_eq!(page.records.len(), 3);
}

#[test]
fn a_page_holds_one_megabyte_but_at_least_one_record() {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewAndOldImages));
    for text in ["a", "b", "c"] {
        let large = AttributeValue::S(text.repeat(350_000));
        world.put(song("Large", &[("text", large)]));
    }
    let arn = world.streams().pop().unwrap();
    let shard = world.describe(&arn).shards.pop().unwrap().shard_id;
    let mut next = world.iterator(&arn, &shard, ShardIteratorType::TrimHorizon, None).unwrap();
    let mut pages = Vec::new();
    for _ in 0..3 {
        let page = world.records(&next, None).unwrap();
        pages.push(page.records.len());
        next = page.next_shard_iterator.unwrap();
    }
    // The first weighs 350 KB, the others 700 KB each: any two are more than 1,048,576 bytes.
    assert_eq!(pages, [1, 1, 1]);
}

#[test]
fn an_iterator_lives_15_minutes() {
    let (world, arn, shard) = five_records();
    let kind = ShardIteratorType::TrimHorizon;
    let iterator = world.iterator(&arn, &shard, kind, None).unwrap();
    world.clock.advance(15 * MINUTE);
    assert_eq!(world.records(&iterator, None).unwrap().records.len(), 5);
    world.clock.advance(1);
    let expired = world.records(&iterator, None);
    assert!(matches!(expired, Err(Error::ExpiredIterator(_))), "{expired:?}");
}

#[test]
fn limits_outside_their_range_are_refused() {
    let (world, arn, shard) = five_records();
    let iterator = world.iterator(&arn, &shard, ShardIteratorType::Latest, None).unwrap();
    for limit in [-1, 0, 1001] {
        assert!(is_validation(&world.records(&iterator, Some(limit))), "{limit}");
    }
    for limit in [-1, 0, 101] {
        let request = ListStreamsRequest { limit: Some(limit), ..ListStreamsRequest::default() };
        assert!(is_validation(&world.wait(world.database.list_streams(request))), "{limit}");
        let request = DescribeStreamRequest {
            stream_arn: arn.clone(),
            limit: Some(limit),
            ..DescribeStreamRequest::default()
        };
        assert!(is_validation(&world.wait(world.database.describe_stream(request))), "{limit}");
    }
}

#[test]
fn an_iterator_that_was_made_up_is_refused() {
    let (world, _, _) = five_records();
    let refused = world.records("sdfsdfsgagaddafgagasgasgasdfasdfasdfasdfasdgasdasdgasdg", None);
    assert_eq!(refused, Err(Error::Validation("Invalid ShardIterator.".to_owned())));
}

#[test]
fn sequence_numbers_are_checked() {
    let (world, arn, shard) = five_records();
    let numbers: Vec<String> =
        world.read_shard(&arn, &shard).into_iter().map(|record| record.sequence_number).collect();
    let first = numbers[0].as_str();
    use ShardIteratorType::{AfterSequenceNumber, AtSequenceNumber, Latest, TrimHorizon};
    for (kind, number) in [
        (AtSequenceNumber, None),
        (AfterSequenceNumber, None),
        (TrimHorizon, Some(first)),
        (Latest, Some(first)),
        (AtSequenceNumber, Some("5")),
        (AtSequenceNumber, Some("sdfsafglldfngjdafnasdflgnaldk")),
        // Before the shard, and after everything.
        (AtSequenceNumber, Some("100000000000000000000")),
        (AfterSequenceNumber, Some("100000000000099900000")),
        (AtSequenceNumber, Some("9999999999999999999999999999999999999999")),
    ] {
        let refused = world.iterator(&arn, &shard, kind, number);
        assert!(is_validation(&refused), "{kind:?} {number:?}: {refused:?}");
    }
}

#[test]
fn what_does_not_exist_is_not_found_and_what_is_malformed_is_refused() {
    let (world, arn, shard) = five_records();
    let latest = ShardIteratorType::Latest;
    let other = arn.replace("Music", "Musik");
    let missing = world.iterator(&other, &shard, latest, None);
    let message = format!("Requested resource not found: Stream: {other} not found");
    assert_eq!(missing, Err(Error::ResourceNotFound(message.clone())));
    let request = DescribeStreamRequest { stream_arn: other, ..DescribeStreamRequest::default() };
    let missing = world.wait(world.database.describe_stream(request));
    assert_eq!(missing, Err(Error::ResourceNotFound(message)));
    let missing = world.iterator(&arn, "adfasdasdasdasdasdasdasdasdasasdasd", latest, None);
    assert!(matches!(missing, Err(Error::ResourceNotFound(_))), "{missing:?}");
    assert!(is_validation(&world.iterator(&arn, "short", latest, None)));
    let malformed = "sdfadfsddafgdafsgjnadflkgnalngalsdfnlkasnlkasdfasdfasf";
    assert!(is_validation(&world.iterator(malformed, &shard, latest, None)));
    let request = ListStreamsRequest {
        exclusive_start_stream_arn: Some(malformed.to_owned()),
        ..ListStreamsRequest::default()
    };
    assert!(is_validation(&world.wait(world.database.list_streams(request))));
}
