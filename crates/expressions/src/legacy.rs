//! The parameters that came before expressions: Expected, QueryFilter and ScanFilter, KeyConditions,
//! AttributeUpdates, AttributesToGet.
//!
//! Each is translated into what the expression for it would be. Names are taken as they are: a dot
//! in one is part of it, and no word is reserved. That a request does not mix these with
//! expressions (rule 7) is for the caller to see to.

use std::collections::BTreeMap;
use std::fmt;

use values::{AttributeValue, validate};

use crate::error::{ExpressionError, ExpressionKind, LegacyProblem};
use crate::path::Path;
use crate::path_tree::PathTree;
use crate::projection::Projection;

mod conditions;
mod updates;

pub use conditions::{expected, filter, key_condition};
pub use updates::attribute_updates;

/// `ComparisonOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal; true of a missing attribute.
    Ne,
    /// Equal to one of the values.
    In,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
    /// From the first value to the second, both included.
    Between,
    /// The attribute exists, whatever its type.
    NotNull,
    /// The attribute does not exist.
    Null,
    /// A part of the string or binary, a member of the set, an element of the list.
    Contains,
    /// The attribute exists and does not contain the value.
    NotContains,
    /// The string or binary begins with the value.
    BeginsWith,
}

impl ComparisonOperator {
    /// As written in requests.
    pub const fn name(self) -> &'static str {
        match self {
            ComparisonOperator::Eq => "EQ",
            ComparisonOperator::Ne => "NE",
            ComparisonOperator::In => "IN",
            ComparisonOperator::Le => "LE",
            ComparisonOperator::Lt => "LT",
            ComparisonOperator::Ge => "GE",
            ComparisonOperator::Gt => "GT",
            ComparisonOperator::Between => "BETWEEN",
            ComparisonOperator::NotNull => "NOT_NULL",
            ComparisonOperator::Null => "NULL",
            ComparisonOperator::Contains => "CONTAINS",
            ComparisonOperator::NotContains => "NOT_CONTAINS",
            ComparisonOperator::BeginsWith => "BEGINS_WITH",
        }
    }
}

impl fmt::Display for ComparisonOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `ConditionalOperator`: how the conditions on several attributes are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// All must hold. The default.
    And,
    /// One must hold.
    Or,
}

/// A condition of KeyConditions, QueryFilter or ScanFilter.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyCondition {
    /// How to compare.
    pub comparison_operator: ComparisonOperator,
    /// With what. Empty if the request left it out.
    pub attribute_value_list: Vec<AttributeValue>,
}

/// A condition of Expected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedAttributeValue {
    /// The value the attribute must have, or the one to compare with.
    pub value: Option<AttributeValue>,
    /// Whether the attribute must exist.
    pub exists: Option<bool>,
    /// How to compare.
    pub comparison_operator: Option<ComparisonOperator>,
    /// With what.
    pub attribute_value_list: Option<Vec<AttributeValue>>,
}

/// What to do with an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeAction {
    /// Replace it. The default.
    Put,
    /// Add to a number, a set or a list.
    Add,
    /// Remove it, or members of it.
    Delete,
}

/// One entry of AttributeUpdates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeValueUpdate {
    /// The operand of the action.
    pub value: Option<AttributeValue>,
    /// The action.
    pub action: Option<AttributeAction>,
}

/// Translates AttributesToGet.
pub fn attributes_to_get(names: &[String]) -> Result<Projection, ExpressionError> {
    for name in names {
        validate::name(name).map_err(LegacyProblem::Value)?;
    }
    let mut seen = std::collections::BTreeSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(LegacyProblem::DuplicateAttribute(name.clone()).into());
    }
    let paths: Vec<Path> = names.iter().map(Path::top).collect();
    let tree = PathTree::new(ExpressionKind::Projection, &paths)?;
    Ok(Projection::new(&paths, tree))
}

/// A ConditionalOperator needs conditions to join.
fn check_joined<T>(
    conditions: &BTreeMap<String, T>,
    operator: Option<ConditionalOperator>,
) -> Result<(), ExpressionError> {
    match (operator, conditions.len()) {
        (Some(_), 0) => Err(LegacyProblem::OperatorWithoutConditions.into()),
        (Some(_), 1) => Err(LegacyProblem::OperatorWithOneCondition.into()),
        _ => Ok(()),
    }
}
