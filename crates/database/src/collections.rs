//! Item collections: all items of a table with local indexes that share a hash key.

use values::Item;

use crate::catalog::Table;
use crate::commit::WriteEffect;
use crate::shapes::{ItemCollectionMetrics, ReturnItemCollectionMetrics};

const GIGABYTE: f64 = (1_u64 << 30) as f64;

/// What the answer to a write shows of the item's collection; only for tables with local indexes
/// (rule 57).
pub fn metrics(
    table: &Table,
    mode: ReturnItemCollectionMetrics,
    item: &Item,
    effect: &WriteEffect,
) -> Option<ItemCollectionMetrics> {
    let bytes = match mode {
        ReturnItemCollectionMetrics::None => return None,
        ReturnItemCollectionMetrics::Size => effect.collection_bytes?,
    };
    let name = &table.hash_attribute().name;
    let hash = item.get(name)?.clone();
    let low = (bytes as f64 / GIGABYTE).floor();
    Some(ItemCollectionMetrics {
        item_collection_key: Item::from([(name, hash)]),
        size_estimate_range_gb: [low, low + 1.0],
    })
}
