//! One request's ExpressionAttributeNames and ExpressionAttributeValues, and which of them its
//! expressions used.

use std::collections::BTreeMap;

use values::limits::{NESTING_LEVELS_MAX, PLACEHOLDER_BYTES_MAX};
use values::{AttributeValue, validate};

use crate::condition::{self, Condition, known};
use crate::error::{
    ExpressionError, ExpressionKind, OperandProblem, PlaceholderMap, operand_error,
};
use crate::key_condition::KeyCondition;
use crate::path::{Path, RawName, RawPath, RawSegment, Segment};
use crate::projection::{self, Projection};
use crate::token::is_placeholder;
use crate::update::{self, Update};

/// One request's ExpressionAttributeNames and ExpressionAttributeValues, and which of them its
/// expressions used. All expressions of a request are read through one of these, then
/// [`Placeholders::finish`] reports what none of them used.
#[derive(Debug)]
pub struct Placeholders<'a> {
    names: Option<&'a BTreeMap<String, String>>,
    values: Option<&'a BTreeMap<String, AttributeValue>>,
    /// As often as they are used: a list takes less than a set, and is sorted once.
    used_names: Vec<&'a str>,
    used_values: Vec<&'a str>,
}

impl<'a> Placeholders<'a> {
    /// Checks the maps themselves: that neither is empty, that the keys read as placeholders, that
    /// the names and values could be stored.
    pub fn new(
        names: Option<&'a BTreeMap<String, String>>,
        values: Option<&'a BTreeMap<String, AttributeValue>>,
    ) -> Result<Self, ExpressionError> {
        if let Some(names) = names {
            check_keys(PlaceholderMap::Names, '#', names)?;
            check_content(PlaceholderMap::Names, names, |name| validate::name(name))?;
        }
        if let Some(values) = values {
            check_keys(PlaceholderMap::Values, ':', values)?;
            check_content(PlaceholderMap::Values, values, validate::value)?;
        }
        Ok(Placeholders::alone(names, values))
    }

    /// Those of a condition that is read for itself, of maps that were checked.
    pub(crate) fn alone(
        names: Option<&'a BTreeMap<String, String>>,
        values: Option<&'a BTreeMap<String, AttributeValue>>,
    ) -> Self {
        let (used_names, used_values) = <_>::default();
        Placeholders { names, values, used_names, used_values }
    }

