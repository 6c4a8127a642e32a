//! What a request consumed, and how full an item collection is.

use std::collections::BTreeMap;

use database::shapes::{Capacity, ConsumedCapacity, ItemCollectionMetrics};
use serde_json::json;

use super::answer::{Answer, Json, by_name, list};

/// `ConsumedCapacity` of one table.
pub(super) fn consumed(consumed: &ConsumedCapacity) -> Json {
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
pub(super) fn consumed_by_tables(tables: &[ConsumedCapacity]) -> Json {
    list(tables, consumed)
}

/// `ItemCollectionMetrics` of one item.
pub(super) fn metrics(metrics: &ItemCollectionMetrics) -> Json {
    Answer::new()
        .with("ItemCollectionKey", &metrics.item_collection_key)
        .with("SizeEstimateRangeGB", json!(metrics.size_estimate_range_gb))
        .done()
}

/// `ItemCollectionMetrics` by table; nothing if no table has any.
pub(super) fn metrics_by_table(
    tables: &BTreeMap<String, Vec<ItemCollectionMetrics>>,
) -> Option<Json> {
    (!tables.is_empty()).then(|| by_name(tables, |all| list(all, metrics)))
}

fn capacity(capacity: &Capacity) -> Json {
    Answer::new()
        .maybe("ReadCapacityUnits", capacity.read_capacity_units)
        .maybe("WriteCapacityUnits", capacity.write_capacity_units)
        .with("CapacityUnits", capacity.capacity_units)
        .done()
}

fn indexes(charged: &BTreeMap<String, Capacity>) -> Option<Json> {
    (!charged.is_empty()).then(|| by_name(charged, capacity))
}
