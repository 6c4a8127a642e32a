//! Attributes of items and fields of maps.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;
use values::{AttributeType, Number};

use crate::text_pattern::TextPattern;

/// One attribute of a table's items, or one field of a map.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attribute {
    /// Its name, exactly as stored.
    pub name: String,
    /// Its type.
    #[serde(rename = "type", deserialize_with = "attribute_type")]
    pub attribute_type: AttributeType,
    /// Whether every item of its kinds has it.
    pub required: bool,
    /// The kinds of item that have it; all if empty.
    #[serde(default)]
    pub item_types: Vec<String>,
    /// The only values accepted, unless empty.
    #[serde(default, rename = "enum")]
    pub choices: Vec<Value>,
    /// Usual values of an open list.
    #[serde(default)]
    pub suggested: Vec<String>,
    /// What a service stores when it is given nothing.
    pub default: Option<Value>,
    /// How the value is written.
    pub format: Option<Format>,
    /// Regular expression that the value matches.
    pub pattern: Option<String>,
    /// The same, read at the first use: reading it takes longer than matching.
    #[serde(skip)]
    pub(crate) compiled: OnceLock<Option<TextPattern>>,
    /// Fewest characters.
    pub min_length: Option<usize>,
    /// Most characters.
    pub max_length: Option<usize>,
    /// Smallest number.
    #[serde(default, deserialize_with = "number")]
    pub minimum: Option<Number>,
    /// Largest number.
    #[serde(default, deserialize_with = "number")]
    pub maximum: Option<Number>,
    /// Fields of a map; free if empty.
    #[serde(default)]
    pub attributes: Vec<Attribute>,
    /// What each element of a list is.
    pub elements: Option<Elements>,
    /// What it says.
    pub description: String,
    /// Decisions by which it departs from the source documents.
    #[serde(default)]
    pub decisions: Vec<String>,
}

/// What each element of a list is.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Elements {
    /// Type of the elements.
    #[serde(rename = "type", deserialize_with = "attribute_type")]
    pub attribute_type: AttributeType,
    /// The only values accepted, unless empty.
    #[serde(default, rename = "enum")]
    pub choices: Vec<Value>,
    /// How each is written.
    pub format: Option<Format>,
    /// Fields of each element that is a map.
    #[serde(default)]
    pub attributes: Vec<Attribute>,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `2026-01-05T14:30:00.000Z`: UTC, always with milliseconds, so that texts sort as times do.
    DateTime,
    /// `2026-01-05`.
    Date,
    /// An email address.
    Email,
    /// An absolute address with a scheme.
    Uri,
    /// A UUID in lower case.
    Uuid,
    /// A ULID.
    Ulid,
    /// An IPv4 or IPv6 address.
    Ip,
    /// 64 hexadecimal digits in lower case.
    Sha256,
    /// Whole seconds since 1970.
    EpochSeconds,
    /// Whole milliseconds since 1970.
    EpochMilliseconds,
    /// A whole number.
    Integer,
    /// A number with at most two decimal places.
    Money,
}

impl Format {
    /// Whether it is a way of writing numbers; the others are for strings.
    pub fn is_for_numbers(self) -> bool {
        matches!(
            self,
            Format::EpochSeconds | Format::EpochMilliseconds | Format::Integer | Format::Money
        )
    }

    /// Its name in the documents.
    pub const fn name(self) -> &'static str {
        match self {
            Format::DateTime => "date-time",
            Format::Date => "date",
            Format::Email => "email",
            Format::Uri => "uri",
            Format::Uuid => "uuid",
            Format::Ulid => "ulid",
            Format::Ip => "ip",
            Format::Sha256 => "sha256",
            Format::EpochSeconds => "epoch-seconds",
            Format::EpochMilliseconds => "epoch-milliseconds",
            Format::Integer => "integer",
            Format::Money => "money",
        }
    }
}

impl Attribute {
    /// Whether a text matches its pattern; one without a pattern takes any.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        let compiled = self.compiled.get_or_init(|| TextPattern::read(pattern));
        compiled.as_ref().is_some_and(|compiled| compiled.fits(text))
    }

    /// Whether every value of its type is accepted.
    pub(crate) fn is_free(&self) -> bool {
        self.choices.is_empty()
            && self.format.is_none()
            && self.pattern.is_none()
            && (self.min_length, self.max_length) == (None, None)
            && (&self.minimum, &self.maximum) == (&None, &None)
            && self.attributes.is_empty()
            && self.elements.is_none()
    }

    /// Whether items of a kind have it.
    pub fn is_in(&self, item_type: &str) -> bool {
        self.item_types.is_empty() || self.item_types.iter().any(|name| name == item_type)
    }

    /// Whether its text can be told apart from what follows it after a `#`.
    pub(crate) fn excludes_hash(&self) -> bool {
        let fixed = matches!(
            self.format,
            Some(Format::DateTime | Format::Date | Format::Uuid | Format::Ulid | Format::Sha256)
        );
        fixed
            || self.pattern.is_some()
            || !self.choices.is_empty()
            || self.attribute_type != AttributeType::S
    }
}

fn number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Number>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(from)? else { return Ok(None) };
    number.to_string().parse().map(Some).map_err(serde::de::Error::custom)
}

fn attribute_type<'de, D: serde::Deserializer<'de>>(from: D) -> Result<AttributeType, D::Error> {
    let name = String::deserialize(from)?;
    let unknown = || serde::de::Error::custom(format!("there is no type {name}"));
    AttributeType::from_descriptor(&name).ok_or_else(unknown)
}
