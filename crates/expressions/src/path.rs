//! Document paths: as written, and with the `#names` replaced by what they stand for.

use std::fmt;

use values::{AttributeValue, Item};

use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::reserved::is_reserved;

/// A document path as written.
#[derive(Debug)]
pub(crate) struct RawPath<'t> {
    pub name: RawName<'t>,
    pub rest: Vec<RawSegment<'t>>,
}

/// A name in a document path as written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawName<'t> {
    /// A name that stands for itself.
    Bare(&'t str),
    /// A `#name`.
    Placeholder(&'t str),
}

/// One step of a document path as written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawSegment<'t> {
    Name(RawName<'t>),
    /// The digits of a list index.
    Index(&'t str),
}

impl RawPath<'_> {
    /// Refuses reserved words (rule 10) and list indexes beyond 31 bits, in the order written.
    pub fn check_words(&self, kind: ExpressionKind) -> Result<(), ExpressionError> {
        self.name.check_word(kind)?;
        self.rest.iter().try_for_each(|segment| match segment {
            RawSegment::Name(name) => name.check_word(kind),
            RawSegment::Index(digits) if digits.parse::<i32>().is_ok() => Ok(()),
            RawSegment::Index(digits) => {
                let problem = Problem::IndexOutOfRange((*digits).to_owned());
                Err(ExpressionError::Expression(kind, problem))
            }
        })
    }
}

impl RawName<'_> {
    fn check_word(&self, kind: ExpressionKind) -> Result<(), ExpressionError> {
        match self {
            RawName::Bare(name) if is_reserved(name) => {
                let problem = Problem::ReservedWord((*name).to_owned());
                Err(ExpressionError::Expression(kind, problem))
            }
            _ => Ok(()),
        }
    }
}

/// A document path: the name of a top-level attribute, and the way on from there.
///
/// Ordered element by element, list indexes as numbers: the order in which an update writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    pub name: String,
    pub rest: Vec<Segment>,
}

/// One step into a map or a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Segment {
    /// `.name`
    Name(String),
    /// `[index]`
    Index(usize),
}

impl Path {
    /// The path to a top-level attribute.
    pub fn top(name: impl Into<String>) -> Path {
        Path { name: name.into(), rest: Vec::new() }
    }

    /// Whether the path looks inside the top-level attribute.
    pub fn is_nested(&self) -> bool {
        !self.rest.is_empty()
    }

    /// The value at this path.
    pub fn find<'i>(&self, item: &'i Item) -> Option<&'i AttributeValue> {
        self.rest.iter().try_fold(item.get(&self.name)?, |value, segment| segment.step(value))
    }
}

impl Segment {
    /// The value one step further; `None` if there is none or the step does not suit its type.
    pub fn step<'i>(&self, value: &'i AttributeValue) -> Option<&'i AttributeValue> {
        match (self, value) {
            (Segment::Name(name), AttributeValue::M(map)) => map.get(name),
            (Segment::Index(index), AttributeValue::L(list)) => list.get(*index),
            _ => None,
        }
    }
}

/// As error texts show a path: `[a, [0], b]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.name)?;
        for segment in &self.rest {
            match segment {
                Segment::Name(name) => write!(f, ", {name}")?,
                Segment::Index(index) => write!(f, ", [{index}]")?,
            }
        }
        f.write_str("]")
    }
}

/// The names that a set of paths begins with, each once, in the order of the paths. With `nested`,
/// only of paths that look inside.
pub(crate) fn top_names<'p>(paths: impl Iterator<Item = &'p Path>, nested: bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for path in paths {
        if (!nested || path.is_nested()) && seen.insert(path.name.as_str()) {
            names.push(path.name.clone());
        }
    }
    names
}
