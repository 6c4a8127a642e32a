//! What is read: a table or one of its indexes.

use bytes::Bytes;
use expressions::{Condition, KeyRange, SortCondition};
use values::{AttributeType, AttributeValue, Item, key};

use crate::catalog::{Index, KeyAttribute, KeyAttributes, Table};
use crate::item_checks;
use crate::keys::{self, ItemKey};
use crate::shapes::{IndexStatus, ProjectionType};
use crate::storage::Space;
use crate::{Error, stored, text};

/// A table, or one of its indexes.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The table.
    pub table: &'a Table,
    /// The index, if one is read.
    pub index: Option<&'a Index>,
}

impl<'a> Target<'a> {
    /// The table, or the index that is named.
    pub fn new(
        table: &'a Table,
        index_name: Option<&str>,
        consistent: bool,
    ) -> Result<Target<'a>, Error> {
        let Some(name) = index_name else { return Ok(Target { table, index: None }) };
        let index =
            table.index(name).ok_or_else(|| Error::Validation(text::unknown_index(name)))?;
        if consistent && index.is_global() {
            return Err(Error::Validation(text::CONSISTENT_READ_ON_GLOBAL_INDEX.to_owned()));
        }
        if index.status == IndexStatus::Creating {
            return Err(Error::Validation(text::backfilling_index(name)));
        }
        Ok(Target { table, index: Some(index) })
    }

    /// The key attributes that order it.
    pub fn keys(&self) -> &'a KeyAttributes {
        self.index.map_or(&self.table.keys, |index| &index.keys)
    }

    /// Where its entries are.
    pub fn space(&self) -> Space {
        if self.index.is_some() { Space::Index } else { Space::Items }
    }

    /// Do entries hold every attribute, or lead to an item that does?
    pub fn holds_all(&self) -> bool {
        self.index.is_none_or(|index| index.projection_type == ProjectionType::All)
    }

    /// A read by the hash key of an index may not ask a filter for what the index does not hold; one
    /// of the whole index just finds nothing (DX).
    pub fn check_filter(&self, filter: &Condition) -> Result<(), Error> {
        let Some(index) = self.index else { return Ok(()) };
        let names = filter.attribute_names();
        let missing: Vec<&str> = names.filter(|name| !index.projects(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = text::filter_not_projected(&index.name, &missing.join(", "));
        Err(Error::Validation(message))
    }

    /// What all its entries start with.
    pub fn prefix(&self) -> Vec<u8> {
        match self.index {
            None => keys::table_prefix(self.table.number),
            Some(index) => keys::index_prefix(self.table.number, index.number),
        }
    }

    /// No key is empty, so nothing is asked of empty ones.
    pub fn check_values(&self, range: &KeyRange) -> Result<(), Error> {
        for (attribute, value) in self.keys().hash.iter().zip(&range.hash) {
            item_checks::not_empty(attribute, value)?;
        }
        for (attribute, condition) in self.keys().sort.iter().zip(&range.sort) {
            for value in condition.values() {
                item_checks::not_empty(attribute, value)?;
            }
        }
        Ok(())
    }

    /// The range of storage keys that a key condition selects.
    pub fn range(&self, range: &KeyRange) -> Result<(Bytes, Bytes), Error> {
        let hash = range.hash.iter();
        let prefix = match self.index {
            None => {
                range.hash.first().and_then(|hash| keys::partition_prefix(self.table.number, hash))
            }
            Some(index) => keys::index_partition_prefix(self.table.number, index.number, hash),
        };
        let mut prefix = prefix.ok_or_else(wrong_key_type)?;
        let Some((last, equal)) = range.sort.split_last() else {
            return Ok((prefix.clone().into(), keys::prefix_end(&prefix)));
        };
        for condition in equal {
            if let SortCondition::Equal(value) = condition {
                append(&mut prefix, value)?;
            }
        }
        sort_range(prefix, last)
    }

    /// The place of an `ExclusiveStartKey`, which must be exactly the keys of the index and the
    /// table, each of its type.
    pub fn start_key(&self, start: &Item) -> Result<Bytes, Error> {
        let invalid = || Error::Validation(text::START_KEY_INVALID.to_owned());
        let mut expected: Vec<&KeyAttribute> = self.table.keys.iter().collect();
        for attribute in self.keys().iter() {
            if !expected.iter().any(|known| known.name == attribute.name) {
                expected.push(attribute);
            }
        }
        if start.len() != expected.len() {
            return Err(invalid());
        }
        for attribute in expected {
            let value = start.get(&attribute.name).ok_or_else(invalid)?;
            if value.attribute_type() != attribute.attribute_type {
                return Err(invalid());
            }
            item_checks::not_empty(attribute, value)?;
        }
        let item_key = self.table.item_key(start).ok_or_else(invalid)?;
        self.entry_key(start, &item_key).ok_or_else(invalid)
    }

    fn entry_key(&self, item: &Item, item_key: &ItemKey) -> Option<Bytes> {
        let Some(index) = self.index else { return Some(item_key.bytes().clone()) };
        let values = |attributes: &'a [KeyAttribute]| {
            attributes.iter().map(|attribute| item.get(&attribute.name)).collect::<Option<Vec<_>>>()
        };
        let hash = values(&index.keys.hash)?;
        let sort = values(&index.keys.sort)?;
        let table = self.table.number;
        keys::index_entry(table, index.number, hash.into_iter(), sort.into_iter(), item_key)
    }

    /// The `LastEvaluatedKey` for an entry: its index keys and its table keys (rule 30).
    pub fn last_evaluated_key(&self, entry: &[u8]) -> Result<Item, Error> {
        let of_index = self.index.into_iter().flat_map(|index| index.keys.iter());
        let mut key = Item::new();
        for attribute in self.table.keys.iter().chain(of_index) {
            if let Some(value) = stored::attribute(entry, &attribute.name)? {
                key.insert(&attribute.name, value);
            }
        }
        Ok(key)
    }

    /// Names and types of the hash attributes, for matching a key condition.
    pub fn hash_types(&self) -> Vec<(&'a str, AttributeType)> {
        types(&self.keys().hash)
    }

    /// Names and types of the sort attributes, for matching a key condition.
    pub fn sort_types(&self) -> Vec<(&'a str, AttributeType)> {
        types(&self.keys().sort)
    }
}

