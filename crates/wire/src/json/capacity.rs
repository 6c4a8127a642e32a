//! What a request consumed, and how full an item collection is.

use std::collections::BTreeMap;

use database::shapes::{Capacity, ConsumedCapacity, ItemCollectionMetrics};
use serde_json::{Value, json};
use values::json::item_to_json;

use super::answer::{Answer, list};

/// `ConsumedCapacity` of one table.
pub(super) fn consumed(consumed: &ConsumedCapacity) -> Value {
    Answer::new()
        .with("TableName", consumed.table_name.as_str())
        .with("CapacityUnits", consumed.capacity_units)
        .maybe("ReadCapacityUnits", consumed.read_capacity_units)
        .maybe("WriteCapacityUnits", consumed.write_capacity_units)
        .maybe("Table", consumed.table.as_ref().map(capacity))
        .maybe("LocalSecondaryIndexes", indexes(&consumed.local_secondary_indexes))
        .maybe("GlobalSecondaryIndexes", indexes(&consumed.global_secondary_indexes))
        .done()
}

/// `ConsumedCapacity` of several tables.
pub(super) fn consumed_by_tables(tables: &[ConsumedCapacity]) -> Value {
    list(tables, consumed)
}

/// `ItemCollectionMetrics` of one item.
pub(super) fn metrics(metrics: &ItemCollectionMetrics) -> Value {
    json!({
        "ItemCollectionKey": item_to_json(&metrics.item_collection_key),
        "SizeEstimateRangeGB": metrics.size_estimate_range_gb,
    })
}

/// `ItemCollectionMetrics` by table; nothing if no table has any.
pub(super) fn metrics_by_table(
    tables: &BTreeMap<String, Vec<ItemCollectionMetrics>>,
) -> Option<Value> {
    let entry = |(table, all): (&String, &Vec<_>)| (table.clone(), list(all, metrics));
    (!tables.is_empty()).then(|| Value::Object(tables.iter().map(entry).collect()))
}

fn capacity(capacity: &Capacity) -> Value {
    Answer::new()
        .maybe("ReadCapacityUnits", capacity.read_capacity_units)
        .maybe("WriteCapacityUnits", capacity.write_capacity_units)
        .with("CapacityUnits", capacity.capacity_units)
        .done()
}

fn indexes(charged: &BTreeMap<String, Capacity>) -> Option<Value> {
    let entry = |(name, units): (&String, &Capacity)| (name.clone(), capacity(units));
    (!charged.is_empty()).then(|| Value::Object(charged.iter().map(entry).collect()))
}
