//! DescribeTable, ListTables, DeleteTable, DescribeLimits and DescribeEndpoints; and that a database
//! opened again knows the same tables.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use database::operations::{CreateTableRequest, ListTablesRequest, UpdateTableRequest};
use database::shapes::*;

use crate::tables_support::*;

const NOT_FOUND: &str =
    "ResourceNotFoundException: Requested resource not found: Table: orders not found";

fn list(world: &World, start: Option<&str>, limit: Option<i64>) -> (Vec<String>, Option<String>) {
    let request = ListTablesRequest { exclusive_start_table_name: start.map(str::to_owned), limit };
    let answer = block_on(world.database.list_tables(request)).unwrap();
    (answer.table_names, answer.last_evaluated_table_name)
}

fn everything() -> CreateTableRequest {
    CreateTableRequest {
        local_secondary_indexes: Some(vec![local("by_l", "pk/l")]),
        global_secondary_indexes: Some(vec![
            GlobalSecondaryIndex { projection: include(&["x"]), ..global("by_a", "a b/c") },
            global("by_c", "c"),
        ]),
        stream_specification: enabled(StreamViewType::NewImage),
        sse_specification: Some(SseSpecification { enabled: Some(true), ..Default::default() }),
        table_class: Some(TableClass::StandardInfrequentAccess),
        deletion_protection_enabled: Some(true),
        tags: Some(vec![Tag { key: "team".to_owned(), value: "a".to_owned() }]),
        ..on_demand("orders", "pk/sk", &["pk", "sk", "l", "a", "b", "c"])
    }
}

#[test]
fn counts_and_sizes_are_exact() {
    let world = World::new();
    world.create(CreateTableRequest { table_class: None, ..everything() });
    world.put("orders", &[("pk", "p"), ("sk", "s1"), ("l", "l"), ("big", &"x".repeat(1000))]);
    world.put("orders", &[("pk", "p"), ("sk", "s2"), ("c", "cc"), ("x", "projected")]);
    let table = world.describe("orders");
    assert_eq!(table.item_count, 2);
    // pk + p, sk + s1, l + l, big + 1000; pk + p, sk + s2, c + cc, x + projected.
    assert_eq!(table.table_size_bytes, (3 + 4 + 2 + 1003) + (3 + 4 + 3 + 10));
    let local = &table.local_secondary_indexes[0];
    assert_eq!((local.item_count, local.index_size_bytes), (1, 3 + 4 + 2));
    let [by_a, by_c] = &table.global_secondary_indexes[..] else { panic!("two indexes") };
    assert_eq!((by_a.item_count, by_a.index_size_bytes), (0, 0));
    assert_eq!((by_c.item_count, by_c.index_size_bytes), (1, 3 + 4 + 3));
}

#[test]
fn a_database_opened_again_shows_the_same_tables() {
    let world = World::new();
    world.create(everything());
    world.create(CreateTableRequest { table_name: "second".to_owned(), ..provisioned(3, 4) });
    world.put("orders", &[("pk", "p"), ("sk", "s"), ("c", "c")]);
    let with = |stream_specification| UpdateTableRequest { stream_specification, ..change() };
    world.update(with(disabled()));
    let before = (world.describe("orders"), world.describe("second"), world.stream_arns());
    let world = world.reopen();
    let after = (world.describe("orders"), world.describe("second"), world.stream_arns());
    assert_eq!(before, after);
    assert_eq!(list(&world, None, None), (vec!["orders".to_owned(), "second".to_owned()], None));
}

#[test]
fn a_table_is_found_by_its_arn() {
    let world = World::new();
    let arn = world.create(orders()).table_arn;
    assert_eq!(world.describe(&arn), world.describe("orders"));
}

#[test]
fn a_missing_table_is_named() {
    let world = World::new();
    assert_eq!(told(world.try_describe("orders")), NOT_FOUND);
    assert_eq!(told(world.try_delete("orders")), NOT_FOUND);
}

