//! What a request consumed.

use std::collections::BTreeMap;

use values::Item;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Capacity {
    pub capacity_units: f64,
    pub read_capacity_units: Option<f64>,
    pub write_capacity_units: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsumedCapacity {
    pub table_name: String,
    pub capacity_units: f64,
    pub read_capacity_units: Option<f64>,
    pub write_capacity_units: Option<f64>,
    /// Present with `INDEXES`.
    pub table: Option<Capacity>,
    /// Present with `INDEXES` and at least one index that was charged.
    pub local_secondary_indexes: BTreeMap<String, Capacity>,
    /// Present with `INDEXES` and at least one index that was charged.
    pub global_secondary_indexes: BTreeMap<String, Capacity>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ItemCollectionMetrics {
    /// The partition key.
    pub item_collection_key: Item,
    /// Lower and upper estimate in gigabytes.
    pub size_estimate_range_gb: [f64; 2],
}
