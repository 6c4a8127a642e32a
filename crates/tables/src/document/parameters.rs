//! What the caller of an access pattern gives, and what kind of item it is about.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expressions::{Condition, Placeholders};
use values::{AttributeType, AttributeValue};

use super::{AccessPattern, Action, ItemType, KeyComparison, Table};
use crate::pattern::Pattern;

/// A value that an access pattern is given each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in braces in the key condition or after a colon in the condition.
    pub name: String,
    /// What it must be, if that is known.
    pub attribute_type: Option<AttributeType>,
}

/// The parameters of an access pattern, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Of the key condition, the partition key's first.
    pub key: Vec<Parameter>,
    /// Of the write's condition, without those that the document gives.
    pub condition: Vec<Parameter>,
}

impl Table {
    /// What an access pattern of this table is given.
    pub fn parameters(&self, access: &AccessPattern) -> Parameters {
        let mut parameters = Parameters::default();
        for name in self.queried_key_names(access) {
            let Some(comparison) = access.key_condition.get(name) else { continue };
            let key_type = self.attribute_type(name);
            let texts = comparison.patterns().into_iter();
            for pattern in texts.filter_map(|text| Pattern::read(text).ok()) {
                // A parameter that is the whole of a key has the key's type.
                let alone = (pattern.parts().len() == 1).then_some(key_type).flatten();
                for placeholder in pattern.placeholders() {
                    let attribute_type = self.attribute_type(placeholder).or(alone);
                    add(&mut parameters.key, placeholder, attribute_type);
                }
            }
        }
        let types = self.compared_types(access);
        for word in access.condition_values() {
            let is_known = parameters.key.iter().any(|known| known.name == word);
            if !is_known && !access.values.contains_key(word) {
                let attribute_type = types.get(word).copied().flatten();
                add(&mut parameters.condition, word, attribute_type);
            }
        }
        parameters
    }

    /// Names of the keys of the table, or of the index that an access pattern uses.
    pub fn queried_key_names(&self, access: &AccessPattern) -> Vec<&str> {
        let index = access.index.as_deref().and_then(|name| self.index(name));
        index.map_or_else(|| self.key_names(), |index| index.key_names())
    }

    /// Where among the kinds of item is the one whose primary key an access pattern names.
    pub fn kind_named(&self, access: &AccessPattern) -> Option<usize> {
        let names = self.key_names();
        let is_named = |kind: &ItemType| {
            names.iter().all(|key| match (access.key_condition.get(*key), kind.keys.get(*key)) {
                (Some(KeyComparison::Equals(named)), Some(own)) => named == own,
                _ => false,
            })
        };
        self.item_types.iter().position(is_named)
    }

    /// A number that differs if functions for the access patterns and kinds of item would: if one of
    /// them, or a parameter or filter of one, is another one or stands elsewhere.
    pub fn fingerprint(&self) -> u64 {
        let mut text = String::new();
        for access in &self.access_patterns {
            let Parameters { key, condition } = self.parameters(access);
            let action = access.write_action().map(Action::name);
            let _ = write!(text, "{} {} {action:?}", access.id, access.operation.name());
            let _ = write!(text, "{key:?}{condition:?}{:?}", access.filter);
        }
        for kind in &self.item_types {
            let _ = write!(text, "{};", kind.name);
        }
        // FNV-1a: short, and the same everywhere.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// The type of each attribute that a value is compared with, by the value's word; nothing where
    /// two differ.
    fn compared_types(&self, access: &AccessPattern) -> BTreeMap<String, Option<AttributeType>> {
        let mut types = BTreeMap::new();
        let Some(Ok(condition)) = access.parsed_condition() else { return types };
        for (attribute, value) in condition.comparisons() {
            let AttributeValue::S(text) = value else { continue };
            let Some((_, word)) = text.split_once(' ') else { continue };
            let found = self.attribute_type(attribute);
            let known = types.entry(word.to_owned()).or_insert(found);
            if *known != found {
                *known = None;
            }
        }
        types
    }
}

impl AccessPattern {
    /// The attributes that the condition names with `#word`.
    pub fn condition_names(&self) -> impl Iterator<Item = &str> {
        words_after('#', self.condition.as_deref().unwrap_or_default())
    }

    /// The values that the condition names with `:word`.
    pub fn condition_values(&self) -> impl Iterator<Item = &str> {
        words_after(':', self.condition.as_deref().unwrap_or_default())
    }

    /// The condition, in which each value is a text of its place and its word, so that of two bounds
    /// the first is the lower one; or why DynamoDB refuses it.
    pub(crate) fn parsed_condition(&self) -> Option<Result<Condition, String>> {
        let text = self.condition.as_deref()?;
        let names: BTreeMap<String, String> =
            self.condition_names().map(|word| (format!("#{word}"), word.to_owned())).collect();
        let values: BTreeMap<String, AttributeValue> = self
            .condition_values()
            .enumerate()
            .map(|(place, word)| (format!(":{word}"), format!("{place:03} {word}").into()))
            .collect();
        let placeholders = Placeholders::new(
            Some(&names).filter(|names| !names.is_empty()),
            Some(&values).filter(|values| !values.is_empty()),
        );
        let parsed = placeholders.and_then(|mut placeholders| placeholders.condition(text));
        Some(parsed.map_err(|error| error.to_string()))
    }
}

fn add(parameters: &mut Vec<Parameter>, name: &str, attribute_type: Option<AttributeType>) {
    if parameters.iter().all(|known| known.name != name) {
        parameters.push(Parameter { name: name.to_owned(), attribute_type });
    }
}

fn words_after(sign: char, text: &str) -> impl Iterator<Item = &str> {
    text.split(sign).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}
