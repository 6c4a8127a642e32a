//! CreateTable: names, keys, billing and settings. Texts are those of the service.

use database::operations::CreateTableRequest;
use database::shapes::*;

use crate::tables_support::*;

fn refused(request: CreateTableRequest) -> String {
    let world = World::new();
    let name = request.table_name.clone();
    let told = told(world.try_create(request));
    assert!(world.try_describe(&name).is_err(), "nothing may be left of a refused table");
    told
}

#[test]
fn a_new_table_is_shown_as_creating_and_is_active_right_after() {
    let world = World::new();
    let created = world.create(orders());
    assert_eq!(created.table_status, TableStatus::Creating);
    assert_eq!(created.table_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/orders");
    assert_eq!(created.table_id, "00000000-0000-4000-8000-000000000001");
    assert_eq!(created.creation_date_time, Some(NOW));
    let described = world.describe("orders");
    assert_eq!(described.table_status, TableStatus::Active);
    assert_eq!(described.table_id, created.table_id);
}

#[test]
fn a_second_table_of_the_name_is_refused() {
    let world = World::new();
    world.create(orders());
    assert_eq!(
        told(world.try_create(orders())),
        "ResourceInUseException: Table already exists: orders"
    );
}

#[test]
fn an_invalid_name_is_reported_alone() {
    let named = |name: &str| {
        refused(CreateTableRequest { table_name: name.to_owned(), ..Default::default() })
    };
    let value = |name: &str, constraint: &str| {
        format!("Value '{name}' at 'tableName' failed to satisfy constraint: {constraint}")
    };
    let short = "Member must have length greater than or equal to 3";
    let long = "Member must have length less than or equal to 255";
    let pattern = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
    let one = "ValidationException: 1 validation error detected: ";
    assert_eq!(named("ab"), format!("{one}{}", value("ab", short)));
    assert_eq!(named("a b"), format!("{one}{}", value("a b", pattern)));
    let name = "a".repeat(256);
    assert_eq!(named(&name), format!("{one}{}", value(&name, long)));
    for name in ["", "x!"] {
        let both = format!("{}; {}", value(name, pattern), value(name, short));
        let expected = format!("ValidationException: 2 validation errors detected: {both}");
        assert_eq!(named(name), expected);
    }
}

#[test]
fn names_of_3_and_255_characters_are_taken() {
    let world = World::new();
    for name in ["a.b".to_owned(), "a".repeat(255)] {
        world.create(CreateTableRequest { table_name: name.clone(), ..orders() });
        assert_eq!(world.describe(&name).table_name, name);
    }
}

#[test]
fn a_key_has_one_or_two_elements() {
    let request = CreateTableRequest { key_schema: vec![], ..orders() };
    assert_eq!(
        refused(request),
        "ValidationException: 1 validation error detected: Value '[]' at 'keySchema' failed to \
         satisfy constraint: Member must have length greater than or equal to 1"
    );
    assert_eq!(
        refused(on_demand("orders", "pk/sk extra", &["pk", "sk", "extra"])),
        "ValidationException: 1 validation error detected: Value \
         '[KeySchemaElement(attributeName=pk, keyType=HASH), \
         KeySchemaElement(attributeName=sk, keyType=RANGE), \
         KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' failed to satisfy \
         constraint: Member must have length less than or equal to 2"
    );
}

#[test]
fn a_key_is_a_hash_attribute_and_then_a_range_attribute() {
    let key_text =
        |request| refused(request).replace("ValidationException: Invalid KeySchema: ", "");
    assert_eq!(
        key_text(on_demand("orders", "/sk", &["sk"])),
        "The first KeySchemaElement is not a HASH key type"
    );
    assert_eq!(
        key_text(on_demand("orders", "pk sk", &["pk", "sk"])),
        "The second KeySchemaElement is not a RANGE key type"
    );
    assert_eq!(
        key_text(on_demand("orders", "pk/pk", &["pk"])),
        "Some index key attribute have no definition"
    );
    assert_eq!(
        refused(on_demand("orders", "pk/pk", &["pk", "other"])),
        "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have \
         the same name"
    );
}

#[test]
fn definitions_are_exactly_those_of_the_key() {
    assert_eq!(
        refused(on_demand("orders", "pk", &[])),
        "ValidationException: Invalid KeySchema: Some index key attribute have no definition"
    );
    assert_eq!(
        refused(on_demand("orders", "q", &["pk", "sk"])),
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [q], \
             AttributeDefinitions: [sk, pk]"
        )
    );
    assert_eq!(
        refused(on_demand("orders", "pk", &["pk", "extra"])),
        invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes \
             defined in AttributeDefinitions"
        )
    );
    assert_eq!(
        refused(on_demand("orders", "pk", &["pk", "pk"])),
        "ValidationException: Attribute Name is duplicated: pk"
    );
}

