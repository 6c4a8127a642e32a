//! An item that an access pattern finds, and the values with which it does.

use std::cmp::Ordering;

use tables::document::{AccessPattern, Comparison, KeyComparison, Table};
use tables::pattern::{Part, Pattern};
use values::{AttributeValue, Item, Number};

/// An item and the values of a pattern that lead to it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub kind: String,
    pub item: Item,
    pub values: Item,
}

/// Every item that the pattern finds with some values.
pub fn samples<'s>(
    table: &'s Table,
    access: &'s AccessPattern,
    items: &'s [Item],
) -> impl Iterator<Item = Sample> + 's {
    items.iter().filter_map(move |item| {
        let values = values(table, access, item)?;
        let kind = table.kind_of(item)?.name.clone();
        finds(access, &values, item).then(|| Sample { kind, item: item.clone(), values })
    })
}

/// An item made to fit a pattern that no item of the set fits: fixed keys have their fixed values, and
/// an optional attribute that is lacking has the value of another one that is written alike.
pub fn fitting(table: &Table, access: &AccessPattern, item: &Item) -> Option<Item> {
    let mut made = item.clone();
    for (key, comparison) in &access.key_condition {
        for text in comparison.patterns() {
            let pattern = Pattern::read(text).ok()?;
            if pattern.placeholders().next().is_none() {
                made.insert(key, rendered(text, &made, item.get(key)?)?);
            }
            for name in pattern.placeholders().filter(|name| !item.contains_key(name)) {
                let wanted = table.attribute(name)?;
                let alike = table.attributes.iter().find(|other| {
                    other.format == wanted.format
                        && other.attribute_type == wanted.attribute_type
                        && item.contains_key(&other.name)
                })?;
                made.insert(name, item.get(&alike.name)?.clone());
            }
        }
    }
    Some(made)
}

/// Whether the key condition with these values holds for an item.
pub fn finds(access: &AccessPattern, values: &Item, item: &Item) -> bool {
    access.key_condition.iter().all(|(key, comparison)| {
        item.get(key).is_some_and(|found| holds(comparison, values, found))
    })
}

/// The values of all placeholders, taken from the item and its keys.
fn values(table: &Table, access: &AccessPattern, item: &Item) -> Option<Item> {
    let mut values = Item::new();
    for (key, comparison) in &access.key_condition {
        for text in comparison.patterns() {
            let pattern = Pattern::read(text).ok()?;
            for name in pattern.placeholders() {
                let value = match table.attribute(name) {
                    Some(_) => item.get(name)?.clone(),
                    None => around(comparison, &behind(&pattern, item.get(key)?)),
                };
                values.insert(name, value);
            }
        }
    }
    Some(values)
}

/// What a key has behind the text that the pattern begins with.
fn behind(pattern: &Pattern, key: &AttributeValue) -> AttributeValue {
    match (pattern.parts().first(), key) {
        (Some(Part::Literal(start)), AttributeValue::S(text)) => {
            text.strip_prefix(start.as_str()).unwrap_or(text).into()
        }
        _ => key.clone(),
    }
}

/// A value that the comparison with the key is true of.
fn around(comparison: &KeyComparison, key: &AttributeValue) -> AttributeValue {
    match comparison {
        KeyComparison::Compares(Comparison::GreaterThan(_)) => below(key),
        KeyComparison::Compares(Comparison::LessThan(_)) => above(key),
        _ => key.clone(),
    }
}

/// A value less than this one.
pub fn below(value: &AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::S(text) => {
            let mut text = text.clone();
            text.pop();
            AttributeValue::S(text)
        }
        AttributeValue::N(number) => moved(number, -1),
        other => other.clone(),
    }
}

/// A value greater than this one.
pub fn above(value: &AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::S(text) => AttributeValue::S(format!("{text}~")),
        AttributeValue::N(number) => moved(number, 1),
        other => other.clone(),
    }
}

fn moved(number: &Number, by: i64) -> AttributeValue {
    AttributeValue::N(number.checked_add(&Number::from(by)).unwrap_or(*number))
}

fn holds(comparison: &KeyComparison, values: &Item, found: &AttributeValue) -> bool {
    let wanted: Vec<_> =
        comparison.patterns().iter().filter_map(|text| rendered(text, values, found)).collect();
    let order = |at: usize| wanted.get(at).and_then(|wanted| compare(found, wanted));
    match comparison {
        KeyComparison::Equals(_) => order(0) == Some(Ordering::Equal),
        KeyComparison::Compares(comparison) => match comparison {
            Comparison::BeginsWith(_) => match (found, wanted.first()) {
                (AttributeValue::S(found), Some(AttributeValue::S(start))) => {
                    found.starts_with(start.as_str())
                }
                _ => false,
            },
            Comparison::Between(_) => {
                order(0).is_some_and(Ordering::is_ge) && order(1).is_some_and(Ordering::is_le)
            }
            Comparison::LessThan(_) => order(0).is_some_and(Ordering::is_lt),
            Comparison::AtMost(_) => order(0).is_some_and(Ordering::is_le),
            Comparison::GreaterThan(_) => order(0).is_some_and(Ordering::is_gt),
            Comparison::AtLeast(_) => order(0).is_some_and(Ordering::is_ge),
        },
    }
}

fn rendered(text: &str, values: &Item, like: &AttributeValue) -> Option<AttributeValue> {
    let text = Pattern::read(text).ok()?.render(values).ok()?;
    match like {
        AttributeValue::N(_) => text.parse().ok().map(AttributeValue::N),
        _ => Some(AttributeValue::S(text)),
    }
}

fn compare(one: &AttributeValue, other: &AttributeValue) -> Option<Ordering> {
    match (one, other) {
        (AttributeValue::S(one), AttributeValue::S(other)) => Some(one.cmp(other)),
        (AttributeValue::N(one), AttributeValue::N(other)) => Some(one.cmp(other)),
        _ => None,
    }
}
