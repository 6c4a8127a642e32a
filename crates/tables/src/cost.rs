//! What the tables cost in a month, from requests, sizes, indexes and unit prices.
//!
//! Nothing here is a price list: the prices are those of the source document (R000-4.7.1-2) where it
//! has one, and can all be given otherwise (C0-43, C0-44).

mod estimate;
mod report;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use estimate::{TableCost, estimate};
pub use report::report;

use crate::document::Load;

/// Unit prices, in dollars.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Prices {
    /// A million read units of 4 KB.
    pub million_reads: f64,
    /// A million write units of 1 KB, of tables and of indexes.
    pub million_writes: f64,
    /// A million write units that are replicated to another region.
    pub million_replicated_writes: f64,
    /// A hundred thousand reads of a stream.
    pub hundred_thousand_stream_reads: f64,
    /// Storage of a gigabyte for a month.
    pub storage_gigabyte: f64,
    /// Point-in-time recovery of a gigabyte for a month.
    pub recovery_gigabyte: f64,
    /// Backups of a gigabyte for a month.
    pub backup_gigabyte: f64,
    /// Transfer of a gigabyte to another region.
    pub transfer_gigabyte: f64,
}

impl Default for Prices {
    fn default() -> Prices {
        Prices {
            million_reads: 0.25,
            million_writes: 1.25,
            million_replicated_writes: 1.875,
            hundred_thousand_stream_reads: 0.02,
            storage_gigabyte: 0.25,
            recovery_gigabyte: 0.20,
            backup_gigabyte: 0.10,
            transfer_gigabyte: 0.09,
        }
    }
}

/// What is assumed of tables whose document says nothing about their load.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// Requests per month of each access pattern that reads.
    pub reads_per_pattern: u64,
    /// Requests per month of each access pattern that writes.
    pub writes_per_pattern: u64,
    /// Size of an item.
    pub item_bytes: u64,
    /// Number of items in a table.
    pub items: u64,
    /// Items that a Query answers with.
    pub items_per_query: u64,
    /// Loads that replace those of the documents, by `system/table`.
    pub loads: BTreeMap<String, Load>,
}

impl Default for Assumptions {
    fn default() -> Assumptions {
        Assumptions {
            reads_per_pattern: 100_000,
            writes_per_pattern: 10_000,
            item_bytes: 1_024,
            items: 10_000,
            items_per_query: 20,
            loads: BTreeMap::new(),
        }
    }
}
