//! What is past its time goes: the front of the log, stream pointers, client tokens.

use database::Error;
use database::operations::*;
use database::shapes::StreamViewType;
use database::storage::Space;

use crate::streams_world::{HOUR, MINUTE, TABLE, World, song};

#[test]
fn the_log_is_trimmed_and_still_verifies() {
    let world = World::new();
    world.create_table(Some(StreamViewType::NewAndOldImages));
    for number in 0..1200 {
        world.put(song(format!("Old {number}"), &[]));
    }
    // Closing notes a verified point, without which nothing is trimmed.
    world.clock.advance(25 * HOUR);
    world.work();
    assert_eq!(world.database.verify_log(|_| {}).unwrap().0, 1201);
    let world = world.reopen();
    world.put(song("New", &[]));
    world.work();
    let (commits, head) = world.database.verify_log(|_| {}).unwrap();
    assert_eq!((commits, head.sequence), (1, 1202));
    assert_eq!(world.keys(Space::Log, b"").len(), 1);
    assert_eq!(world.keys(Space::Index, b"r").len(), 1);

    // And again, until nothing is left.
    world.clock.advance(25 * HOUR);
    let world = world.reopen();
    world.work();
    assert_eq!(world.database.verify_log(|_| {}).unwrap(), (0, head));
    let world = world.reopen();
    world.put(song("Newest", &[]));
    let (commits, head) = world.database.verify_log(|_| {}).unwrap();
    assert_eq!((commits, head.sequence), (1, 1203));
    assert_eq!(world.read_stream().len(), 1);
}

#[test]
fn nothing_is_trimmed_within_24_hours() {
    let world = World::new();
    world.create_table(Some(StreamViewType::KeysOnly));
    world.put(song("Song", &[]));
    world.clock.advance(24 * HOUR);
    let world = world.reopen();
    world.work();
    assert_eq!(world.database.verify_log(|_| {}).unwrap().0, 2);
    assert_eq!(world.keys(Space::Index, b"r").len(), 1);
}

fn transact(world: &World, name: &str, token: &str) -> Result<TransactWriteItemsResponse, Error> {
    let put = TransactWrite::Put {
        item: song(name, &[]).into(),
        action: TransactAction { table_name: TABLE.to_owned(), ..TransactAction::default() },
    };
    let request = TransactWriteItemsRequest {
        transact_items: vec![put],
        client_request_token: Some(token.to_owned()),
        ..TransactWriteItemsRequest::default()
    };
    world.wait(world.database.transact_write_items(request))
}

#[test]
fn client_tokens_are_forgotten_after_ten_minutes() {
    let world = World::new();
    world.create_table(None);
    transact(&world, "First", "token").unwrap();
    world.clock.advance(10 * MINUTE - 1);
    world.work();
    assert_eq!(transact(&world, "Second", "token"), Err(Error::IdempotentParameterMismatch));
    world.clock.advance(1);
    // Used anew before the background saw that its time was over: the old note must not take the
    // new token with it.
    transact(&world, "Second", "token").unwrap();
    world.work();
    assert_eq!(transact(&world, "Third", "token"), Err(Error::IdempotentParameterMismatch));
    assert_eq!((world.keys(Space::Meta, b"k").len(), world.keys(Space::Meta, b"x").len()), (1, 1));
    world.clock.advance(10 * MINUTE);
    world.work();
    assert_eq!((world.keys(Space::Meta, b"k").len(), world.keys(Space::Meta, b"x").len()), (0, 0));
}
