//! Key patterns: `TENANT#{id}` is a literal and the value of an attribute.

use std::borrow::Cow;
use std::fmt;

use values::{AttributeValue, Item};

/// A pattern, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
    literal_length: usize,
}

/// Room for a rendered key: most take no more.
const RENDERED_BYTES: usize = 64;

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text that stands for itself.
    Literal(String),
    /// The value of an attribute, or a parameter.
    Placeholder(String),
}

/// Why a text is not a pattern: a brace without its partner, or nothing between two braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPattern;

impl Pattern {
    /// Reads a pattern.
    pub fn read(text: &str) -> Result<Pattern, BadPattern> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let close = rest[open..].find('}').ok_or(BadPattern)? + open;
            let (literal, name) = (&rest[..open], &rest[open + 1..close]);
            if literal.contains('}') || name.is_empty() || name.contains('{') {
                return Err(BadPattern);
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            parts.push(Part::Placeholder(name.to_owned()));
            rest = &rest[close + 1..];
        }
        if rest.contains('}') {
            return Err(BadPattern);
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        let length = |part: &Part| match part {
            Part::Literal(text) => text.chars().count(),
            Part::Placeholder(_) => 0,
        };
        let literal_length = parts.iter().map(length).sum();
        Ok(Pattern { parts, literal_length })
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names between braces, in order.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Placeholder(name) => Some(name.as_str()),
        })
    }

    /// Characters that stand for themselves: of two patterns that fit, the one with more says more.
    pub fn literal_length(&self) -> usize {
        self.literal_length
    }

    /// Whether a value could have been made from it.
    pub fn fits(&self, value: &str) -> bool {
        fits(&self.parts, value)
    }

    /// The value that the pattern has for an item, or the first attribute that it lacks.
    pub fn render(&self, item: &Item) -> Result<String, String> {
        self.render_with(|name| item.get(name))
    }

    /// The same for values that are found by their names.
    pub fn render_with<'v>(
        &self,
        value_of: impl Fn(&str) -> Option<&'v AttributeValue>,
    ) -> Result<String, String> {
        let mut text = String::with_capacity(RENDERED_BYTES);
        for part in &self.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Placeholder(name) => {
                    let value = value_of(name).and_then(in_key).ok_or_else(|| name.clone())?;
                    text.push_str(&value);
                }
            }
        }
        Ok(text)
    }
}

/// How a key's value compares with what its pattern has for the item.
pub(crate) enum Comparison<'a> {
    /// It is that.
    Same,
    /// It is that, but an attribute is empty, and the pattern does not fit.
    Gap,
    /// It is something else.
    Other,
    /// The item lacks an attribute that the pattern needs.
    Lacking(&'a str),
}

impl Pattern {
    /// Compares a key's value with what the pattern has for the item. Says what [`Pattern::render`]
    /// would, without making the text.
    pub(crate) fn compare(&self, item: &Item, found: Option<&str>) -> Comparison<'_> {
        let mut rest = found;
        let mut same = Comparison::Same;
        for part in &self.parts {
            let wanted = match part {
                Part::Literal(literal) => Cow::Borrowed(literal.as_str()),
                Part::Placeholder(name) => match item.get(name).and_then(in_key) {
                    Some(value) => value,
                    None => return Comparison::Lacking(name),
                },
            };
            if wanted.is_empty() {
                same = Comparison::Gap;
            }
            rest = rest.and_then(|rest| rest.strip_prefix(&*wanted));
        }
        if rest == Some("") { same } else { Comparison::Other }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Literal(text) => f.write_str(text)?,
                Part::Placeholder(name) => write!(f, "{{{name}}}")?,
            }
        }
        Ok(())
    }
}

/// A placeholder stands for at least one character.
fn fits(parts: &[Part], value: &str) -> bool {
    match parts {
        [] => value.is_empty(),
        [Part::Literal(literal), rest @ ..] => {
            value.strip_prefix(literal.as_str()).is_some_and(|value| fits(rest, value))
        }
        [Part::Placeholder(_)] => !value.is_empty(),
        [Part::Placeholder(_), Part::Literal(literal), rest @ ..] => {
            // A literal begins with the first byte of a character, so it is found nowhere within one.
            let (bytes, wanted) = (value.as_bytes(), literal.as_bytes());
            let begins = |at: &usize| bytes[*at] == wanted[0] && bytes[*at..].starts_with(wanted);
            let mut ends = (1..bytes.len()).filter(begins).map(|at| at + wanted.len());
            ends.any(|end| fits(rest, &value[end..]))
        }
        [Part::Placeholder(_), rest @ ..] => {
            value.char_indices().skip(1).any(|(at, _)| fits(rest, &value[at..]))
        }
    }
}

/// How a value is written within a key; not at all if its type cannot be.
pub fn in_key(value: &AttributeValue) -> Option<Cow<'_, str>> {
    match value {
        AttributeValue::S(text) => Some(text.into()),
        AttributeValue::N(number) => Some(number.to_string().into()),
        AttributeValue::Bool(flag) => Some(flag.to_string().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_literals_and_names() {
        let pattern = Pattern::read("HIERARCHY#{division}#{group}").unwrap();
        assert_eq!(pattern.placeholders().collect::<Vec<_>>(), ["division", "group"]);
        assert_eq!(pattern.literal_length(), 11);
        assert_eq!(pattern.to_string(), "HIERARCHY#{division}#{group}");
        for bad in ["{", "}", "a{}", "{a{b}}", "a}b{c}", "{a"] {
            assert_eq!(Pattern::read(bad), Err(BadPattern), "{bad}");
        }
    }

    #[test]
    fn a_pattern_fits_what_could_be_made_from_it() {
        let pattern = Pattern::read("A#{x}#{y}").unwrap();
        for (value, expected) in
            [("A#1#2", true), ("A#1#2#3", true), ("A##", false), ("A#1", false), ("B#1#2", false)]
        {
            assert_eq!(pattern.fits(value), expected, "{value}");
        }
        // A literal of several signs, found again where the first try fails; signs of several bytes.
        let pattern = Pattern::read("{x}a#ä{y}a#").unwrap();
        for (value, expected) in [
            ("1a#ä2a#", true),
            ("aa#äa#äa#", true),
            ("1a#ä2a#3a#", true),
            ("🍿a#ä🍿a#", true),
            ("a#ä2a#", false),
            ("1a#äa#", false),
            ("1a#ä2a", false),
            ("1a#Ã2a#", false),
        ] {
            assert_eq!(pattern.fits(value), expected, "{value}");
        }
        assert!(Pattern::read("METADATA").unwrap().fits("METADATA"));
        assert!(!Pattern::read("METADATA").unwrap().fits("METADATA#"));
    }

    #[test]
    fn a_pattern_is_rendered_from_an_item() {
        let item = Item::from([
            ("name", AttributeValue::from("Troop")),
            ("number", AttributeValue::N("123.0".parse().unwrap())),
        ]);
        assert_eq!(Pattern::read("{name}#{number}").unwrap().render(&item).unwrap(), "Troop#123");
        assert_eq!(Pattern::read("{city}").unwrap().render(&item), Err("city".to_owned()));
    }
}
