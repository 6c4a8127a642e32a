//! What an index holds for an item, and what changes in it when the item does.
//!
//! An entry of an index that projects everything holds only the item's key: reading it costs one
//! more read, but a write costs a small entry instead of a copy of the item, and an update that
//! leaves the index key alone costs nothing. Other entries hold the projected attributes.

use bytes::Bytes;
use values::{AttributeValue, Item, size};

use crate::capacity;
use crate::catalog::{Index, Table};
use crate::keys::{self, ItemKey};
use crate::shapes::ProjectionType;
use crate::{item_checks, stored};

/// What an index is charged for a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCharge {
    /// The index.
    pub index_name: String,
    /// Global or local.
    pub is_global: bool,
    /// Write units.
    pub units: u64,
}

/// What a write changes in one index.
#[derive(Debug, Default)]
pub struct EntryChange {
    /// An entry to remove.
    pub removed: Option<Bytes>,
    /// An entry to write.
    pub added: Option<(Bytes, Bytes)>,
    /// Bytes of the projected entry before.
    pub old_size: Option<usize>,
    /// Bytes of the projected entry after.
    pub new_size: Option<usize>,
    /// Write units: the change of the *projected* entry counts (rule 56).
    pub units: u64,
}

/// What an item has for the key attributes of an index: those of the hash key first, up to four, then
/// those of the sort key, up to four.
#[derive(Clone, Copy, PartialEq)]
pub struct IndexKey<'a>(pub [Option<&'a AttributeValue>; 8]);

/// An item that an index holds, with its size, which the caller knows.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// The item.
    pub item: &'a Item,
    /// Its bytes.
    pub size: usize,
    /// Its key in the index.
    pub index_key: IndexKey<'a>,
}

impl<'a> Held<'a> {
    /// An item as an index holds it; nothing if it does not.
    pub fn of(index: &Index, item: &'a Item, size: usize) -> Option<Held<'a>> {
        Some(Held { item, size, index_key: item_checks::key_in_index(index, item)? })
    }
}

/// Compares the entries for two versions of an item; nothing stands for one that the index does not
/// hold, because it lacks a valid index key.
pub fn change(
    table: &Table,
    index: &Index,
    key: &ItemKey,
    old: Option<Held<'_>>,
    new: Option<Held<'_>>,
) -> EntryChange {
    let mut change = EntryChange {
        old_size: old.map(|old| projected_size(index, old)),
        new_size: new.map(|new| projected_size(index, new)),
        ..EntryChange::default()
    };
    let size_units = |size: Option<usize>| capacity::write_units(size.unwrap_or(0));
    match (old, new) {
        (None, None) => {}
        (Some(old), None) => {
            change.removed = entry_key(table, index, key, old.index_key);
            change.units = size_units(change.old_size);
        }
        (None, Some(new)) => {
            change.added = entry(table, index, key, new);
            change.units = size_units(change.new_size);
        }
        (Some(old), Some(new)) => {
            if old.index_key != new.index_key {
                change.removed = entry_key(table, index, key, old.index_key);
                change.added = entry(table, index, key, new);
                change.units = size_units(change.old_size) + size_units(change.new_size);
            } else if !same_projection(index, old.item, new.item) {
                if index.projection_type != ProjectionType::All {
                    change.added = entry(table, index, key, new);
                }
                change.units = size_units(change.old_size.max(change.new_size));
            }
        }
    }
    change
}

/// The entry for an item that the index holds: its storage key and value.
fn entry(table: &Table, index: &Index, key: &ItemKey, held: Held<'_>) -> Option<(Bytes, Bytes)> {
    let value = match &index.projected {
        None => Bytes::copy_from_slice(key.item_part()),
        Some(names) => stored::encode_attributes(&projected(names, held.item).collect::<Vec<_>>()),
    };
    Some((entry_key(table, index, key, held.index_key)?, value))
}

/// The storage key of an entry.
pub fn entry_key(
    table: &Table,
    index: &Index,
    key: &ItemKey,
    IndexKey(values): IndexKey<'_>,
) -> Option<Bytes> {
    let (hash, sort) = values.split_at_checked(index.keys.hash.len())?;
    let (hash, sort) = (hash.iter().copied().flatten(), sort.iter().copied().flatten());
    keys::index_entry(table.number, index.number, hash, sort, key)
}

/// The attributes of an item that an index of these names holds, in their order.
fn projected<'a>(
    names: &'a [String],
    item: &'a Item,
) -> impl Iterator<Item = (&'a str, &'a AttributeValue)> {
    names.iter().filter_map(|name| Some((name.as_str(), item.get(name)?)))
}

fn projected_size(index: &Index, Held { item, size, .. }: Held<'_>) -> usize {
    match &index.projected {
        None => size,
        Some(names) => {
            projected(names, item).map(|(name, value)| size::attribute_size(name, value)).sum()
        }
    }
}

fn same_projection(index: &Index, old: &Item, new: &Item) -> bool {
    match &index.projected {
        None => old == new,
        Some(names) => names.iter().all(|name| old.get(name) == new.get(name)),
    }
}
