//! Whether an item is what its table's document says, on the way in and on the way out.

mod formats;
mod value;

use std::cmp::Ordering;
use std::fmt;

use values::{Item, name_order};

use crate::document::{Attribute, ItemType, KeyAttribute, PrimaryKey, Rule, Table};
use crate::pattern::{Comparison, Pattern, in_key};
use value::Path;

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
    /// Checks an item: types, required attributes, values, formats and key patterns. Gives its kind,
    /// or every problem.
    pub fn validate(&self, item: &Item) -> Result<&ItemType, Vec<ItemProblem>> {
        self.check(item, true)
    }

    /// Checks a part of an item, such as an index holds or an update sets: what is there, but not
    /// what is missing. The primary key is there.
    pub fn validate_part(&self, part: &Item) -> Result<&ItemType, Vec<ItemProblem>> {
        self.check(part, false)
    }

    fn check(&self, item: &Item, is_whole: bool) -> Result<&ItemType, Vec<ItemProblem>> {
        let mut problems = Problems::default();
        let only = self.only_kind_of(item).filter(|_| is_whole);
        let Some(kind) = only.or_else(|| self.kind_of(item)) else {
            self.report_unknown_kind(item, &mut problems);
            return Err(problems.0);
        };
        self.check_attributes(item, kind, is_whole, &mut problems);
        if only.is_none() {
            check_keys(item, kind, is_whole, &mut problems);
        }
        if problems.0.is_empty() { Ok(kind) } else { Err(problems.0) }
    }

    /// Which kind of item it is, by its primary key: of the patterns that fit, the most specific.
    pub fn kind_of(&self, item: &Item) -> Option<&ItemType> {
        let PrimaryKey { partition_key, sort_key } = &self.primary_key;
        let text_of = |key: &KeyAttribute| item.get(&key.name).and_then(in_key);
        let partition = text_of(partition_key);
        let sort = sort_key.as_ref().map(|key| (key, text_of(key)));
        let weight = |kind: &ItemType| {
            let of_partition = weight(kind, partition_key, partition.as_deref())?;
            let of_sort = sort.as_ref().map(|(key, text)| weight(kind, key, text.as_deref()));
            Some(of_partition + of_sort.unwrap_or(Some(0))?)
        };
        let fitting = self.item_types.iter().filter_map(|kind| Some((weight(kind)?, kind)));
        // Of equals the first: `max_by_key` would take the last.
        fitting.rev().max_by_key(|(weight, _)| *weight).map(|(_, kind)| kind)
    }

    /// The kind of an item whose keys are what their patterns give, if there is no other kind: nothing
    /// else needs to be asked about its keys.
    fn only_kind_of(&self, item: &Item) -> Option<&ItemType> {
        let [kind] = self.item_types.as_slice() else { return None };
        let is_same = |(key, pattern): &(String, Pattern)| {
            let found = item.get(key).and_then(in_key);
            matches!(pattern.compare(item, found.as_deref()), Comparison::Same)
        };
        kind.patterns().iter().all(is_same).then_some(kind)
    }

    /// The attributes that items of a kind may have.
    pub fn attributes_of<'t>(&'t self, kind: &'t ItemType) -> impl Iterator<Item = &'t Attribute> {
        self.attributes.iter().filter(|attribute| attribute.is_in(&kind.name))
    }

    /// Walks through the item and the kind's attributes side by side: both are in order of names.
    fn check_attributes(
        &self,
        item: &Item,
        kind: &ItemType,
        is_whole: bool,
        problems: &mut Problems,
    ) {
        let unknown = |name: &str, problems: &mut Problems| {
            if !self.additional_attributes {
                let message = format!("items of the kind {} have no such attribute", kind.name);
                problems.add(name, message);
            }
        };
        let mut rest = item.iter();
        let mut given = rest.next();
        for rule in self.rules_of(kind) {
            let found = loop {
                let Some((name, value)) = given else { break None };
                match name_order::compare(name, &rule.name) {
                    Ordering::Less => unknown(name, problems),
                    Ordering::Equal => break Some(value),
                    Ordering::Greater => break None,
                }
                given = rest.next();
            };
            match found {
                Some(value) => {
                    if !rule.is_free || value.attribute_type() != rule.attribute_type {
                        let attribute = &self.attributes[rule.place];
                        value::check(attribute, value, &Path::of(&rule.name), problems);
                    }
                    given = rest.next();
                }
                None if is_whole && rule.required => {
                    let description = &self.attributes[rule.place].description;
                    problems.add(&rule.name, format!("it is missing. {description}"));
                }
                None => {}
            }
        }
        given.into_iter().chain(rest).for_each(|(name, _)| unknown(name, problems));
    }

    /// What a kind's attributes must be, in order of names.
    fn rules_of<'t>(&'t self, kind: &'t ItemType) -> &'t [Rule] {
        kind.rules.get_or_init(|| {
            let all = self.attributes.iter().enumerate();
            let of_kind = all.filter(|(_, attribute)| attribute.is_in(&kind.name));
            let rule = |(place, attribute): (usize, &Attribute)| Rule {
                name: attribute.name.clone(),
                attribute_type: attribute.attribute_type,
                required: attribute.required,
                is_free: attribute.is_free(),
                place,
            };
            let mut rules: Vec<Rule> = of_kind.map(rule).collect();
            rules.sort_by(|one, other| one.name.cmp(&other.name));
            rules
        })
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

/// How much a kind's pattern says of a key that it fits.
fn weight(kind: &ItemType, key: &KeyAttribute, text: Option<&str>) -> Option<usize> {
    match kind.patterns().iter().find(|(name, _)| *name == key.name) {
        Some((_, pattern)) => pattern.fits(text?).then_some(pattern.literal_length()),
        // A key without a pattern may be anything; one with a broken pattern is nothing.
        None => (!kind.keys.contains_key(&key.name)).then_some(0),
    }
}

/// Keys have the value that their pattern gives, and those of a whole item are there if the pattern
/// gives one: an item without its index key would never be found through the index.
fn check_keys(item: &Item, kind: &ItemType, is_whole: bool, problems: &mut Problems) {
    for (key, pattern) in kind.patterns() {
        let found = item.get(key);
        let compared = pattern.compare(item, found.and_then(in_key).as_deref());
        let wanted = || pattern.render(item).unwrap_or_default();
        let message = match (found, compared) {
            (Some(_), Comparison::Other) => {
                format!("it should be {}, as {pattern} says", wanted())
            }
            (Some(_), Comparison::Lacking(lacking)) if is_whole => {
                format!("{pattern} needs the attribute {lacking}, which is missing")
            }
            (None, Comparison::Other) if is_whole => {
                format!("it is missing, and should be {}", wanted())
            }
            _ => continue,
        };
        problems.add(key, message);
    }
}
