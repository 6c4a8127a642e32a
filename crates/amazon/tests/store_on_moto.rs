//! The store's suite through the AWS SDK, on moto, which `tests/store/run` starts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

#[path = "../../store/tests/suite/mod.rs"]
mod suite;

use amazon::{Amazon, Connection, Credentials};
use suite::World;
use tokio::sync::Mutex;

/// Where moto listens.
const ENDPOINT: &str = "PLINTH_TEST_MOTO_ENDPOINT";

/// One test at a time creates what is missing; within one process, that is.
static CREATION: Mutex<()> = Mutex::const_new(());

async fn world() -> Option<World<Amazon>> {
    let Ok(endpoint) = std::env::var(ENDPOINT) else {
        println!("skipped: {ENDPOINT} is not set; tests/store/run sets it");
        return None;
    };
    let connection = Connection {
        endpoint: Some(endpoint),
        region: Some("eu-west-1".to_owned()),
        profile: None,
        credentials: Some(Credentials::new("test", "test", None, None, "test")),
    };
    let amazon = Amazon::connect(&connection).await;
    let _alone = CREATION.lock().await;
    let world = World::new(&amazon, amazon.clone()).await;
    // moto executes a transaction again whatever its token (seen with moto 5).
    Some(World { remembers_tokens: false, ..world })
}

store_suite!(world);
