//! UpdateTimeToLive and DescribeTimeToLive (rule 61). Texts are those of the service.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::operations::*;

use crate::tables_support::*;

const HOUR_MILLIS: u64 = 3_600_000;

fn set(world: &World, attribute_name: &str, enabled: bool) -> String {
    let request = UpdateTimeToLiveRequest {
        table_name: "orders".to_owned(),
        attribute_name: attribute_name.to_owned(),
        enabled,
    };
    match block_on(world.database.update_time_to_live(request)) {
        Ok(answer) => format!("{} {}", answer.attribute_name, answer.enabled),
        error => told(error),
    }
}

fn shown(world: &World) -> (TimeToLiveStatus, Option<String>) {
    let request = DescribeTimeToLiveRequest { table_name: "orders".to_owned() };
    let answer = block_on(world.database.describe_time_to_live(request)).unwrap();
    (answer.time_to_live_status, answer.attribute_name)
}

fn world() -> World {
    let world = World::new();
    world.create(orders());
    world
}

#[test]
fn it_is_enabled_and_disabled() {
    let world = world();
    assert_eq!(shown(&world), (TimeToLiveStatus::Disabled, None));
    assert_eq!(set(&world, "expires", true), "expires true");
    assert_eq!(shown(&world), (TimeToLiveStatus::Enabled, Some("expires".to_owned())));
    let world = world.reopen();
    assert_eq!(shown(&world), (TimeToLiveStatus::Enabled, Some("expires".to_owned())));
    world.clock.advance(HOUR_MILLIS);
    assert_eq!(set(&world, "expires", false), "expires false");
    assert_eq!(shown(&world), (TimeToLiveStatus::Disabled, None));
}

#[test]
fn it_is_enabled_on_a_table_with_items() {
    let world = world();
    world.put("orders", &[("pk", "1")]);
    assert_eq!(set(&world, "pk", true), "pk true", "a key attribute will do");
    assert_eq!(shown(&world), (TimeToLiveStatus::Enabled, Some("pk".to_owned())));
}

#[test]
fn a_second_change_within_the_hour_is_refused() {
    let world = world();
    let too_soon = "ValidationException: Time to live has been modified multiple times within a \
                    fixed interval";
    set(&world, "expires", true);
    world.clock.advance(HOUR_MILLIS - 1);
    assert_eq!(set(&world, "expires", false), too_soon);
    world.clock.advance(1);
    assert_eq!(set(&world, "expires", false), "expires false");
    assert_eq!(set(&world, "expires", true), too_soon);
}

#[test]
fn what_is_so_already_is_refused() {
    let world = world();
    assert_eq!(
        set(&world, "expires", false),
        "ValidationException: TimeToLive is already disabled"
    );
    set(&world, "expires", true);
    assert_eq!(set(&world, "expires", true), "ValidationException: TimeToLive is already enabled");
    let different = "ValidationException: TimeToLive is active on a different AttributeName: \
                     current AttributeName is expires";
    assert_eq!(set(&world, "other", true), different);
    assert_eq!(set(&world, "other", false), different);
}

#[test]
fn an_attribute_name_has_1_to_255_characters() {
    let world = world();
    let refused = |name: &str, constraint: &str| {
        format!(
            "ValidationException: 1 validation error detected: Value '{name}' at \
             'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must \
             have length {constraint}"
        )
    };
    assert_eq!(set(&world, "", true), refused("", "greater than or equal to 1"));
    let name = "n".repeat(256);
    assert_eq!(set(&world, &name, true), refused(&name, "less than or equal to 255"));
    let name = "n".repeat(255);
    assert_eq!(set(&world, &name, true), format!("{name} true"));
}

#[test]
fn a_missing_table_is_named() {
    let world = World::new();
    let missing =
        "ResourceNotFoundException: Requested resource not found: Table: orders not found";
    assert_eq!(set(&world, "expires", true), missing);
    let request = DescribeTimeToLiveRequest { table_name: "orders".to_owned() };
    assert_eq!(told(block_on(world.database.describe_time_to_live(request))), missing);
}
