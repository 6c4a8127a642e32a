//! UpdateTable: indexes come and go, one at a time. Texts are those of the service.

use database::operations::{CreateTableRequest, GlobalSecondaryIndexUpdate, UpdateTableRequest};
use database::shapes::*;

use crate::tables_support::*;

fn create(attributes: &[&str], index: GlobalSecondaryIndex) -> UpdateTableRequest {
    UpdateTableRequest {
        attribute_definitions: Some(definitions(attributes)),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate::Create(index)]),
        ..change()
    }
}

fn delete(name: &str) -> UpdateTableRequest {
    let update = GlobalSecondaryIndexUpdate::Delete { index_name: name.to_owned() };
    UpdateTableRequest { global_secondary_index_updates: Some(vec![update]), ..change() }
}

fn throughput_of(name: &str, read: i64, write: i64) -> GlobalSecondaryIndexUpdate {
    GlobalSecondaryIndexUpdate::Update {
        index_name: name.to_owned(),
        provisioned_throughput: units(read, write),
        on_demand_throughput: None,
        warm_throughput: None,
    }
}

fn with_index() -> CreateTableRequest {
    CreateTableRequest {
        global_secondary_indexes: Some(vec![global("by_a", "a")]),
        ..on_demand("orders", "pk", &["pk", "a"])
    }
}

fn names(table: &TableDescription) -> Vec<&str> {
    table.attribute_definitions.iter().map(|d| d.attribute_name.as_str()).collect()
}

const ONE_AT_A_TIME: &str = "LimitExceededException: Subscriber limit exceeded: Only 1 online \
                             index can be created or deleted simultaneously per table";

#[test]
fn an_index_of_an_empty_table_is_ready_at_once() {
    let world = World::new();
    world.create(orders());
    let answer = world.update(create(&["a"], global("by_a", "a")));
    assert_eq!(answer.table_status, TableStatus::Updating);
    let shown = &answer.global_secondary_indexes[0];
    assert_eq!((shown.index_status, shown.backfilling), (IndexStatus::Creating, Some(false)));
    let table = world.describe("orders");
    let shown = &table.global_secondary_indexes[0];
    assert_eq!((shown.index_status, shown.backfilling), (IndexStatus::Active, None));
    assert_eq!(names(&table), ["a", "pk"], "definitions are added");
}

#[test]
fn an_index_of_a_table_with_items_is_filled_in_the_background() {
    let world = World::new();
    world.create(orders());
    world.put("orders", &[("pk", "1"), ("a", "x")]);
    world.put("orders", &[("pk", "2")]);
    world.update(create(&["a"], global("by_a", "a")));
    let shown = &world.describe("orders").global_secondary_indexes[0];
    assert_eq!((shown.index_status, shown.backfilling), (IndexStatus::Creating, Some(true)));
    while world.database.run_background_work().unwrap() > 0 {}
    let shown = &world.describe("orders").global_secondary_indexes[0];
    assert_eq!((shown.index_status, shown.backfilling), (IndexStatus::Active, None));
    assert_eq!(shown.item_count, 1);
}

#[test]
fn while_an_index_is_filled_no_other_comes_or_goes() {
    let world = World::new();
    world.create(with_index());
    world.put("orders", &[("pk", "1"), ("b", "x")]);
    world.update(create(&["b"], global("by_b", "b")));
    assert_eq!(told(world.try_update(create(&["c"], global("by_c", "c")))), ONE_AT_A_TIME);
    assert_eq!(told(world.try_update(delete("by_a"))), ONE_AT_A_TIME);
    assert_eq!(
        told(world.try_delete("orders")),
        "ResourceInUseException: Attempt to change a resource which is still in use: Cannot \
         delete table while indexes are being created, updated, or deleted."
    );
    // The index itself may go: that is how a creation is cancelled.
    world.update(delete("by_b"));
    world.update(delete("by_a"));
    assert_eq!(names(&world.describe("orders")), ["pk"]);
}