#[test]
fn attribute_names_have_1_to_255_characters() {
    let name = "n".repeat(256);
    let constraint = format!(
        "Value '{name}' at 'keySchema.1.member.attributeName' failed to satisfy constraint: \
         Member must have length less than or equal to 255; Value '{name}' at \
         'attributeDefinitions.1.member.attributeName' failed to satisfy constraint: Member must \
         have length less than or equal to 255"
    );
    assert_eq!(
        refused(on_demand("orders", &name, &[&name])),
        format!("ValidationException: 2 validation errors detected: {constraint}")
    );
}

#[test]
fn throughput_fits_the_billing_mode() {
    let both = "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode \
                is PROVISIONED";
    assert_eq!(refused(CreateTableRequest { billing_mode: None, ..orders() }), invalid(both));
    let request = CreateTableRequest { billing_mode: Some(BillingMode::Provisioned), ..orders() };
    assert_eq!(refused(request), invalid(both));
    assert_eq!(
        refused(CreateTableRequest { provisioned_throughput: units(1, 1), ..orders() }),
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode \
             is PAY_PER_REQUEST"
        )
    );
}

#[test]
fn throughput_is_at_least_one_and_can_be_expressed() {
    let zero = |what: &str| {
        format!(
            "Value '0' at 'provisionedThroughput.{what}' failed to satisfy constraint: Member \
             must have value greater than or equal to 1"
        )
    };
    assert_eq!(
        refused(provisioned(0, 0)),
        format!(
            "ValidationException: 2 validation errors detected: {}; {}",
            zero("writeCapacityUnits"),
            zero("readCapacityUnits")
        )
    );
    assert_eq!(
        refused(provisioned(1_000_000_000_001, 1)),
        "ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds"
    );
}

#[test]
fn a_provisioned_table_shows_its_throughput_and_no_billing_mode() {
    let world = World::new();
    let table = world.create(CreateTableRequest { billing_mode: None, ..provisioned(5, 7) });
    assert_eq!(table.billing_mode_summary, None);
    let described = world.describe("orders");
    assert_eq!(described.billing_mode_summary, None);
    assert_eq!(described.provisioned_throughput.read_capacity_units, 5);
    assert_eq!(described.provisioned_throughput.write_capacity_units, 7);
    let warm = WarmThroughput { read_units_per_second: Some(5), write_units_per_second: Some(7) };
    assert_eq!(described.warm_throughput, warm);
}

#[test]
fn an_on_demand_table_shows_zero_throughput_and_is_warm() {
    let world = World::new();
    let created = world.create(orders()).billing_mode_summary.unwrap();
    assert_eq!(created.billing_mode, BillingMode::PayPerRequest);
    assert_eq!(created.last_update_to_pay_per_request_date_time, None);
    let table = world.describe("orders");
    let summary = table.billing_mode_summary.unwrap();
    assert_eq!(summary.last_update_to_pay_per_request_date_time, Some(NOW));
    assert_eq!(table.provisioned_throughput, ProvisionedThroughputDescription::default());
    assert_eq!(table.warm_throughput.read_units_per_second, Some(12_000));
    assert_eq!(table.warm_throughput.write_units_per_second, Some(4_000));
}

#[test]
fn a_ceiling_needs_an_on_demand_table_and_a_unit() {
    let ceiling = |read, write| {
        Some(OnDemandThroughput { max_read_request_units: read, max_write_request_units: write })
    };
    assert_eq!(
        refused(CreateTableRequest {
            on_demand_throughput: ceiling(None, Some(5)),
            ..provisioned(1, 1)
        }),
        invalid(
            "MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table \
             BillingMode is PROVISIONED."
        )
    );
    for units in [0, -1] {
        assert_eq!(
            refused(CreateTableRequest {
                on_demand_throughput: ceiling(Some(units), None),
                ..orders()
            }),
            invalid(
                "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of \
                 valid range"
            )
        );
    }
    let world = World::new();
    world.create(CreateTableRequest { on_demand_throughput: ceiling(None, None), ..orders() });
    assert_eq!(world.describe("orders").on_demand_throughput, None);
}

