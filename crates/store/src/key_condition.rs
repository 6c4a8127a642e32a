//! An access pattern, made ready: its key condition with places for values.

use std::collections::BTreeMap;

use tables::document::{
    AccessPattern, Comparison, KeyComparison, Parameter, Parameters, ProjectionType, SortDirection,
    Table,
};
use tables::pattern::{Part, Pattern, in_key};
use values::{AttributeValue, Item};

use crate::backend::Query;
use crate::error::Error;

/// An access pattern of a document.
pub(crate) struct Compiled {
    pub access: AccessPattern,
    /// The key attributes in the condition, the partition key first.
    keys: Vec<KeyPart>,
    /// DynamoDB's text of the key condition, and the names in it.
    key_condition: String,
    key_names: BTreeMap<String, String>,
    /// What is given each time, the key's first. Values are in this order.
    parameters: Vec<Parameter>,
    /// How many of them are the key's.
    pub key_parameters: usize,
    /// Attributes in the write's condition, with the names that it has for them.
    pub condition_names: Vec<(String, String)>,
    /// Values in the write's condition, with the names that it has for them.
    condition_values: Vec<(String, Source)>,
    /// Where the table has the kind of item that is stored.
    pub kind: Option<usize>,
    /// Whether what is read is the whole item.
    pub whole: bool,
    /// The attributes that tell where a page ended.
    pub position: Vec<String>,
}

/// The values of a pattern's parameters, in their order.
pub(crate) type Values = Vec<Option<AttributeValue>>;

/// Where a value comes from.
enum Source {
    /// The parameter in this place.
    Parameter(usize),
    /// The document.
    Constant(AttributeValue),
}

/// The condition on one key attribute.
struct KeyPart {
    name: String,
    is_number: bool,
    /// What it is compared with, and the name that the key condition has for that.
    templates: Vec<(String, Template)>,
}

/// A key pattern whose placeholders are places of parameters.
struct Template(Vec<Piece>);

enum Piece {
    Literal(String),
    Parameter(usize),
}

impl Compiled {
    pub fn new(table: &Table, access: &AccessPattern) -> Compiled {
        let Parameters { key, condition } = table.parameters(access);
        let key_parameters = key.len();
        let parameters: Vec<Parameter> = key.into_iter().chain(condition).collect();
        let place = |name: &str| parameters.iter().position(|known| known.name == name);
        let (mut keys, mut texts, mut key_names) = (Vec::new(), Vec::new(), BTreeMap::new());
        let names = table.queried_key_names(access);
        for name in &names {
            let Some(comparison) = access.key_condition.get(*name) else { continue };
            let part = KeyPart::new(table, name, comparison, keys.len(), place);
            let alias = format!("#k{}", keys.len());
            texts.push(part.text(shape(comparison), &alias));
            key_names.insert(alias, (*name).to_owned());
            keys.push(part);
        }
        let source = |word: &str| match access.values.get(word) {
            Some(constant) => Some(Source::Constant(constant.clone())),
            None => place(word).map(Source::Parameter),
        };
        let condition_values = access
            .condition_values()
            .filter_map(|word| Some((format!(":{word}"), source(word)?)))
            .collect();
        let condition_names =
            access.condition_names().map(|word| (format!("#{word}"), word.to_owned())).collect();
        let index = access.index.as_deref().and_then(|name| table.index(name));
        let position = names.iter().copied().chain(table.key_names()).map(str::to_owned);
        Compiled {
            keys,
            key_condition: texts.join(" AND "),
            key_names,
            key_parameters,
            condition_names,
            condition_values,
            kind: table.kind_named(access),
            whole: index.is_none_or(|index| index.projection_type == ProjectionType::All),
            position: position.collect(),
            access: access.clone(),
            parameters,
        }
    }

    /// No parameter has a value yet.
    pub fn no_values(&self) -> Values {
        vec![None; self.parameters.len()]
    }