#[test]
fn a_call_creates_or_deletes_one_index() {
    let world = World::new();
    world.create(with_index());
    let mut request = create(&["b", "c"], global("by_b", "b"));
    let updates = request.global_secondary_index_updates.as_mut().unwrap();
    updates.push(GlobalSecondaryIndexUpdate::Delete { index_name: "by_a".to_owned() });
    assert_eq!(told(world.try_update(request)), ONE_AT_A_TIME);
    let mut request = delete("by_a");
    let updates = request.global_secondary_index_updates.as_mut().unwrap();
    updates.push(GlobalSecondaryIndexUpdate::Create(global("by_a", "b")));
    assert_eq!(
        told(world.try_update(request)),
        invalid(
            "Only one global secondary index update per index is allowed simultaneously. Index: \
             by_a"
        )
    );
}

#[test]
fn a_deleted_index_takes_its_definitions_along() {
    let world = World::new();
    let request = CreateTableRequest {
        local_secondary_indexes: Some(vec![local("by_l", "pk/l")]),
        global_secondary_indexes: Some(vec![global("one", "shared/b"), global("two", "shared")]),
        ..on_demand("orders", "pk/sk", &["pk", "sk", "l", "shared", "b"])
    };
    world.create(request);
    let answer = world.update(delete("one"));
    assert_eq!(answer.table_status, TableStatus::Updating);
    let shown = &answer.global_secondary_indexes[0];
    assert_eq!((shown.index_name.as_str(), shown.index_status), ("one", IndexStatus::Deleting));
    let table = world.describe("orders");
    assert_eq!(table.global_secondary_indexes.len(), 1);
    assert_eq!(names(&table), ["l", "pk", "shared", "sk"]);
}

#[test]
fn definitions_that_no_key_uses_are_dropped_and_types_stay() {
    let world = World::new();
    world.create(with_index());
    let mut request = create(&["b", "spare", "pk"], global("by_b", "b"));
    let given = request.attribute_definitions.as_mut().unwrap();
    given[2].attribute_type = ScalarAttributeType::N;
    world.update(request);
    let table = world.describe("orders");
    assert_eq!(names(&table), ["a", "b", "pk"]);
    assert_eq!(table.attribute_definitions[2].attribute_type, ScalarAttributeType::S);
}

#[test]
fn a_new_index_brings_its_definitions_along() {
    let world = World::new();
    world.create(orders());
    let refused = |request| told(world.try_update(request));
    let request =
        UpdateTableRequest { attribute_definitions: None, ..create(&[], global("by_a", "a")) };
    assert_eq!(refused(request), invalid("AttributeDefinitions is not specified for index: by_a"));
    assert_eq!(
        refused(create(&["pk"], global("by_a", "a"))),
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [a], \
             AttributeDefinitions: [pk]"
        )
    );
    assert_eq!(
        refused(create(&["b"], global("by_a", "a/b"))),
        "ValidationException: Invalid KeySchema: Some index key attribute have no definition"
    );
}

#[test]
fn an_index_name_is_taken_or_missing() {
    let world = World::new();
    world.create(CreateTableRequest {
        local_secondary_indexes: Some(vec![local("by_l", "pk/l")]),
        ..on_demand("orders", "pk/sk", &["pk", "sk", "l"])
    });
    assert_eq!(
        told(world.try_update(create(&["a"], global("by_l", "a")))),
        "ValidationException: Attempting to create an index which already exists"
    );
    assert_eq!(
        told(world.try_update(delete("by_l"))),
        "ValidationException: Cannot delete an index that is not a GlobalSecondaryIndex: by_l"
    );
    assert_eq!(
        told(world.try_update(delete("ghost"))),
        "ResourceNotFoundException: Requested resource not found: Index ghost for table orders"
    );
}

#[test]
fn a_21st_index_is_one_too_many() {
    let world = World::new();
    let indexes = (0..20).map(|number| global(&format!("gsi{number}"), "a")).collect();
    world.create(CreateTableRequest {
        global_secondary_indexes: Some(indexes),
        ..on_demand("orders", "pk", &["pk", "a"])
    });
    assert_eq!(
        told(world.try_update(create(&["a"], global("gsi20", "a")))),
        "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes \
         exceeds per-table limit of 20"
    );
}

