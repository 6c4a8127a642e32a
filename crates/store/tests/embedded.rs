//! The suite on the embedded database.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on panics")]

mod suite;

use database::Database;
use store::Embedded;
use suite::World;
use tables::EmbeddedTarget;

async fn world() -> Option<World<Embedded>> {
    let database = Database::in_memory().unwrap();
    let target = EmbeddedTarget::new(database.clone());
    Some(World::new(&target, Embedded::new(database)).await)
}

store_suite!(world);