    /// The value of a parameter.
    pub fn value<'v>(&self, values: &'v Values, name: &str) -> Option<&'v AttributeValue> {
        let place = self.parameters.iter().position(|known| known.name == name)?;
        values.get(place)?.as_ref()
    }

    /// Gives a parameter its value, if it may have it.
    pub fn set(&self, values: &mut Values, name: &str, value: AttributeValue) -> Result<(), Error> {
        let mut places = self.parameters.iter().zip(values.iter_mut());
        let Some((parameter, place)) = places.find(|(parameter, _)| parameter.name == name) else {
            let known: Vec<_> = self.parameters.iter().map(|known| known.name.as_str()).collect();
            return Err(Error::NotInDocuments(format!(
                "the access pattern {} has no parameter {name}: it has {}",
                self.access.id,
                known.join(", ")
            )));
        };
        let found = value.attribute_type();
        match parameter.attribute_type {
            Some(wanted) if wanted != found => {
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
            let Some((_, template)) = part.templates.first() else {
                return Err(bad(&part.name, "the pattern gives no value".to_owned()));
            };
            key.insert(&part.name, self.key_value(part, template, values)?);
        }
        Ok(key)
    }

    /// The query, without table, limit and start.
    pub fn query(&self, values: &Values) -> Result<Query, Error> {
        let mut query = Query {
            index: self.access.index.clone(),
            key_condition: self.key_condition.clone(),
            names: self.key_names.clone(),
            consistent: self.access.consistent_read,
            descending: self.access.sort_direction == Some(SortDirection::Descending),
            ..Query::default()
        };
        for part in &self.keys {
            for (alias, template) in &part.templates {
                let value = self.key_value(part, template, values)?;
                query.values.insert(alias.clone(), value);
            }
        }
        Ok(query)
    }

    /// The values of the write's condition, by the names that it has for them.
    pub fn condition_values<'v>(
        &'v self,
        values: &'v Values,
    ) -> impl Iterator<Item = Result<(&'v str, &'v AttributeValue), Error>> {
        self.condition_values.iter().map(|(alias, source)| match source {
            Source::Constant(constant) => Ok((alias.as_str(), constant)),
            Source::Parameter(place) => Ok((alias.as_str(), self.parameter(*place, values)?.1)),
        })
    }

    fn key_value(
        &self,
        part: &KeyPart,
        Template(pieces): &Template,
        values: &Values,
    ) -> Result<AttributeValue, Error> {
        if let ([Piece::Parameter(place)], true) = (&pieces[..], part.is_number) {
            return Ok(self.parameter(*place, values)?.1.clone());
        }
        let mut text = String::with_capacity(RENDERED_BYTES);
        for (at, piece) in pieces.iter().enumerate() {
            let place = match piece {
                Piece::Literal(literal) => {
                    text.push_str(literal);
                    continue;
                }
                Piece::Parameter(place) => *place,
            };
            let (name, value) = self.parameter(place, values)?;
            let Some(value) = in_key(value) else {
                return Err(bad(name, "it cannot be a part of a key".to_owned()));
            };
            if value.is_empty() {
                return Err(bad(name, "it is empty".to_owned()));
            }
            // `a#b` and `c` would make the key of `a` and `b#c` (C1-18).
            if at + 1 < pieces.len() && value.contains('#') {
                return Err(bad(name, "it holds a #, which parts of a key".to_owned()));
            }
            text.push_str(&value);
        }
        if part.is_number {
            let number = text.parse().map(AttributeValue::N);
            return number.map_err(|_| bad(&part.name, format!("{text} is not a number")));
        }
        Ok(AttributeValue::S(text))
    }

    /// A parameter's name and value.
    fn parameter<'v>(
        &'v self,
        place: usize,
        values: &'v Values,
    ) -> Result<(&'v str, &'v AttributeValue), Error> {
        let name = self.parameters.get(place).map_or("", |known| known.name.as_str());
        match values.get(place) {
            Some(Some(value)) => Ok((name, value)),
            _ => Err(bad(name, "it has no value".to_owned())),
        }
    }
}

/// Room for a rendered key: most take no more.
const RENDERED_BYTES: usize = 64;

impl KeyPart {
    fn new(
        table: &Table,
        name: &str,
        comparison: &KeyComparison,
        at: usize,
        place: impl Fn(&str) -> Option<usize>,
    ) -> KeyPart {
        let texts = comparison.patterns().into_iter();
        let patterns = texts.filter_map(|text| Pattern::read(text).ok());
        let templates = patterns.enumerate().map(|(which, pattern)| {
            let piece = |part: &Part| match part {
                Part::Literal(literal) => Some(Piece::Literal(literal.clone())),
                Part::Placeholder(name) => place(name).map(Piece::Parameter),
            };
            let pieces = pattern.parts().iter().filter_map(piece).collect();
            (format!(":k{at}v{which}"), Template(pieces))
        });
        KeyPart {
            name: name.to_owned(),
            is_number: table.attribute_type(name) == Some(values::AttributeType::N),
            templates: templates.collect(),
        }
    }

    /// DynamoDB's text: the shape with the names for the attribute and its values.
    fn text(&self, shape: &str, alias: &str) -> String {
        let text = shape.replace("#n", alias);
        let named = self.templates.iter().enumerate();
        named.fold(text, |text, (at, (alias, _))| text.replace(&format!(":{at}"), alias))
    }
}

/// DynamoDB's text, with `#n` for the attribute and `:0`, `:1` for values.
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
