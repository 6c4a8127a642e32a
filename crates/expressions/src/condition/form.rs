//! A condition without its values, to be filled with others.
//!
//! Only of conditions whose checks ask nothing of a value but its type: comparisons of paths and
//! values, and whether attributes exist. Others are read anew each time.

use std::collections::BTreeMap;

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
        let mut condition = self.condition.clone();
        for node in &mut condition.nodes {
            if let Node::Test(Test::Compare(comparator, left, right)) = node {
                fill(*comparator, left, &mut value_of)?;
                fill(*comparator, right, &mut value_of)?;
            }
        }
        Some(condition)
    }
}

fn fill<'v>(
    comparator: Comparator,
    term: &mut Term,
    value_of: &mut impl FnMut(&str) -> Option<&'v AttributeValue>,
) -> Option<()> {
    if let Term::Value(AttributeValue::S(sign)) = term {
        let value = value_of(sign)?;
        let takes_any = matches!(comparator, Comparator::Equal | Comparator::NotEqual);
        if !takes_any && !is_orderable(value.attribute_type()) {
            return None;
        }
        *term = Term::Value(value.clone());
    }
    Some(())
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
