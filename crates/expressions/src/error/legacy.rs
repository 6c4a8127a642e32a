//! Faults of the legacy parameters.

use std::fmt;

use values::{AttributeType, ValueError};

use crate::legacy::ComparisonOperator;

/// What is wrong with a legacy parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LegacyProblem {
    /// ConditionalOperator without any condition to join.
    OperatorWithoutConditions,
    /// ConditionalOperator with a single condition.
    OperatorWithOneCondition,
    /// Parts of an Expected condition do not go together; of the one on this attribute.
    Expected(ExpectedProblem, String),
    /// Too few or too many values for the operator.
    ArgumentCount(ComparisonOperator),
    /// A value of a type the operator cannot take.
    ArgumentType(ComparisonOperator, AttributeType),
    /// Values of several types in one list.
    MixedTypes,
    /// The lower bound of BETWEEN is above the upper one.
    BetweenOrder,
    /// KeyConditions without any condition.
    NoKeyConditions,
    /// An update without a value whose action is not DELETE.
    ActionWithoutValue,
    /// ADD of a value that is no number, set or list.
    AddType(AttributeType),
    /// DELETE of a value that is no set.
    DeleteType(AttributeType),
    /// An attribute named twice in AttributesToGet.
    DuplicateAttribute(String),
    /// A value or a name that could not be stored.
    Value(ValueError),
}

impl LegacyProblem {
    /// See [`crate::ExpressionError::in_envelope_of_writes`].
    pub(super) fn in_envelope_of_writes(&self) -> bool {
        !matches!(
            self,
            LegacyProblem::ActionWithoutValue
                | LegacyProblem::AddType(_)
                | LegacyProblem::DeleteType(_)
        )
    }
}

impl fmt::Display for LegacyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "One or more parameter values were invalid: ";
        match self {
            LegacyProblem::OperatorWithoutConditions => {
                f.write_str("ConditionalOperator cannot be used without Filter or Expected")
            }
            LegacyProblem::OperatorWithOneCondition => f.write_str(
                "ConditionalOperator can only be used when Filter or Expected has two or more \
                 elements",
            ),
            LegacyProblem::BetweenOrder => f.write_str(
                "The BETWEEN condition was provided a range where the lower bound is greater than \
                 the upper bound",
            ),
            LegacyProblem::NoKeyConditions => {
                f.write_str("Conditions can be of length 1 or 2 only")
            }
            LegacyProblem::Value(error) => fmt::Display::fmt(error, f),
            LegacyProblem::Expected(problem, name) => {
                write!(f, "{INVALID}{problem} for Attribute: {name}")
            }
            LegacyProblem::ArgumentCount(operator) => {
                write!(
                    f,
                    "{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
                )
            }
            LegacyProblem::ArgumentType(operator, attribute_type) => write!(
                f,
                "{INVALID}ComparisonOperator {operator} is not valid for {attribute_type} AttributeValue type"
            ),
            LegacyProblem::MixedTypes => {
                write!(f, "{INVALID}AttributeValues inside AttributeValueList must be of same type")
            }
            LegacyProblem::ActionWithoutValue => {
                write!(
                    f,
                    "{INVALID}Only DELETE action is allowed when no attribute value is specified"
                )
            }
            LegacyProblem::AddType(attribute_type) => {
                write!(f, "{INVALID}ADD action is not supported for the type {attribute_type}")
            }
            LegacyProblem::DeleteType(attribute_type) => {
                write!(
                    f,
                    "{INVALID}DELETE action with value is not supported for the type {attribute_type}"
                )
            }
            LegacyProblem::DuplicateAttribute(name) => {
                write!(f, "{INVALID}Duplicate value in attribute name: {name}")
            }
        }
    }
}

/// What does not go together in a condition of Expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedProblem {
    /// `Exists` next to a ComparisonOperator.
    ExistsAndOperator,
    /// `Value` next to an AttributeValueList.
    ValueAndList,
    /// An AttributeValueList without a ComparisonOperator.
    ListWithoutOperator,
    /// A ComparisonOperator that needs a value and has none.
    OperatorWithoutValue(ComparisonOperator),
    /// `Exists` is true, or not given, and there is no `Value`.
    ValueRequired(Option<bool>),
    /// `Exists` is false and there is a `Value`.
    ValueForbidden,
}

impl fmt::Display for ExpectedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedProblem::ExistsAndOperator => {
                f.write_str("Exists and ComparisonOperator cannot be used together")
            }
            ExpectedProblem::ValueAndList => {
                f.write_str("Value and AttributeValueList cannot be used together")
            }
            ExpectedProblem::ListWithoutOperator => {
                f.write_str("AttributeValueList can only be used with a ComparisonOperator")
            }
            ExpectedProblem::OperatorWithoutValue(operator) => write!(
                f,
                "Value or AttributeValueList must be used with ComparisonOperator: {operator}"
            ),
            ExpectedProblem::ValueRequired(exists) => {
                let exists = exists.map_or("null", |exists| if exists { "true" } else { "false" });
                write!(f, "Value must be provided when Exists is {exists}")
            }
            ExpectedProblem::ValueForbidden => {
                f.write_str("Value cannot be used when Exists is false")
            }
        }
    }
}