    /// The names that expressions have used so far.
    pub(crate) fn used_names(&self) -> impl Iterator<Item = &'a str> {
        self.used_names.iter().copied()
    }

    /// Reads a `ConditionExpression`.
    pub fn condition(&mut self, text: &str) -> Result<Condition, ExpressionError> {
        if let Some(condition) = self.known_condition(text) {
            return Ok(condition);
        }
        let condition = condition::parse(ExpressionKind::Condition, text, self)?;
        known::remember(text, self.names, self.values);
        Ok(condition)
    }

    fn known_condition(&mut self, text: &str) -> Option<Condition> {
        let (names, values) = (self.names, self.values);
        known::find(text, names, |form| {
            let condition = form.filled(|sign| {
                let (key, value) = values?.get_key_value(sign)?;
                self.used_values.push(key);
                Some(value)
            })?;
            let used = form.used_names().iter().filter_map(|used| names?.get_key_value(used));
            self.used_names.extend(used.map(|(key, _)| key.as_str()));
            Some(condition)
        })
    }

    /// Reads a `FilterExpression`.
    pub fn filter(&mut self, text: &str) -> Result<Condition, ExpressionError> {
        condition::parse(ExpressionKind::Filter, text, self)
    }

    /// Reads a `KeyConditionExpression`. Which key it is for is said later, to
    /// [`KeyCondition::resolve`].
    pub fn key_condition(&mut self, text: &str) -> Result<KeyCondition, ExpressionError> {
        KeyCondition::from_condition(condition::parse(ExpressionKind::KeyCondition, text, self)?)
    }

    /// Reads a `ProjectionExpression`.
    pub fn projection(&mut self, text: &str) -> Result<Projection, ExpressionError> {
        projection::parse(text, self)
    }

    /// Reads an `UpdateExpression`.
    pub fn update(&mut self, text: &str) -> Result<Update, ExpressionError> {
        update::parse(text, self)
    }

    /// Every name and every value must have been used by an expression (rule 6).
    pub fn finish(self) -> Result<(), ExpressionError> {
        check_used(PlaceholderMap::Names, self.names, self.used_names)?;
        check_used(PlaceholderMap::Values, self.values, self.used_values)
    }

    /// A path with its `#names` replaced.
    pub(crate) fn path(
        &mut self,
        kind: ExpressionKind,
        raw: &RawPath<'_>,
    ) -> Result<Path, ExpressionError> {
        let name = self.name(kind, raw.name)?;
        let mut rest = Vec::with_capacity(raw.rest.len());
        for segment in &raw.rest {
            rest.push(match segment {
                RawSegment::Name(name) => Segment::Name(self.name(kind, *name)?),
                // Out of range was refused before; see RawPath::check_words.
                RawSegment::Index(digits) => Segment::Index(digits.parse().unwrap_or(usize::MAX)),
            });
        }
        let levels = 1 + rest.len();
        if levels > NESTING_LEVELS_MAX {
            return Err(operand_error(kind, OperandProblem::PathTooDeep(levels)));
        }
        Ok(Path { name, rest })
    }

    fn name(&mut self, kind: ExpressionKind, raw: RawName<'_>) -> Result<String, ExpressionError> {
        let placeholder = match raw {
            RawName::Bare(name) => return Ok(name.to_owned()),
            RawName::Placeholder(placeholder) => placeholder,
        };
        let entry = self.names.and_then(|names| names.get_key_value(placeholder));
        let (key, name) = entry.ok_or_else(|| {
            operand_error(kind, OperandProblem::UndefinedName(placeholder.to_owned()))
        })?;
        self.used_names.push(key);
        Ok(name.clone())
    }

    /// What a `:value` stands for.
    pub(crate) fn value(
        &mut self,
        kind: ExpressionKind,
        placeholder: &str,
    ) -> Result<&'a AttributeValue, ExpressionError> {
        let entry = self.values.and_then(|values| values.get_key_value(placeholder));
        let (key, value) = entry.ok_or_else(|| {
            operand_error(kind, OperandProblem::UndefinedValue(placeholder.to_owned()))
        })?;
        self.used_values.push(key);
        Ok(value)
    }
}

fn check_keys<T>(
    map: PlaceholderMap,
    sign: char,
    entries: &BTreeMap<String, T>,
) -> Result<(), ExpressionError> {
    if entries.is_empty() {
        return Err(ExpressionError::EmptyMap(map));
    }
    for key in entries.keys() {
        if key.len() > PLACEHOLDER_BYTES_MAX {
            return Err(ExpressionError::LongPlaceholder(map, key.len()));
        }
        if !is_placeholder(key, sign) {
            return Err(ExpressionError::BadPlaceholder(map, key.clone()));
        }
    }
    Ok(())
}

fn check_content<T>(
    map: PlaceholderMap,
    entries: &BTreeMap<String, T>,
    check: impl Fn(&T) -> Result<(), values::ValueError>,
) -> Result<(), ExpressionError> {
    entries.iter().try_for_each(|(key, content)| {
        check(content).map_err(|error| ExpressionError::BadContent(map, key.clone(), error))
    })
}

fn check_used<T>(
    map: PlaceholderMap,
    entries: Option<&BTreeMap<String, T>>,
    mut used: Vec<&str>,
) -> Result<(), ExpressionError> {
    used.sort_unstable();
    let unused: Vec<String> = entries
        .into_iter()
        .flat_map(BTreeMap::keys)
        .filter(|key| used.binary_search(&key.as_str()).is_err())
        .cloned()
        .collect();
    if unused.is_empty() { Ok(()) } else { Err(ExpressionError::Unused(map, unused)) }
}