#[test]
fn an_index_does_not_come_with_other_changes() {
    let world = World::new();
    world.create(provisioned(1, 1));
    let index = GlobalSecondaryIndex { provisioned_throughput: units(1, 1), ..global("by_a", "a") };
    let mut request = create(&["a"], index);
    request.provisioned_throughput = units(2, 2);
    assert_eq!(
        told(world.try_update(request.clone())),
        invalid("You cannot create or delete index while updating table IOPS")
    );
    request.provisioned_throughput = None;
    request.stream_specification = enabled(StreamViewType::NewImage);
    assert_eq!(
        told(world.try_update(request.clone())),
        invalid("You cannot create or delete index while changing stream status")
    );
    request.stream_specification = None;
    request.warm_throughput =
        Some(WarmThroughput { read_units_per_second: Some(10), write_units_per_second: None });
    assert_eq!(
        told(world.try_update(request)),
        invalid("Create global secondary index cannot be specified when updating WarmThroughput")
    );
}

#[test]
fn the_throughput_of_an_index_is_changed() {
    let world = World::new();
    let index = GlobalSecondaryIndex { provisioned_throughput: units(2, 2), ..global("by_a", "a") };
    world.create(CreateTableRequest {
        global_secondary_indexes: Some(vec![index]),
        attribute_definitions: definitions(&["pk", "a"]),
        ..provisioned(1, 1)
    });
    let with = |update| UpdateTableRequest {
        global_secondary_index_updates: Some(vec![update]),
        ..change()
    };
    assert_eq!(
        told(world.try_update(with(throughput_of("by_a", 2, 2)))),
        "ValidationException: The provisioned throughput for the index by_a will not change. The \
         requested value equals the current value. Current ReadCapacityUnits provisioned for index \
         by_a: 2. Requested ReadCapacityUnits: 2. Current WriteCapacityUnits provisioned for index \
         by_a: 2. Requested WriteCapacityUnits: 2. Refer to the Amazon DynamoDB Developer Guide \
         for current limits and how to request higher limits."
    );
    let answer = world.update(with(throughput_of("by_a", 3, 2)));
    assert_eq!(answer.table_status, TableStatus::Active);
    let shown = &answer.global_secondary_indexes[0];
    assert_eq!(shown.index_status, IndexStatus::Updating);
    assert_eq!(shown.provisioned_throughput.read_capacity_units, 2, "the old value, this once");
    let table = world.describe("orders");
    let shown = &table.global_secondary_indexes[0];
    assert_eq!(shown.provisioned_throughput.read_capacity_units, 3);
    assert_eq!(
        told(world.try_update(create(&["b"], global("by_b", "b")))),
        invalid("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: by_b")
    );
}

#[test]
fn on_demand_indexes_have_no_throughput_of_their_own() {
    let world = World::new();
    world.create(with_index());
    let with = |update| UpdateTableRequest {
        global_secondary_index_updates: Some(vec![update]),
        ..change()
    };
    assert_eq!(
        told(world.try_update(with(throughput_of("by_a", 1, 1)))),
        invalid(
            "The only Updates for index: by_a when TableThroughputMode is PAY_PER_REQUEST can be \
             to OnDemandThroughput, WarmThroughput"
        )
    );
    let index = GlobalSecondaryIndex { provisioned_throughput: units(1, 1), ..global("by_b", "b") };
    assert_eq!(
        told(world.try_update(create(&["b"], index))),
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by_b \
             when BillingMode is PAY_PER_REQUEST"
        )
    );
    let mut request = UpdateTableRequest {
        billing_mode: Some(BillingMode::Provisioned),
        provisioned_throughput: units(5, 5),
        ..change()
    };
    assert_eq!(
        told(world.try_update(request.clone())),
        invalid("ProvisionedThroughput must be specified for index: by_a")
    );
    request.global_secondary_index_updates = Some(vec![throughput_of("by_a", 4, 4)]);
    world.update(request);
    let table = world.describe("orders");
    let shown = &table.global_secondary_indexes[0].provisioned_throughput;
    assert_eq!((shown.read_capacity_units, shown.write_capacity_units), (4, 4));
}