fn types(attributes: &[KeyAttribute]) -> Vec<(&str, AttributeType)> {
    attributes.iter().map(|attribute| (attribute.name.as_str(), attribute.attribute_type)).collect()
}

fn append(prefix: &mut Vec<u8>, value: &AttributeValue) -> Result<(), Error> {
    if key::encode(value, prefix) { Ok(()) } else { Err(wrong_key_type()) }
}

fn wrong_key_type() -> Error {
    Error::Validation(text::KEY_CONDITION_TYPE.to_owned())
}

/// The storage keys under a prefix whose next key value meets the condition. A value's encoding says
/// where it ends, so everything that starts with it has exactly that value.
fn sort_range(prefix: Vec<u8>, condition: &SortCondition) -> Result<(Bytes, Bytes), Error> {
    let whole_end = keys::prefix_end(&prefix);
    let at = |value: &AttributeValue| {
        let mut bytes = prefix.clone();
        append(&mut bytes, value).map(|()| bytes)
    };
    Ok(match condition {
        SortCondition::Equal(value) => {
            let bytes = at(value)?;
            let end = keys::prefix_end(&bytes);
            (bytes.into(), end)
        }
        SortCondition::Less(value) => (prefix.clone().into(), at(value)?.into()),
        SortCondition::LessOrEqual(value) => (prefix.clone().into(), keys::prefix_end(&at(value)?)),
        SortCondition::Greater(value) => (keys::prefix_end(&at(value)?), whole_end),
        SortCondition::GreaterOrEqual(value) => (at(value)?.into(), whole_end),
        SortCondition::Between(low, high) => (at(low)?.into(), keys::prefix_end(&at(high)?)),
        SortCondition::BeginsWith(value) => {
            let mut bytes = prefix.clone();
            if !key::encode_prefix(value, &mut bytes) {
                return Err(wrong_key_type());
            }
            let end = keys::prefix_end(&bytes);
            (bytes.into(), end)
        }
    })
}

/// Does a key value meet the condition?
pub fn meets(condition: &SortCondition, value: &AttributeValue) -> bool {
    let mut bytes = Vec::new();
    key::encode(value, &mut bytes)
        && sort_range(Vec::new(), condition)
            .is_ok_and(|(start, end)| bytes.as_slice() >= &*start && bytes.as_slice() < &*end)
}
