//! An access pattern, made ready: its key condition with places for values.

use std::collections::BTreeMap;

use tables::document::{AccessPattern, Comparison, KeyComparison, SortDirection, Table};
use tables::pattern::{Part, Pattern};
use values::{AttributeType, AttributeValue, Item};

use crate::backend::Query;
use crate::error::Error;

/// An access pattern of a document.
pub(crate) struct Compiled {
    pub access: AccessPattern,
    /// The key attributes in the condition, the partition key first.
    keys: Vec<KeyPart>,
    /// What each parameter must be, if that is known. Values are in this order.
    parameters: Vec<(String, Option<AttributeType>)>,
    /// Words of the condition: attributes with `#word`, values with `:word`.
    pub condition_names: Vec<(String, String)>,
    pub condition_values: Vec<(String, String)>,
    /// Whether what is read is the whole item.
    pub whole: bool,
    /// The attributes that tell where a page ended.
    pub position: Vec<String>,
}

/// The values of a pattern's parameters, in their order.
pub(crate) type Values = Vec<Option<AttributeValue>>;

/// The condition on one key attribute.
struct KeyPart {
    name: String,
    is_number: bool,
    /// DynamoDB's text, with `#n` for the attribute and `:0`, `:1` for values.
    shape: &'static str,
    patterns: Vec<Pattern>,
}

impl Compiled {
    pub fn new(table: &Table, access: &AccessPattern) -> Compiled {
        let index = access.index.as_deref().and_then(|name| table.index(name));
        let names = index.map_or_else(|| table.key_names(), |index| index.key_names());
        let mut parameters = BTreeMap::new();
        let mut keys = Vec::new();
        for name in &names {
            let Some(comparison) = access.key_condition.get(*name) else { continue };
            let key_type = table.attribute_type(name);
            let texts = comparison.patterns().into_iter();
            let patterns: Vec<_> = texts.filter_map(|text| Pattern::read(text).ok()).collect();
            for pattern in &patterns {
                for placeholder in pattern.placeholders() {
                    // A parameter that is the whole of a key has the key's type.
                    let alone = (pattern.parts().len() == 1).then_some(key_type).flatten();
                    let wanted = table.attribute_type(placeholder).or(alone);
                    parameters.insert(placeholder.to_owned(), wanted);
                }
            }
            keys.push(KeyPart {
                name: (*name).to_owned(),
                is_number: key_type == Some(AttributeType::N),
                shape: shape(comparison),
                patterns,
            });
        }
        let condition = access.condition.as_deref().unwrap_or_default();
        let signed = |sign: char| -> Vec<_> {
            words_after(sign, condition)
                .map(|word| (format!("{sign}{word}"), word.to_owned()))
                .collect()
        };
        let condition_values = signed(':');
        for (_, word) in &condition_values {
            parameters.entry(word.clone()).or_insert(None);
        }
        let mut position: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        position.extend(table.key_names().into_iter().map(str::to_owned));
        Compiled {
            access: access.clone(),
            keys,
            parameters: parameters.into_iter().collect(),
            condition_names: signed('#'),
            condition_values,
            whole: index
                .is_none_or(|index| index.projection_type == tables::document::ProjectionType::All),
            position,
        }
    }

