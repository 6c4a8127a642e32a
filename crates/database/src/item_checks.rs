//! Keys and items against a table's schema.

use values::{AttributeType, AttributeValue, Item, limits, size};

use crate::catalog::{Index, KeyAttribute, Table};
use crate::index_entries::IndexKey;
use crate::keys::ItemKey;
use crate::{Error, text};

/// The sizes, in bytes, that the service names in its texts.
const HASH_TOO_LARGE: &str = "One or more parameter values were invalid: Size of hashkey has exceeded \
                              the maximum size limit of2048 bytes";
const SORT_TOO_LARGE: &str = "One or more parameter values were invalid: Aggregated size of all range \
                              keys has exceeded the size limit of 1024 bytes";
/// A key that is not the table's.
pub const NO_SCHEMA_MATCH: &str = "The provided key element does not match the schema";
/// An item of more than 400 KB.
const ITEM_TOO_LARGE: &str = "Item size has exceeded the maximum allowed size";
/// An update that would make an item larger than 400 KB.
pub const UPDATE_TOO_LARGE: &str = "Item size to update has exceeded the maximum allowed size";

/// An update that would nest an item deeper than 32 levels (rule 9).
pub const UPDATE_TOO_DEEP: &str = "Nesting Levels have exceeded supported limits";

/// Why an item or key does not fit a table. Inside a transaction the two kinds differ: the first
/// cancels it with a reason, the second refuses the whole request (rule 50).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Missing, of the wrong type, or too large.
    Schema(String),
    /// An empty string or binary as a key.
    EmptyKey(String),
}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Self {
        match misfit {
            Misfit::Schema(message) | Misfit::EmptyKey(message) => Error::Validation(message),
        }
    }
}

/// What an item to put weighs, if it may be stored.
pub fn size_to_put(item: &Item) -> Result<usize, Error> {
    let size = size::item_size(item);
    if size > limits::ITEM_SIZE_BYTES_MAX {
        return Err(Error::Validation(ITEM_TOO_LARGE.to_owned()));
    }
    Ok(size)
}

/// Names, sets and nesting of a `Key` parameter, which are checked before the table is looked up.
pub fn key_content(key: &Item) -> Result<(), Error> {
    Ok(values::validate::item(key)?)
}

/// The storage key for a `Key` parameter: exactly the key attributes, each of its type.
pub fn key(table: &Table, key: &Item) -> Result<ItemKey, Misfit> {
    let no_match = || Misfit::Schema(NO_SCHEMA_MATCH.to_owned());
    if key.len() != table.keys.iter().count() {
        return Err(no_match());
    }
    for attribute in table.keys.iter() {
        let value = key.get(&attribute.name).ok_or_else(no_match)?;
        if value.attribute_type() != attribute.attribute_type {
            return Err(no_match());
        }
        not_empty(attribute, value)?;
        within_size(table, attribute, value)?;
    }
    table.item_key(key).ok_or_else(no_match)
}

/// Has the item the table's key? BatchWriteItem asks this first, and has one text for every answer.
pub fn has_key(table: &Table, item: &Item) -> Result<(), Misfit> {
    let fits = |attribute: &KeyAttribute| {
        let value = item.get(&attribute.name);
        value.is_some_and(|value| value.attribute_type() == attribute.attribute_type)
    };
    if table.keys.iter().all(fits) {
        return Ok(());
    }
    Err(Misfit::Schema(NO_SCHEMA_MATCH.to_owned()))
}

/// The storage key for an item to put: all key attributes there, each of its type, and every index
/// key that is there of its type too.
pub fn item(table: &Table, item: &Item) -> Result<ItemKey, Misfit> {
    for attribute in table.keys.iter() {
        let value = item.get(&attribute.name).ok_or_else(|| {
            Misfit::Schema(format!(
                "One or more parameter values were invalid: Missing the key {} in the item",
                attribute.name
            ))
        })?;
        if value.attribute_type() != attribute.attribute_type {
            return Err(Misfit::Schema(format!(
                "One or more parameter values were invalid: Type mismatch for key {} expected: {} actual: {}",
                attribute.name,
                attribute.attribute_type,
                value.attribute_type()
            )));
        }
        not_empty(attribute, value)?;
        within_size(table, attribute, value)?;
    }
    index_keys(table, None, item)?;
    table.item_key(item).ok_or_else(|| Misfit::Schema(NO_SCHEMA_MATCH.to_owned()))
}

