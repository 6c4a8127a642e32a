//! A condition without its values, to be filled with others.
//!
//! Only of conditions whose checks ask nothing of a value but its type: comparisons of paths and
//! values, and whether attributes exist. Others are read anew each time.

use std::collections::BTreeMap;
use std::sync::Arc;

use values::AttributeValue;

use super::rules::is_orderable;
use super::{Comparator, Condition, Node, Term, Test, parse};
use crate::error::ExpressionKind;
use crate::placeholders::Placeholders;

/// A condition in which each value is a text, the placeholder that it stands for.
#[derive(Clone)]
pub(crate) struct Form {
    condition: Condition,
    used_names: Vec<String>,
}

impl Form {
    /// Reads a condition that was found to be right with these values; nothing if it has no form.
    pub fn read(
        text: &str,
        names: Option<&BTreeMap<String, String>>,
        values: Option<&BTreeMap<String, AttributeValue>>,
    ) -> Option<Form> {
        let itself = |sign: &String| (sign.clone(), AttributeValue::S(sign.clone()));
        let values: Option<BTreeMap<_, _>> = values.map(|all| all.keys().map(itself).collect());
        let mut placeholders = Placeholders::alone(names, values.as_ref());
        let condition = parse(ExpressionKind::Condition, text, &mut placeholders).ok()?;
        let used_names = placeholders.used_names().map(str::to_owned).collect();
        condition.nodes.iter().all(has_form).then_some(Form { condition, used_names })
    }

    /// The names that it uses.
    pub fn used_names(&self) -> &[String] {
        &self.used_names
    }

    /// The condition with values; nothing if one is not there, or may not stand where it would.
    pub fn filled<'v>(
        &self,
        mut value_of: impl FnMut(&str) -> Option<&'v AttributeValue>,
    ) -> Option<Condition> {
        let Condition { nodes, names, nested_names } = &self.condition;
        let filled = |node: &Node| match node {
            Node::Test(Test::Compare(comparator, left, right)) => {
                let left = filled(*comparator, left, &mut value_of)?;
                let right = filled(*comparator, right, &mut value_of)?;
                Some(Node::Test(Test::Compare(*comparator, left, right)))
            }
            other => Some(other.clone()),
        };
        let nodes = nodes.iter().map(filled).collect::<Option<_>>()?;
        let (names, nested_names) = (Arc::clone(names), Arc::clone(nested_names));
        Some(Condition { nodes, names, nested_names })
    }
}

fn filled<'v>(
    comparator: Comparator,
    term: &Term,
    value_of: &mut impl FnMut(&str) -> Option<&'v AttributeValue>,
) -> Option<Term> {
    let Term::Value(AttributeValue::S(sign)) = term else { return Some(term.clone()) };
    let value = value_of(sign)?;
    let takes_any = matches!(comparator, Comparator::Equal | Comparator::NotEqual);
    let may_stand = takes_any || is_orderable(value.attribute_type());
    may_stand.then(|| Term::Value(value.clone()))
}

fn has_form(node: &Node) -> bool {
    let is_plain = |term: &Term| matches!(term, Term::Path(_) | Term::Value(_));
    match node {
        Node::Not(_) | Node::All(_) | Node::Any(_) => true,
        Node::Test(Test::Exists(_) | Test::NotExists(_)) => true,
        Node::Test(Test::Compare(_, left, right)) => is_plain(left) && is_plain(right),
        Node::Test(_) => false,
    }
}
