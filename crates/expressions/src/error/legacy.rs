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
    /// `Exists` next to a ComparisonOperator.
    ExistsAndOperator(String),
    /// `Value` next to an AttributeValueList.
    ValueAndList(String),
    /// An AttributeValueList without a ComparisonOperator.
    ListWithoutOperator(String),
    /// A ComparisonOperator that needs a value and has none.
    OperatorWithoutValue(ComparisonOperator, String),
    /// `Exists` is true, or not given, and there is no `Value`.
    ValueRequired(Option<bool>, String),
    /// `Exists` is false and there is a `Value`.
    ValueForbidden(String),
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
            LegacyProblem::ExistsAndOperator(name) => write!(
                f,
                "{INVALID}Exists and ComparisonOperator cannot be used together for Attribute: {name}"
            ),
            LegacyProblem::ValueAndList(name) => write!(
                f,
                "{INVALID}Value and AttributeValueList cannot be used together for Attribute: {name}"
            ),
            LegacyProblem::ListWithoutOperator(name) => write!(
                f,
                "{INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}"
            ),
            LegacyProblem::OperatorWithoutValue(operator, name) => write!(
                f,
                "{INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator} for \
                 Attribute: {name}"
            ),
            LegacyProblem::ValueRequired(exists, name) => {
                let exists = exists.map_or_else(|| "null".to_owned(), |exists| exists.to_string());
                write!(
                    f,
                    "{INVALID}Value must be provided when Exists is {exists} for Attribute: {name}"
                )
            }
            LegacyProblem::ValueForbidden(name) => {
                write!(
                    f,
                    "{INVALID}Value cannot be used when Exists is false for Attribute: {name}"
                )
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