/// Checks the index keys an item has. After an update (`before` given) only what it changed counts,
/// and an empty value has a text of its own.
pub fn index_keys(table: &Table, before: Option<&Item>, item: &Item) -> Result<(), Misfit> {
    let keys = table.indexes.iter().flat_map(|index| {
        // A local index shares the table's hash key, which is checked as such.
        let own_hash = if index.is_global() { index.keys.hash.as_slice() } else { &[] };
        own_hash.iter().chain(&index.keys.sort).map(move |attribute| (index, attribute))
    });
    let mut first: Option<(&Index, Misfit)> = None;
    for (index, attribute) in keys {
        let Some(value) = item.get(&attribute.name) else { continue };
        if before.is_some_and(|before| before.get(&attribute.name) == Some(value)) {
            continue;
        }
        let Err(misfit) = index_key(index, attribute, value, before.is_some()) else { continue };
        // The service names the first index in the order of names.
        if first.as_ref().is_none_or(|(named, _)| index.name < named.name) {
            first = Some((index, misfit));
        }
    }
    first.map_or(Ok(()), |(_, misfit)| Err(misfit))
}

fn index_key(
    index: &Index,
    attribute: &KeyAttribute,
    value: &AttributeValue,
    is_update: bool,
) -> Result<(), Misfit> {
    if value.attribute_type() != attribute.attribute_type {
        return Err(Misfit::Schema(format!(
            "One or more parameter values were invalid: Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
            attribute.name,
            attribute.attribute_type,
            value.attribute_type(),
            index.name
        )));
    }
    if let Some(kind) = empty_kind(value) {
        return Err(Misfit::EmptyKey(if is_update {
            format!(
                "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value."
            )
        } else {
            format!(
                "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: {}, IndexKey: {}",
                index.name, attribute.name
            )
        }));
    }
    let is_hash = index.keys.hash.iter().any(|hash| hash.name == attribute.name);
    key_size(is_hash, value)
}

/// A key of the table or of one of its indexes has nothing inside: no path of an expression may lead
/// there.
pub fn no_path_into_keys<'n>(
    table: &Table,
    nested_names: impl IntoIterator<Item = &'n str>,
) -> Result<(), Misfit> {
    let nested: Vec<&str> = nested_names.into_iter().collect();
    if nested.is_empty() {
        return Ok(());
    }
    let of_table = table.keys.iter().map(|key| ("Key", key));
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.iter());
    let mut keys = of_table.chain(of_indexes.map(|key| ("IndexKey", key)));
    match keys.find(|(_, key)| nested.contains(&key.name.as_str())) {
        None => Ok(()),
        Some((kind, key)) => Err(Misfit::Schema(text::path_into_key(kind, &key.name))),
    }
}

/// The key that an item has in an index; nothing if it lacks one, or has one that no index key may be.
/// Items that were there before the index are entered only if they have one (rule 46).
pub fn key_in_index<'i>(index: &Index, item: &'i Item) -> Option<IndexKey<'i>> {
    let mut key = IndexKey([None; 8]);
    for (place, attribute) in key.0.iter_mut().zip(index.keys.iter()) {
        let value = item.get(&attribute.name)?;
        index_key(index, attribute, value, false).ok()?;
        *place = Some(value);
    }
    Some(key)
}

/// The `ExclusiveStartKey` or `Key` value may not be empty.
pub fn not_empty(attribute: &KeyAttribute, value: &AttributeValue) -> Result<(), Misfit> {
    match empty_kind(value) {
        None => Ok(()),
        Some(kind) => Err(Misfit::EmptyKey(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty {kind} value. Key: {}",
            attribute.name
        ))),
    }
}

fn empty_kind(value: &AttributeValue) -> Option<&'static str> {
    match value {
        AttributeValue::S(text) if text.is_empty() => Some("string"),
        AttributeValue::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

/// The size of a value that a key is compared with.
pub fn key_size(is_hash: bool, value: &AttributeValue) -> Result<(), Misfit> {
    if key_bytes(value) > key_bytes_max(is_hash) {
        return Err(Misfit::Schema(too_large(is_hash).to_owned()));
    }
    Ok(())
}

fn within_size(
    table: &Table,
    attribute: &KeyAttribute,
    value: &AttributeValue,
) -> Result<(), Misfit> {
    key_size(attribute.name == table.hash_attribute().name, value)
}

fn key_bytes(value: &AttributeValue) -> usize {
    match value.attribute_type() {
        AttributeType::S | AttributeType::B => size::value_size(value),
        // A number is never too large for a key.
        _ => 0,
    }
}

const fn key_bytes_max(is_hash: bool) -> usize {
    if is_hash { limits::PARTITION_KEY_BYTES_MAX } else { limits::SORT_KEY_BYTES_MAX }
}

const fn too_large(is_hash: bool) -> &'static str {
    if is_hash { HASH_TOO_LARGE } else { SORT_TOO_LARGE }
}
