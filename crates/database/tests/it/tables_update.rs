//! UpdateTable: billing, throughput, streams and settings. Texts are those of the service.

use database::operations::{CreateTableRequest, UpdateTableRequest};
use database::shapes::*;

use crate::tables_support::*;

/// What an update of this table is told.
fn refused(table: CreateTableRequest, request: UpdateTableRequest) -> String {
    let world = World::new();
    world.create(table);
    let before = world.describe("orders");
    let told = told(world.try_update(request));
    assert_eq!(world.describe("orders"), before, "a refused update changes nothing");
    told
}

fn ceiling(read: Option<i64>, write: Option<i64>) -> Option<OnDemandThroughput> {
    Some(OnDemandThroughput { max_read_request_units: read, max_write_request_units: write })
}

#[test]
fn an_update_must_change_something() {
    let nothing = "ValidationException: At least one of ProvisionedThroughput, BillingMode, \
                   UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, \
                   ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, \
                   MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, \
                   WarmThroughput or TableClass is required";
    assert_eq!(refused(orders(), change()), nothing);
    let empty = UpdateTableRequest {
        global_secondary_index_updates: Some(vec![]),
        on_demand_throughput: ceiling(None, None),
        attribute_definitions: Some(definitions(&["pk"])),
        ..change()
    };
    assert_eq!(refused(orders(), empty.clone()), nothing);
    let request = UpdateTableRequest { deletion_protection_enabled: Some(true), ..empty };
    assert_eq!(refused(orders(), request), invalid("List of GlobalSecondaryIndexUpdates is empty"));
}

#[test]
fn a_missing_table_is_named() {
    let world = World::new();
    let request = UpdateTableRequest { deletion_protection_enabled: Some(true), ..change() };
    assert_eq!(
        told(world.try_update(request)),
        "ResourceNotFoundException: Requested resource not found: Table: orders not found"
    );
}

#[test]
fn a_call_changes_one_thing() {
    let everything = UpdateTableRequest {
        sse_specification: Some(SseSpecification { enabled: Some(true), ..Default::default() }),
        table_class: Some(TableClass::StandardInfrequentAccess),
        deletion_protection_enabled: Some(true),
        warm_throughput: Some(WarmThroughput {
            read_units_per_second: Some(20_000),
            write_units_per_second: None,
        }),
        stream_specification: enabled(StreamViewType::NewImage),
        ..change()
    };
    let alone = |what: &str| invalid(&format!("{what} must be the only operation in the request"));
    let mut request = everything;
    assert_eq!(refused(orders(), request.clone()), alone("Server-Side Encryption modification"));
    request.sse_specification = None;
    assert_eq!(refused(orders(), request.clone()), alone("TableClass modification"));
    request.table_class = None;
    assert_eq!(refused(orders(), request.clone()), alone("DeletionProtection modification"));
    request.deletion_protection_enabled = None;
    assert_eq!(refused(orders(), request.clone()), alone("WarmThroughput"));
    request.warm_throughput = None;
    request.on_demand_throughput = ceiling(Some(1), None);
    assert_eq!(
        refused(orders(), request.clone()),
        invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    );
    request.on_demand_throughput = None;
    request.provisioned_throughput = units(3, 3);
    assert_eq!(
        refused(provisioned(1, 1), request),
        invalid("You cannot modify stream status while updating table IOPS")
    );
}

#[test]
fn throughput_goes_up_and_down_with_its_dates() {
    let world = World::new();
    world.create(provisioned(10, 5));
    let answer =
        world.update(UpdateTableRequest { provisioned_throughput: units(30, 15), ..change() });
    assert_eq!(answer.table_status, TableStatus::Updating);
    assert_eq!(answer.provisioned_throughput.read_capacity_units, 10, "the old value, this once");
    assert_eq!(answer.provisioned_throughput.last_increase_date_time, Some(NOW));
    world.clock.advance(1000);
    world.update(UpdateTableRequest { provisioned_throughput: units(10, 15), ..change() });
    let table = world.describe("orders");
    assert_eq!(table.table_status, TableStatus::Active);
    let shown = table.provisioned_throughput;
    assert_eq!((shown.read_capacity_units, shown.write_capacity_units), (10, 15));
    assert_eq!(shown.last_increase_date_time, Some(NOW));
    assert_eq!(shown.last_decrease_date_time, Some(NOW + 1000));
    assert_eq!(table.warm_throughput.read_units_per_second, Some(30), "warm throughput stays");
}

