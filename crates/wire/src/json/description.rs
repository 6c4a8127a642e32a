//! `TableDescription`, which five operations answer with.

use database::shapes::{
    AttributeDefinition, BillingMode, BillingModeSummary, GlobalSecondaryIndexDescription,
    KeySchemaElement, LocalSecondaryIndexDescription, OnDemandThroughput, Projection,
    ProvisionedThroughputDescription, SseDescription, StreamViewType, TableClassSummary,
    TableDescription, WarmThroughput,
};
use serde_json::{Value, json};

use super::answer::{Answer, Content, Json, list, seconds};
use super::enums::Word as _;

/// A table as an answer describes it.
pub(super) fn table(table: &TableDescription) -> Json {
    let billing = table.billing_mode_summary.as_ref();
    Answer::new()
        .maybe("AttributeDefinitions", filled(&table.attribute_definitions, definition))
        .with("TableName", table.table_name.as_str())
        .maybe("KeySchema", filled(&table.key_schema, key_element))
        .with("TableStatus", table.table_status.word())
        .maybe("CreationDateTime", table.creation_date_time.map(seconds))
        .with("ProvisionedThroughput", provisioned(&table.provisioned_throughput))
        .with("TableSizeBytes", table.table_size_bytes)
        .with("ItemCount", table.item_count)
        .with("TableArn", table.table_arn.as_str())
        .with("TableId", table.table_id.as_str())
        .maybe("BillingModeSummary", billing.map(|summary| mode(summary, "BillingMode")))
        .maybe(
            // In no documentation, but in every answer of the service.
            "TableThroughputModeSummary",
            billing.map(|summary| mode(summary, "TableThroughputMode")),
        )
        .maybe("LocalSecondaryIndexes", filled(&table.local_secondary_indexes, local_index))
        .maybe("GlobalSecondaryIndexes", filled(&table.global_secondary_indexes, global_index))
        .maybe("StreamSpecification", table.stream_specification.map(stream))
        .maybe("LatestStreamLabel", table.latest_stream_label.as_deref())
        .maybe("LatestStreamArn", table.latest_stream_arn.as_deref())
        .maybe("SSEDescription", table.sse_description.as_ref().map(encryption))
        .maybe("TableClassSummary", table.table_class_summary.as_ref().map(class))
        .with("DeletionProtectionEnabled", table.deletion_protection_enabled)
        .maybe("OnDemandThroughput", table.on_demand_throughput.as_ref().map(on_demand))
        .maybe("WarmThroughput", warm(&table.warm_throughput))
        .done()
}

/// `KeySchema`.
pub(super) fn key_schema(elements: &[KeySchemaElement]) -> Json {
    list(elements, key_element)
}

fn key_element(element: &KeySchemaElement) -> Value {
    json!({ "AttributeName": element.attribute_name, "KeyType": element.key_type.word() })
}

fn definition(definition: &AttributeDefinition) -> Value {
    json!({
        "AttributeName": definition.attribute_name,
        "AttributeType": definition.attribute_type.word(),
    })
}

fn filled<'a, T, C: Content>(elements: &'a [T], one: impl Fn(&'a T) -> C) -> Option<Json> {
    (!elements.is_empty()).then(|| list(elements, one))
}

fn provisioned(throughput: &ProvisionedThroughputDescription) -> Json {
    Answer::new()
        .maybe("LastIncreaseDateTime", throughput.last_increase_date_time.map(seconds))
        .maybe("LastDecreaseDateTime", throughput.last_decrease_date_time.map(seconds))
        .with("NumberOfDecreasesToday", throughput.number_of_decreases_today)
        .with("ReadCapacityUnits", throughput.read_capacity_units)
        .with("WriteCapacityUnits", throughput.write_capacity_units)
        .done()
}

fn mode(summary: &BillingModeSummary, name: &str) -> Json {
    let since = summary.last_update_to_pay_per_request_date_time.map(seconds);
    let billing_mode: BillingMode = summary.billing_mode;
    Answer::new()
        .with(name, billing_mode.word())
        .maybe("LastUpdateToPayPerRequestDateTime", since)
        .done()
}

fn projection(projection: &Projection) -> Json {
    Answer::new()
        .maybe("ProjectionType", projection.projection_type.map(|kind| kind.word()))
        .maybe("NonKeyAttributes", projection.non_key_attributes.clone())
        .done()
}

fn local_index(index: &LocalSecondaryIndexDescription) -> Json {
    Answer::new()
        .with("IndexName", index.index_name.as_str())
        .with("KeySchema", key_schema(&index.key_schema))
        .with("Projection", projection(&index.projection))
        .with("IndexSizeBytes", index.index_size_bytes)
        .with("ItemCount", index.item_count)
        .with("IndexArn", index.index_arn.as_str())
        .done()
}

fn global_index(index: &GlobalSecondaryIndexDescription) -> Json {
    Answer::new()
        .with("IndexName", index.index_name.as_str())
        .with("KeySchema", key_schema(&index.key_schema))
        .with("Projection", projection(&index.projection))
        .with("IndexStatus", index.index_status.word())
        .maybe("Backfilling", index.backfilling)
        .with("ProvisionedThroughput", provisioned(&index.provisioned_throughput))
        .with("IndexSizeBytes", index.index_size_bytes)
        .with("ItemCount", index.item_count)
        .with("IndexArn", index.index_arn.as_str())
        .maybe("OnDemandThroughput", index.on_demand_throughput.as_ref().map(on_demand))
        .maybe("WarmThroughput", warm(&index.warm_throughput))
        .done()
}

fn stream(view: StreamViewType) -> Value {
    json!({ "StreamEnabled": true, "StreamViewType": view.word() })
}

fn encryption(description: &SseDescription) -> Value {
    json!({
        "Status": "ENABLED",
        "SSEType": description.sse_type.word(),
        "KMSMasterKeyArn": description.kms_master_key_arn,
    })
}

fn class(summary: &TableClassSummary) -> Json {
    Answer::new()
        .with("TableClass", summary.table_class.word())
        .maybe("LastUpdateDateTime", summary.last_update_date_time.map(seconds))
        .done()
}

fn on_demand(throughput: &OnDemandThroughput) -> Json {
    Answer::new()
        .maybe("MaxReadRequestUnits", throughput.max_read_request_units)
        .maybe("MaxWriteRequestUnits", throughput.max_write_request_units)
        .done()
}

fn warm(throughput: &WarmThroughput) -> Option<Json> {
    (*throughput != WarmThroughput::default()).then(|| {
        Answer::new()
            .maybe("ReadUnitsPerSecond", throughput.read_units_per_second)
            .maybe("WriteUnitsPerSecond", throughput.write_units_per_second)
            .with("Status", "ACTIVE")
            .done()
    })
}
