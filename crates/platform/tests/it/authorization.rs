//! The authorization matrix of every route of the platform: every kind of caller, on what is their
//! own, another's and nobody's. A route without an example, or a permission without a route, is an
//! error.

mod auth;
mod ops;
mod stage;
mod webhooks;

use std::collections::BTreeSet;

use platform::permissions::{AUTH, OPS};
use stage::Stage;
use web::matrix::{Example, World as Names, run};
use web::uncovered;

use crate::platform_world::PlatformWorld;

#[tokio::test]
async fn routes_and_tables_of_permissions_agree() {
    let world = PlatformWorld::new().await;
    assert_eq!(uncovered(world.shell.routes(), &[AUTH, OPS]), Vec::<String>::new());
}

#[tokio::test]
async fn every_cell_is_as_the_table_says() {
    let stage = Stage::open().await;
    let cast = stage.cast().await;
    let examples: Vec<Example> =
        [auth::examples(&stage), ops::examples(&stage), webhooks::examples(&stage)]
            .into_iter()
            .flatten()
            .collect();
    // The names live as long as the test's process does.
    let leak = |name: &str| -> &'static str { Box::leak(name.to_owned().into_boxed_str()) };
    let names = Names {
        own_account: leak(&stage.own.account_id),
        other_account: leak(&stage.other.account_id),
        own_user: leak(&stage.own.user_id),
        other_user: leak(&stage.other.user_id),
    };
    let report = run(&stage.world.shell, &names, &cast, &examples).await;
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    let operations: BTreeSet<_> = examples.iter().map(|example| example.operation).collect();
    let cells: usize = examples.iter().map(|example| example.subjects.len() * cast.len()).sum();
    println!("{} operations, {} callers, {cells} cells", operations.len(), cast.len());
    assert_eq!(report.cells, cells);
}