#[test]
fn throughput_that_does_not_change_is_refused() {
    let expected = "ValidationException: The provisioned throughput for the table will not \
                    change. The requested value equals the current value. Current \
                    ReadCapacityUnits provisioned for the table: 10. Requested \
                    ReadCapacityUnits: 10. Current WriteCapacityUnits provisioned for the table: \
                    5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer \
                    Guide for current limits and how to request higher limits.";
    let mut request = UpdateTableRequest { provisioned_throughput: units(10, 5), ..change() };
    assert_eq!(refused(provisioned(10, 5), request.clone()), expected);
    request.billing_mode = Some(BillingMode::Provisioned);
    assert_eq!(refused(provisioned(10, 5), request), expected);
}

#[test]
fn throughput_fits_the_billing_mode() {
    let neither = invalid(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
         PAY_PER_REQUEST",
    );
    let mut request = UpdateTableRequest { provisioned_throughput: units(1, 1), ..change() };
    assert_eq!(refused(orders(), request.clone()), neither);
    request.billing_mode = Some(BillingMode::PayPerRequest);
    assert_eq!(refused(provisioned(1, 1), request), neither);
    let request = UpdateTableRequest { billing_mode: Some(BillingMode::Provisioned), ..change() };
    assert_eq!(
        refused(orders(), request),
        invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    );
}

#[test]
fn the_billing_mode_goes_both_ways() {
    let world = World::new();
    world.create(provisioned(10, 5));
    world.clock.advance(1000);
    let to_on_demand = UpdateTableRequest {
        billing_mode: Some(BillingMode::PayPerRequest),
        on_demand_throughput: ceiling(Some(100), None),
        ..change()
    };
    assert_eq!(world.update(to_on_demand).table_status, TableStatus::Updating);
    let table = world.describe("orders");
    let summary = table.billing_mode_summary.unwrap();
    assert_eq!(summary.billing_mode, BillingMode::PayPerRequest);
    assert_eq!(summary.last_update_to_pay_per_request_date_time, Some(NOW + 1000));
    assert_eq!(table.provisioned_throughput.read_capacity_units, 0);
    assert_eq!(table.on_demand_throughput, ceiling(Some(100), None));
    world.update(UpdateTableRequest {
        billing_mode: Some(BillingMode::Provisioned),
        provisioned_throughput: units(7, 8),
        ..change()
    });
    let table = world.describe("orders");
    let summary = table.billing_mode_summary.unwrap();
    assert_eq!(summary.billing_mode, BillingMode::Provisioned);
    assert_eq!(summary.last_update_to_pay_per_request_date_time, Some(NOW + 1000));
    assert_eq!(table.provisioned_throughput.read_capacity_units, 7);
    assert_eq!(table.on_demand_throughput, None, "the ceiling went with the mode");
    assert_eq!(table.warm_throughput.read_units_per_second, Some(12_000));
}

#[test]
fn a_ceiling_is_merged_and_taken_away_by_minus_one() {
    let world = World::new();
    world.create(CreateTableRequest {
        on_demand_throughput: ceiling(Some(10), Some(5)),
        ..orders()
    });
    let with = |on_demand_throughput| UpdateTableRequest { on_demand_throughput, ..change() };
    let answer = world.update(with(ceiling(Some(20), None)));
    assert_eq!(answer.table_status, TableStatus::Active);
    assert_eq!(answer.on_demand_throughput, ceiling(Some(20), Some(5)));
    let answer = world.update(with(ceiling(None, Some(-1))));
    assert_eq!(answer.on_demand_throughput, ceiling(Some(20), Some(-1)));
    assert_eq!(world.describe("orders").on_demand_throughput, ceiling(Some(20), None));
    world.update(with(ceiling(Some(-1), None)));
    assert_eq!(world.describe("orders").on_demand_throughput, None);
    assert_eq!(
        told(world.try_update(with(ceiling(Some(0), None)))),
        invalid(
            "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid \
             range"
        )
    );
    assert_eq!(
        refused(provisioned(1, 1), with(ceiling(Some(1), None))),
        invalid(
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table \
             BillingMode is PROVISIONED"
        )
    );
}

