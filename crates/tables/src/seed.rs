//! A set of items to try things with: it looks real, and is the same for the same seed.

mod people;
mod text;
mod values_of;

use std::collections::HashSet;

use serde_json::{Value, json};
use values::Item;
use values::json::item_to_json;
use values::limits::BATCH_WRITE_ITEMS_MAX;

use crate::Documents;
use crate::document::{Environment, ItemType, Table};
use crate::pattern::Pattern;
use crate::target::{Target, TargetError};
use values_of::Maker;

/// How the set is made.
#[derive(Clone, Copy, Debug)]
pub struct SeedOptions {
    /// The same number gives the same items.
    pub seed: u64,
    /// How many items of each kind.
    pub count: u32,
    /// The present, in seconds since 1970: items were made before it and expire after it.
    pub now_seconds: u64,
}

/// The items of a table: so many of each kind, and those of one number belong together. Of a kind with
/// one key there is one item, and a name that comes again, as names do, is not reserved twice.
pub fn items(table: &Table, options: SeedOptions) -> impl Iterator<Item = Item> + '_ {
    let mut keys = HashSet::new();
    let all = (0..options.count).flat_map(move |number| {
        table.item_types.iter().map(move |kind| item(table, kind, number, options))
    });
    all.filter(move |item| {
        let key: Vec<_> = table.key_names().iter().map(|name| item.get(name)).collect();
        keys.insert(format!("{key:?}"))
    })
}

/// How many items a table gets. They are made to be counted: which keys come again shows only then.
pub fn item_count(table: &Table, options: SeedOptions) -> u64 {
    items(table, options).count() as u64
}

/// Writes the items of a table. `progress` is told how many were written.
pub async fn write<T: Target>(
    documents: &Documents,
    table: &Table,
    environment: Environment,
    options: SeedOptions,
    target: &T,
    mut progress: impl FnMut(u64),
) -> Result<(), TargetError> {
    let name = documents.table_name(table, environment);
    let mut batch = Vec::new();
    let mut items = items(table, options).peekable();
    while let Some(item) = items.next() {
        batch.push(json!({ "PutRequest": { "Item": item_to_json(&item) } }));
        if batch.len() == BATCH_WRITE_ITEMS_MAX || items.peek().is_none() {
            let count = batch.len() as u64;
            write_batch(&name, std::mem::take(&mut batch), target).await?;
            progress(count);
        }
    }
    Ok(())
}

/// A batch may be done in part: the rest is sent again.
async fn write_batch<T: Target>(
    name: &str,
    batch: Vec<Value>,
    target: &T,
) -> Result<(), TargetError> {
    let mut requests = json!({ name: batch });
    let mut pause = std::time::Duration::from_millis(20);
    loop {
        let answer = target.call("BatchWriteItem", &json!({ "RequestItems": requests })).await?;
        let left = answer["UnprocessedItems"].clone();
        if left.as_object().is_none_or(|tables| tables.is_empty()) {
            return Ok(());
        }
        requests = left;
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(std::time::Duration::from_secs(2));
    }
}

fn item(table: &Table, kind: &ItemType, number: u32, options: SeedOptions) -> Item {
    let mut maker = Maker::new(table, kind, number, options);
    let mut item = Item::new();
    for attribute in table.attributes_of(kind) {
        if let Some(value) = maker.attribute(attribute, &item) {
            item.insert(&attribute.name, value);
        }
    }
    for (key, pattern) in &kind.keys {
        let rendered = Pattern::read(pattern).ok().and_then(|pattern| pattern.render(&item).ok());
        match rendered {
            Some(value) if *pattern != format!("{{{key}}}") => {
                item.insert(key, value.into());
            }
            // Without its parts an index key cannot be made; the item is then not in the index.
            None if !table.key_names().contains(&key.as_str()) => {
                item.remove(key);
            }
            _ => {}
        }
    }
    item
}