#[test]
fn names_are_checked_before_tables_are_looked_up() {
    let world = World::new();
    let length = "ValidationException: TableName must be at least 3 characters long and at most \
                  255 characters long";
    for name in ["", "a;", &"a".repeat(256)] {
        assert_eq!(told(world.try_describe(name)), length);
        assert_eq!(told(world.try_delete(name)), length);
    }
    assert_eq!(
        told(world.try_describe("abc;")),
        "ValidationException: 1 validation error detected: Value 'abc;' at 'tableName' failed to \
         satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    );
}

#[test]
fn a_deleted_table_is_gone_and_its_name_free() {
    let world = World::new();
    let first = world.create(orders());
    world.put("orders", &[("pk", "p")]);
    let deleted = world.try_delete("orders").unwrap();
    assert_eq!(deleted.table_status, TableStatus::Deleting);
    assert_eq!(told(world.try_describe("orders")), NOT_FOUND);
    let second = world.create(orders());
    assert_ne!(first.table_id, second.table_id);
    assert_eq!(world.describe("orders").item_count, 0);
    while world.database.run_background_work().unwrap() > 0 {}
    assert_eq!(world.describe("orders").item_count, 0);
}

#[test]
fn a_protected_table_is_not_deleted() {
    let world = World::new();
    world.create(CreateTableRequest { deletion_protection_enabled: Some(true), ..orders() });
    assert_eq!(
        told(world.try_delete("orders")),
        "ValidationException: Resource cannot be deleted as it is currently protected against \
         deletion. Disable deletion protection first."
    );
    world.update(UpdateTableRequest { deletion_protection_enabled: Some(false), ..change() });
    world.try_delete("orders").unwrap();
}

#[test]
fn the_stream_of_a_deleted_table_stays() {
    let world = World::new();
    let stream_specification = enabled(StreamViewType::NewImage);
    world.create(CreateTableRequest { stream_specification, ..orders() });
    let first = world.describe("orders").latest_stream_arn.unwrap();
    world.try_delete("orders").unwrap();
    assert_eq!(world.stream_arns(), std::slice::from_ref(&first));
    world.create(CreateTableRequest { stream_specification, ..orders() });
    let second = world.describe("orders").latest_stream_arn.unwrap();
    assert_eq!(world.stream_arns(), [first, second]);
}

#[test]
fn tables_are_listed_by_name_and_page() {
    let world = World::new();
    assert_eq!(list(&world, None, None), (vec![], None));
    for name in ["ccc", "aaa", "bbb"] {
        world.create(CreateTableRequest { table_name: name.to_owned(), ..orders() });
    }
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    assert_eq!(list(&world, None, None), (names(&["aaa", "bbb", "ccc"]), None));
    assert_eq!(list(&world, None, Some(2)), (names(&["aaa", "bbb"]), Some("bbb".to_owned())));
    assert_eq!(list(&world, Some("bbb"), Some(1)), (names(&["ccc"]), None));
    assert_eq!(list(&world, Some("abc"), None), (names(&["bbb", "ccc"]), None));
    assert_eq!(list(&world, None, Some(3)), (names(&["aaa", "bbb", "ccc"]), None));
}

#[test]
fn a_page_of_tables_has_1_to_100_names() {
    let world = World::new();
    let refused = |start: Option<&str>, limit| {
        let request =
            ListTablesRequest { exclusive_start_table_name: start.map(str::to_owned), limit };
        told(block_on(world.database.list_tables(request)))
    };
    let limit = |value: i64, constraint: &str| {
        format!(
            "ValidationException: 1 validation error detected: Value '{value}' at 'limit' failed \
             to satisfy constraint: Member must have value {constraint}"
        )
    };
    assert_eq!(refused(None, Some(0)), limit(0, "greater than or equal to 1"));
    assert_eq!(refused(None, Some(101)), limit(101, "less than or equal to 100"));
    assert_eq!(
        refused(Some("ab"), None),
        "ValidationException: 1 validation error detected: Value 'ab' at \
         'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater \
         than or equal to 3"
    );
}

#[test]
fn limits_and_endpoints_are_those_of_an_account() {
    let world = World::new();
    let limits = block_on(world.database.describe_limits()).unwrap();
    assert_eq!(limits.account_max_read_capacity_units, 80_000);
    assert_eq!(limits.account_max_write_capacity_units, 80_000);
    assert_eq!(limits.table_max_read_capacity_units, 40_000);
    assert_eq!(limits.table_max_write_capacity_units, 40_000);
    let endpoint = block_on(world.database.describe_endpoints()).unwrap();
    assert_eq!(endpoint.address, "dynamodb.us-east-1.amazonaws.com");
    assert_eq!(endpoint.cache_period_in_minutes, 1440);
}
