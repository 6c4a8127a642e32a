//! Conditions: `ConditionExpression`, `FilterExpression` and the legacy parameters like them.
//!
//! [`tree`] reads the text, [`check`] applies every rule that does not need an item and replaces
//! the placeholders, [`evaluate`] asks the question of an item. A key condition is first read as a
//! condition, as the service does.

use std::sync::Arc;

use values::{AttributeType, AttributeValue, Item};

use crate::error::{ExpressionError, ExpressionKind};
use crate::path::{Path, top_names};
use crate::placeholders::Placeholders;

mod check;
mod evaluate;
mod form;
pub(crate) mod known;
pub(crate) mod rules;
mod tree;

pub(crate) use evaluate::compare_order;
pub(crate) use rules::{is_orderable, is_string_or_binary};

/// A condition or a filter, ready to be asked of items. Owns everything it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Every node stands behind those it joins; the last one is the whole condition.
    nodes: Vec<Node>,
    names: Arc<[String]>,
    nested_names: Arc<[String]>,
}

/// A test, or how tests are joined. Nodes are named by their position in the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Test(Test),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// One question about an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    Compare(Comparator, Term, Term),
    Between(Term, Term, Term),
    In(Term, Vec<Term>),
    Exists(Path),
    NotExists(Path),
    HasType(Term, AttributeType),
    BeginsWith(Term, Term),
    Contains(Term, Term),
    /// The legacy NOT_CONTAINS: unlike `NOT contains(…)`, false of a missing attribute (ALT).
    ExistsWithout(Path, AttributeValue),
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a test looks at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    Path(Path),
    Value(AttributeValue),
    Size(Box<Term>),
    /// Whether a test is true of the item, as a boolean. Only PartiQL writes it:
    /// `attribute_exists(a) = b`.
    Truth(Box<Test>),
}

impl Condition {
    /// Whether the condition is true of this item. A missing item is an empty one.
    pub fn holds(&self, item: &Item) -> Result<bool, ExpressionError> {
        Ok(evaluate::holds(&self.nodes, item))
    }

    /// The top-level attributes it looks at, each once.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Those of [`Condition::attribute_names`] that it looks inside, with `.` or `[]`. Key
    /// attributes may not be among them.
    pub fn nested_attribute_names(&self) -> impl Iterator<Item = &str> {
        self.nested_names.iter().map(String::as_str)
    }

    /// Each value that a top-level attribute is compared with, behind the attribute's name.
    pub fn comparisons(&self) -> impl Iterator<Item = (&str, &AttributeValue)> {
        self.nodes.iter().flat_map(|node| match node {
            Node::Test(test) => test.comparisons(),
            Node::Not(_) | Node::All(_) | Node::Any(_) => Vec::new(),
        })
    }

    /// A condition of these nodes, the last of which is the whole.
    pub(crate) fn new(nodes: Vec<Node>) -> Condition {
        let paths = || nodes.iter().flat_map(Node::paths);
        let (names, nested_names) = (top_names(paths(), false), top_names(paths(), true));
        Condition { nodes, names: names.into(), nested_names: nested_names.into() }
    }

    /// The nodes, the last of which is the whole.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes, for a reader that knows a narrower language.
    pub(crate) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }
}

impl Comparator {
    /// As written in an expression.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }
}

impl Node {
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths: Vec<&Path> = match self {
            Node::Test(test) => test.paths(),
            Node::Not(_) | Node::All(_) | Node::Any(_) => Vec::new(),
        };
        paths.into_iter()
    }
}

impl Test {
    pub(crate) fn paths(&self) -> Vec<&Path> {
        let (path, terms): (Option<&Path>, Vec<&Term>) = match self {
            Test::Compare(_, one, two) | Test::BeginsWith(one, two) | Test::Contains(one, two) => {
                (None, vec![one, two])
            }
            Test::Between(term, low, high) => (None, vec![term, low, high]),
            Test::In(term, list) => (None, std::iter::once(term).chain(list).collect()),
            Test::HasType(term, _) => (None, vec![term]),
            Test::Exists(path) | Test::NotExists(path) | Test::ExistsWithout(path, _) => {
                (Some(path), Vec::new())
            }
        };
        path.into_iter().chain(terms.into_iter().flat_map(Term::paths)).collect()
    }

    fn comparisons(&self) -> Vec<(&str, &AttributeValue)> {
        let terms = match self {
            Test::Compare(_, one, two) => vec![one, two],
            Test::Between(term, low, high) => vec![term, low, high],
            Test::In(term, list) => std::iter::once(term).chain(list).collect(),
            _ => Vec::new(),
        };
        let attribute = terms.iter().find_map(|term| match term {
            Term::Path(path) if !path.is_nested() => Some(path.name.as_str()),
            _ => None,
        });
        let Some(attribute) = attribute else { return Vec::new() };
        let values = terms.into_iter().filter_map(|term| match term {
            Term::Value(value) => Some((attribute, value)),
            _ => None,
        });
        values.collect()
    }
}

impl Term {
    fn paths(&self) -> Vec<&Path> {
        match self {
            Term::Path(path) => vec![path],
            Term::Value(_) => Vec::new(),
            Term::Size(term) => term.paths(),
            Term::Truth(test) => test.paths(),
        }
    }

    /// The type, where it does not depend on the item.
    pub fn static_type(&self) -> Option<AttributeType> {
        match self {
            Term::Path(_) => None,
            Term::Value(value) => Some(value.attribute_type()),
            Term::Size(_) => Some(AttributeType::N),
            Term::Truth(_) => Some(AttributeType::Bool),
        }
    }
}

/// Reads a condition of any kind.
pub(crate) fn parse(
    kind: ExpressionKind,
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, ExpressionError> {
    let tree = tree::parse(kind, text)?;
    tree.check_words(kind)?;
    check::compile(kind, tree, placeholders).map(Condition::new)
}