#[test]
fn warm_throughput_is_not_below_what_comes_anyway() {
    let warm = |read| {
        Some(WarmThroughput { read_units_per_second: Some(read), write_units_per_second: None })
    };
    assert_eq!(
        refused(CreateTableRequest { warm_throughput: warm(1), ..orders() }),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial \
             throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/\
             developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
        )
    );
    assert_eq!(
        refused(CreateTableRequest { warm_throughput: warm(1), ..provisioned(2, 2) }),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than \
             ReadCapacityUnits of ProvisionedThroughput"
        )
    );
    let world = World::new();
    world.create(CreateTableRequest { warm_throughput: warm(13_000), ..orders() });
    let shown = world.describe("orders").warm_throughput;
    assert_eq!(shown.read_units_per_second, Some(13_000));
    assert_eq!(shown.write_units_per_second, Some(4_000));
}

#[test]
fn a_view_type_belongs_to_an_enabled_stream() {
    let specification = |stream_enabled, stream_view_type| {
        let stream = Some(StreamSpecification { stream_enabled, stream_view_type });
        refused(CreateTableRequest { stream_specification: stream, ..orders() })
    };
    assert_eq!(
        specification(false, Some(StreamViewType::NewImage)),
        invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified"
        )
    );
    assert_eq!(
        specification(true, None),
        invalid("Table is being created with a stream enabled, UpdateViewType is required")
    );
}

#[test]
fn a_table_can_start_with_a_stream() {
    let world = World::new();
    let stream = enabled(StreamViewType::NewAndOldImages);
    world.create(CreateTableRequest { stream_specification: stream, ..orders() });
    let table = world.describe("orders");
    let arn = format!("{}/stream/2026-11-15T01:02:03.456", table.table_arn);
    assert_eq!(table.stream_specification, Some(StreamViewType::NewAndOldImages));
    assert_eq!(table.latest_stream_label.as_deref(), Some("2026-11-15T01:02:03.456"));
    assert_eq!(table.latest_stream_arn.as_deref(), Some(arn.as_str()));
    assert_eq!(world.stream_arns(), [arn]);
}

#[test]
fn encryption_members_must_agree() {
    let specification = |enabled, sse_type, key: Option<&str>| {
        let kms_master_key_id = key.map(str::to_owned);
        let sse = Some(SseSpecification { enabled, sse_type, kms_master_key_id });
        refused(CreateTableRequest { sse_specification: sse, ..orders() })
    };
    assert_eq!(
        specification(Some(false), Some(SseType::Kms), None),
        invalid("SSEType can not be specified if Enabled is false")
    );
    assert_eq!(
        specification(Some(false), None, Some("key")),
        invalid("KMSMasterKeyId can not be specified if Enabled is false")
    );
    assert_eq!(
        specification(Some(true), None, Some("key")),
        invalid("SSEType KMS is required if KMSMasterKeyId is specified")
    );
    assert_eq!(
        specification(Some(true), Some(SseType::Aes256), None),
        invalid("SSEType AES256 is not supported")
    );
}

#[test]
fn encryption_with_the_managed_key_shows_a_key() {
    let world = World::new();
    let sse = Some(SseSpecification { enabled: Some(true), ..Default::default() });
    world.create(CreateTableRequest { sse_specification: sse, ..orders() });
    let shown = world.describe("orders").sse_description.unwrap();
    assert_eq!(shown.sse_type, SseType::Kms);
    assert_eq!(
        shown.kms_master_key_arn,
        "arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000002"
    );
    let empty = Some(SseSpecification::default());
    world.create(CreateTableRequest {
        table_name: "plain".to_owned(),
        sse_specification: empty,
        ..orders()
    });
    assert_eq!(world.describe("plain").sse_description, None);
}

#[test]
fn class_and_protection_are_kept() {
    let world = World::new();
    world.create(CreateTableRequest {
        table_class: Some(TableClass::StandardInfrequentAccess),
        deletion_protection_enabled: Some(true),
        ..orders()
    });
    let table = world.describe("orders");
    let class = table.table_class_summary.unwrap();
    assert_eq!(class.table_class, TableClass::StandardInfrequentAccess);
    assert!(table.deletion_protection_enabled);
}
