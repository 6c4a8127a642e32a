//! The store's suite through the AWS SDK, on Plinth's own server over HTTP.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

#[path = "../../store/tests/suite/mod.rs"]
mod suite;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use amazon::{Amazon, Connection, Credentials};
use database::Database;
use database::clock::SystemClock;
use suite::World;
use wire::http::{Callers, Limits, Listening, Server};

async fn world() -> Option<World<Amazon>> {
    let database = Database::in_memory().unwrap();
    let server = Server::new(database, Callers::Anybody, Limits::default(), Arc::new(SystemClock));
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listening = Listening::bind(address, None, server).await.unwrap();
    let endpoint = format!("http://{}", listening.address().unwrap());
    // It runs until the test's runtime ends.
    std::mem::forget(listening.run());
    let connection = Connection {
        endpoint: Some(endpoint),
        region: Some("eu-west-1".to_owned()),
        profile: None,
        credentials: Some(Credentials::new("test", "test", None, None, "test")),
    };
    let amazon = Amazon::connect(&connection).await;
    Some(World::new(&amazon, amazon.clone()).await)
}

store_suite!(world);