    /// No parameter has a value yet.
    pub fn no_values(&self) -> Values {
        vec![None; self.parameters.len()]
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|(known, _)| known == name)
    }

    /// The value of a parameter.
    pub fn value<'v>(&self, values: &'v Values, name: &str) -> Option<&'v AttributeValue> {
        values.get(self.place(name)?)?.as_ref()
    }

    /// The parameters that have values, by their names.
    pub fn named(&self, values: &Values) -> Item {
        let all = self.parameters.iter().zip(values);
        all.filter_map(|((name, _), value)| Some((name, value.clone()?))).collect()
    }

    /// Gives a parameter its value, if it may have it.
    pub fn set(&self, values: &mut Values, name: &str, value: AttributeValue) -> Result<(), Error> {
        let place = self.place(name);
        let Some((place, (_, wanted))) =
            place.and_then(|place| Some((values.get_mut(place)?, self.parameters.get(place)?)))
        else {
            let known: Vec<_> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Error::NotInDocuments(format!(
                "the access pattern {} has no parameter {name}: it has {}",
                self.access.id,
                known.join(", ")
            )));
        };
        let found = value.attribute_type();
        match wanted {
            Some(wanted) if *wanted != found => {
                Err(bad(name, format!("it has type {found}, and should have type {wanted}")))
            }
            _ => {
                *place = Some(value);
                Ok(())
            }
        }
    }

    /// The whole primary key, for an operation on one item.
    pub fn key(&self, values: &Values) -> Result<Item, Error> {
        let mut key = Item::new();
        for part in &self.keys {
            let Some(pattern) = part.patterns.first() else {
                return Err(bad(&part.name, "the pattern gives no value".to_owned()));
            };
            key.insert(&part.name, part.value(pattern, |name| self.value(values, name))?);
        }
        Ok(key)
    }

    /// The query, without table, limit and start.
    pub fn query(&self, values: &Values) -> Result<Query, Error> {
        let mut query = Query {
            index: self.access.index.clone(),
            consistent: self.access.consistent_read,
            descending: self.access.sort_direction == Some(SortDirection::Descending),
            ..Query::default()
        };
        for (at, part) in self.keys.iter().enumerate() {
            let name = format!("#k{at}");
            let mut text = part.shape.replace("#n", &name);
            for (which, pattern) in part.patterns.iter().enumerate() {
                let alias = format!(":k{at}v{which}");
                text = text.replace(&format!(":{which}"), &alias);
                let value = part.value(pattern, |name| self.value(values, name))?;
                query.values.insert(alias, value);
            }
            query.names.insert(name, part.name.clone());
            if at > 0 {
                query.key_condition.push_str(" AND ");
            }
            query.key_condition.push_str(&text);
        }
        Ok(query)
    }
}

impl KeyPart {
    fn value<'v>(
        &self,
        pattern: &Pattern,
        value_of: impl Fn(&str) -> Option<&'v AttributeValue>,
    ) -> Result<AttributeValue, Error> {
        let parts = pattern.parts();
        for (at, part) in parts.iter().enumerate() {
            let Part::Placeholder(name) = part else { continue };
            match value_of(name) {
                None => return Err(bad(name, "it has no value".to_owned())),
                Some(AttributeValue::S(text)) if text.is_empty() => {
                    return Err(bad(name, "it is empty".to_owned()));
                }
                // `a#b` and `c` would make the key of `a` and `b#c` (C1-18).
                Some(AttributeValue::S(text)) if at + 1 < parts.len() && text.contains('#') => {
                    return Err(bad(name, "it holds a #, which parts of a key".to_owned()));
                }
                Some(_) => {}
            }
        }
        if let ([Part::Placeholder(name)], true) = (parts, self.is_number)
            && let Some(number) = value_of(name)
        {
            return Ok(number.clone());
        }
        match pattern.render_with(value_of) {
            Ok(text) if self.is_number => {
                let number = text.parse().map(AttributeValue::N);
                number.map_err(|_| bad(&self.name, format!("{text} is not a number")))
            }
            Ok(text) => Ok(AttributeValue::S(text)),
            Err(lacking) => Err(bad(&lacking, "it cannot be a part of a key".to_owned())),
        }
    }
}

fn shape(comparison: &KeyComparison) -> &'static str {
    match comparison {
        KeyComparison::Equals(_) => "#n = :0",
        KeyComparison::Compares(comparison) => match comparison {
            Comparison::BeginsWith(_) => "begins_with(#n, :0)",
            Comparison::Between(_) => "#n BETWEEN :0 AND :1",
            Comparison::LessThan(_) => "#n < :0",
            Comparison::AtMost(_) => "#n <= :0",
            Comparison::GreaterThan(_) => "#n > :0",
            Comparison::AtLeast(_) => "#n >= :0",
        },
    }
}

pub(crate) fn bad(name: &str, message: String) -> Error {
    Error::BadParameter { name: name.to_owned(), message }
}

fn words_after(sign: char, text: &str) -> impl Iterator<Item = &str> {
    text.split(sign).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}
