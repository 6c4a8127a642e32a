//! Faults that show when an expression meets its language's narrower rules, the key or the item.

use std::fmt;

/// A key condition that is a fine condition but no key condition, or not one for this key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyConditionProblem {
    /// OR, NOT, IN, `<>`, or a function other than `begins_with`.
    Operator(String),
    /// `size(a)` inside a key condition.
    NestedOperation,
    /// BETWEEN or `begins_with` whose first operand is not a name.
    KeyNotFirst(&'static str),
    /// Two names in one condition.
    SeveralNames,
    /// No name in a condition.
    NoName,
    /// More conditions than the key has attributes.
    TooMany {
        /// Conditions in the request.
        given: usize,
        /// Attributes of the key.
        defined: usize,
    },
    /// The key attribute that no condition is about (rule 34).
    Missing(String),
    /// Hash attributes of a multi-attribute key without an equality.
    HashWithoutEquality(Vec<String>),
    /// Sort attributes without an equality before the attribute that has a condition.
    SortWithoutEquality(Vec<String>, String),
    /// A hash attribute compared otherwise than by equality.
    NotSupported,
    /// A value that is not of the key attribute's type.
    Type,
    /// A legacy operator that no key can be searched by.
    NotIndexable,
}

impl fmt::Display for KeyConditionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CONDITION: &str = "Invalid condition in KeyConditionExpression:";
        const EQUALITY: &str = "must have equality conditions specified in the query";
        match self {
            KeyConditionProblem::Operator(name) => {
                write!(f, "Invalid operator used in KeyConditionExpression: {name}")
            }
            KeyConditionProblem::NestedOperation => {
                f.write_str("KeyConditionExpressions cannot contain nested operations")
            }
            KeyConditionProblem::KeyNotFirst(name) => write!(
                f,
                "{CONDITION} {name} operator must have the key attribute as its first operand"
            ),
            KeyConditionProblem::SeveralNames => {
                write!(f, "{CONDITION} Multiple attribute names used in one condition")
            }
            KeyConditionProblem::NoName => write!(f, "{CONDITION} No key attribute specified"),
            KeyConditionProblem::TooMany { given, defined } => write!(
                f,
                "The number of query conditions ({given}) exceeds the number of key attributes \
                 defined in the schema ({defined})"
            ),
            KeyConditionProblem::Missing(name) => {
                write!(f, "Query condition missed key schema element: {name}")
            }
            KeyConditionProblem::HashWithoutEquality(names) => {
                write!(f, "HASH key attributes {} {EQUALITY}", names.join(", "))
            }
            KeyConditionProblem::SortWithoutEquality(names, last) => write!(
                f,
                "RANGE key attributes {} {EQUALITY} because a condition is present on key \
                 attribute {last}",
                names.join(", ")
            ),
            KeyConditionProblem::NotSupported => f.write_str("Query key condition not supported"),
            KeyConditionProblem::Type => f.write_str(
                "One or more parameter values were invalid: Condition parameter type does not \
                 match schema type",
            ),
            KeyConditionProblem::NotIndexable => {
                f.write_str("Attempted conditional constraint is not an indexable operation")
            }
        }
    }
}

/// An update that cannot be applied to the item as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateProblem {
    /// The parent of a path is missing, or no map or list as the path needs (rule 40).
    Path,
    /// A stored value of the wrong type (rule 41).
    OperandType,
    /// An attribute the right-hand side reads is not there.
    MissingAttribute,
    /// A stored value of the wrong type, in the words of legacy AttributeUpdates.
    LegacyType,
}

impl fmt::Display for UpdateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpdateProblem::Path => {
                "The document path provided in the update expression is invalid for update"
            }
            UpdateProblem::OperandType => {
                "An operand in the update expression has an incorrect data type"
            }
            UpdateProblem::MissingAttribute => {
                "The provided expression refers to an attribute that does not exist in the item"
            }
            UpdateProblem::LegacyType => "Type mismatch for attribute to update",
        })
    }
}
