//! Whether an item is what its table's document says, on the way in and on the way out.

mod formats;
mod value;

use std::fmt;

use values::Item;

use crate::document::{Attribute, ItemType, Table};
use crate::pattern::in_key;

/// Something about an item that its table's document does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemProblem {
    /// The attribute, with the path to a field within it.
    pub attribute: String,
    /// What is wrong with it, and what it should be.
    pub message: String,
}

impl fmt::Display for ItemProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.attribute, self.message)
    }
}

/// Collects problems.
#[derive(Default)]
struct Problems(Vec<ItemProblem>);

impl Problems {
    fn add(&mut self, attribute: impl Into<String>, message: impl Into<String>) {
        self.0.push(ItemProblem { attribute: attribute.into(), message: message.into() });
    }
}

impl Table {
    /// Checks an item: types, required attributes, values, formats and key patterns. Gives every
    /// problem.
    pub fn validate(&self, item: &Item) -> Result<(), Vec<ItemProblem>> {
        let mut problems = Problems::default();
        match self.kind_of(item) {
            Some(kind) => {
                self.check_attributes(item, kind, &mut problems);
                check_keys(item, kind, &mut problems);
            }
            None => self.report_unknown_kind(item, &mut problems),
        }
        if problems.0.is_empty() { Ok(()) } else { Err(problems.0) }
    }

    /// Checks a part of an item, such as an index holds or an update sets: what is there, but not
    /// what is missing. The primary key is there.
    pub fn validate_part(&self, part: &Item) -> Result<(), Vec<ItemProblem>> {
        let mut problems = Problems::default();
        match self.kind_of(part) {
            Some(kind) => {
                self.check_present(part, kind, &mut problems);
                check_present_keys(part, kind, &mut problems);
            }
            None => self.report_unknown_kind(part, &mut problems),
        }
        if problems.0.is_empty() { Ok(()) } else { Err(problems.0) }
    }

    /// Which kind of item it is, by its primary key: of the patterns that fit, the most specific.
    pub fn kind_of(&self, item: &Item) -> Option<&ItemType> {
        let weight = |kind: &ItemType| -> Option<usize> {
            let mut weight = 0;
            for name in self.key_names() {
                if !kind.keys.contains_key(name) {
                    continue;
                }
                let pattern = kind.patterns().get(name)?;
                if !pattern.fits(&in_key(item.get(name)?)?) {
                    return None;
                }
                weight += pattern.literal_length();
            }
            Some(weight)
        };
        let fitting = self.item_types.iter().filter_map(|kind| Some((weight(kind)?, kind)));
        // Of equals the first: `max_by_key` would take the last.
        fitting.rev().max_by_key(|(weight, _)| *weight).map(|(_, kind)| kind)
    }

    /// The attributes that items of a kind may have.
    pub fn attributes_of<'t>(&'t self, kind: &'t ItemType) -> impl Iterator<Item = &'t Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_in(&kind.name))
    }

    fn check_attributes(&self, item: &Item, kind: &ItemType, problems: &mut Problems) {
        for attribute in self.attributes_of(kind) {
            if attribute.required && !item.contains_key(&attribute.name) {
                let message = format!("it is missing. {}", attribute.description);
                problems.add(&attribute.name, message);
            }
        }
        self.check_present(item, kind, problems);
    }

    fn check_present(&self, item: &Item, kind: &ItemType, problems: &mut Problems) {
        for attribute in self.attributes_of(kind) {
            if let Some(value) = item.get(&attribute.name) {
                value::check(attribute, value, &attribute.name, problems);
            }
        }
        if self.additional_attributes {
            return;
        }
        for name in item.keys() {
            if !self.attributes_of(kind).any(|known| known.name == *name) {
                let message = format!("items of the kind {} have no such attribute", kind.name);
                problems.add(name, message);
            }
        }
    }

    fn report_unknown_kind(&self, item: &Item, problems: &mut Problems) {
        for name in self.key_names() {
            let patterns = self.item_types.iter().filter_map(|kind| kind.keys.get(name));
            let mut patterns: Vec<_> = patterns.map(String::as_str).collect();
            patterns.dedup();
            let patterns = patterns.join(", ");
            let message = match item.get(name) {
                None => format!("the key is missing; it is one of {patterns}"),
                Some(_) => format!("no kind of item has such a key; it is one of {patterns}"),
            };
            problems.add(name, message);
        }
    }
}

/// Keys that are there have the value that their pattern gives, if that can be told.
fn check_present_keys(item: &Item, kind: &ItemType, problems: &mut Problems) {
    for (key, pattern) in kind.patterns() {
        let Some(found) = item.get(key).map(in_key) else { continue };
        let wanted = pattern.render(item).ok();
        if let Some(wanted) = wanted.filter(|wanted| found.as_ref() != Some(wanted)) {
            problems.add(key, format!("it should be {wanted}, as {pattern} says"));
        }
    }
}

/// Keys have the value that their pattern gives, and are there if the pattern gives one: an item
/// without its index key would never be found through the index.
fn check_keys(item: &Item, kind: &ItemType, problems: &mut Problems) {
    for (key, pattern) in kind.patterns() {
        match (item.get(key).map(in_key), pattern.render(item)) {
            (Some(found), Ok(wanted)) if found.as_deref() != Some(wanted.as_str()) => {
                problems.add(key, format!("it should be {wanted}, as {pattern} says"));
            }
            (Some(_), Err(lacking)) => {
                problems
                    .add(key, format!("{pattern} needs the attribute {lacking}, which is missing"));
            }
            (None, Ok(wanted)) => {
                problems.add(key, format!("it is missing, and should be {wanted}"));
            }
            _ => {}
        }
    }
}