#[test]
fn warm_throughput_only_grows() {
    let warm = |read| UpdateTableRequest {
        warm_throughput: Some(WarmThroughput {
            read_units_per_second: Some(read),
            write_units_per_second: None,
        }),
        ..change()
    };
    assert_eq!(
        refused(orders(), warm(11_999)),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current \
             WarmThroughput, decreasing WarmThroughput is not supported"
        )
    );
    let world = World::new();
    world.create(orders());
    assert_eq!(world.update(warm(20_000)).warm_throughput.read_units_per_second, Some(20_000));
    assert_eq!(world.describe("orders").warm_throughput.write_units_per_second, Some(4_000));
}

#[test]
fn a_stream_is_enabled_and_disabled_once() {
    let world = World::new();
    world.create(orders());
    let with = |stream_specification| UpdateTableRequest { stream_specification, ..change() };
    assert_eq!(
        told(world.try_update(with(disabled()))),
        "ValidationException: Table has no stream to disable: TableName: orders"
    );
    let answer = world.update(with(enabled(StreamViewType::KeysOnly)));
    assert_eq!(answer.table_status, TableStatus::Updating);
    assert_eq!(answer.stream_specification, Some(StreamViewType::KeysOnly));
    for view_type in [StreamViewType::KeysOnly, StreamViewType::NewImage] {
        assert_eq!(
            told(world.try_update(with(enabled(view_type)))),
            "ValidationException: Table already has an enabled stream: TableName: orders"
        );
    }
    let first = world.describe("orders").latest_stream_arn.unwrap();
    world.update(with(disabled()));
    let table = world.describe("orders");
    assert_eq!(table.stream_specification, None);
    assert_eq!(table.latest_stream_arn.as_deref(), Some(first.as_str()), "the ARN lingers");
    // The clock stands still: the label must be another one nevertheless (rule 59).
    world.update(with(enabled(StreamViewType::NewImage)));
    let second = world.describe("orders").latest_stream_arn.unwrap();
    assert!(second.ends_with("2026-11-15T01:02:03.457"), "{second}");
    assert_eq!(world.stream_arns(), [first, second]);
}

#[test]
fn a_view_type_belongs_to_enabling() {
    let with = |stream_enabled, stream_view_type| {
        let stream = Some(StreamSpecification { stream_enabled, stream_view_type });
        refused(orders(), UpdateTableRequest { stream_specification: stream, ..change() })
    };
    assert_eq!(
        with(true, None),
        invalid("If stream is being enabled then UpdateViewType is required")
    );
    assert_eq!(
        with(false, Some(StreamViewType::KeysOnly)),
        invalid("If stream is being disabled, then UpdateViewType must not be specified")
    );
}

#[test]
fn encryption_is_switched_and_not_asked_for_twice() {
    let world = World::new();
    world.create(orders());
    let with = |enabled, key: Option<&str>| UpdateTableRequest {
        sse_specification: Some(SseSpecification {
            enabled: Some(enabled),
            sse_type: key.map(|_| SseType::Kms),
            kms_master_key_id: key.map(str::to_owned),
        }),
        ..change()
    };
    assert_eq!(
        told(world.try_update(with(false, None))),
        invalid("Table is already encrypted by default")
    );
    world.update(with(true, Some("my-key")));
    let arn = world.describe("orders").sse_description.unwrap().kms_master_key_arn;
    assert_eq!(arn, "arn:aws:kms:us-east-1:000000000000:key/my-key");
    assert_eq!(
        told(world.try_update(with(true, Some(&arn)))),
        invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter \
             if you want to change Master Key"
        )
    );
    world.update(with(false, None));
    assert_eq!(world.describe("orders").sse_description, None);
}

#[test]
fn class_and_protection_are_changed() {
    let world = World::new();
    world.create(orders());
    let class = |table_class| UpdateTableRequest { table_class: Some(table_class), ..change() };
    world.update(class(TableClass::Standard));
    assert_eq!(world.describe("orders").table_class_summary, None, "the default shows nothing");
    let answer = world.update(class(TableClass::StandardInfrequentAccess));
    assert_eq!(answer.table_class_summary, None, "the old value, this once");
    let summary = world.describe("orders").table_class_summary.unwrap();
    assert_eq!(summary.table_class, TableClass::StandardInfrequentAccess);
    assert_eq!(summary.last_update_date_time, Some(NOW));
    let protect = UpdateTableRequest { deletion_protection_enabled: Some(true), ..change() };
    let answer = world.update(protect.clone());
    assert_eq!(answer.table_status, TableStatus::Active);
    assert!(answer.deletion_protection_enabled);
    assert!(world.update(protect).deletion_protection_enabled, "a second time does no harm");
}
