//! The parameters of a request that hold expressions, and the older ones they replaced.
//!
//! All of this is checked before the table is looked up: an expression with a mistake is refused
//! even if the table does not exist (rule 2).

use std::collections::BTreeMap;
use std::fmt;

use expressions::legacy::{self, ConditionalOperator, ExpectedAttributeValue, LegacyCondition};
use expressions::{Condition, ExpressionError, Placeholders, Projection};

use crate::shapes::{ExpressionAttributeNames, ExpressionAttributeValues};
use crate::{Error, text};

/// What is wrong with the parameters of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterProblem {
    /// With an expression, or an older condition or update.
    Expression(ExpressionError),
    /// With their combination.
    Combination(String),
}

impl ParameterProblem {
    /// How PutItem, UpdateItem and DeleteItem report it: they run on the service's newer validation
    /// layer, which puts most problems in an envelope (captured in eu-west-2 and us-east-1, October
    /// 2026).
    pub fn in_envelope(self) -> Error {
        match self {
            ParameterProblem::Expression(error) if !error.in_envelope_of_writes() => error.into(),
            problem => Error::Validation(text::enveloped(&problem.to_string())),
        }
    }
}

impl ParameterProblem {
    /// How the transactions report it: they name the value that is refused for its content.
    pub fn naming_the_value(self) -> Error {
        match self {
            ParameterProblem::Expression(error) => Error::Validation(error.naming_the_value()),
            problem @ ParameterProblem::Combination(_) => problem.into(),
        }
    }
}

impl fmt::Display for ParameterProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterProblem::Expression(error) => error.fmt(f),
            ParameterProblem::Combination(message) => f.write_str(message),
        }
    }
}

impl From<ExpressionError> for ParameterProblem {
    fn from(error: ExpressionError) -> Self {
        ParameterProblem::Expression(error)
    }
}

impl From<ParameterProblem> for Error {
    fn from(problem: ParameterProblem) -> Self {
        Error::Validation(problem.to_string())
    }
}

/// Which parameters a request has, for the checks that concern their combination.
pub struct Present<'p, 'a> {
    /// Older parameters by name, with whether the request has them.
    pub legacy: &'p [(&'static str, bool)],
    /// Expressions by name, with whether the request has them.
    pub expressions: &'p [(&'static str, bool)],
    /// `ExpressionAttributeNames`.
    pub names: Option<&'a ExpressionAttributeNames>,
    /// `ExpressionAttributeValues`.
    pub values: Option<&'a ExpressionAttributeValues>,
    /// The expressions the service lists as missing when values come without any.
    pub listed_as_null: &'p [&'static str],
}

impl<'a> Present<'_, 'a> {
    /// Refuses combinations that make no sense; gives the placeholders for parsing.
    pub fn check(&self) -> Result<Placeholders<'a>, ParameterProblem> {
        let is_any = |parameters: &[(&str, bool)]| parameters.iter().any(|(_, given)| *given);
        let has_expressions = is_any(self.expressions);
        if has_expressions && is_any(self.legacy) {
            let given = |parameters: &[(&'static str, bool)]| {
                let given = parameters.iter().filter(|(_, given)| *given);
                given.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
            };
            return Err(ParameterProblem::Combination(format!(
                "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                given(self.legacy),
                given(self.expressions)
            )));
        }
        if !has_expressions && self.names.is_some() {
            return Err(ParameterProblem::Combination(
                "ExpressionAttributeNames can only be specified when using expressions".to_owned(),
            ));
        }
        if !has_expressions && self.values.is_some() {
            let missing: Vec<String> =
                self.listed_as_null.iter().map(|name| format!("{name} is null")).collect();
            let colon = if missing.is_empty() { "" } else { ": " };
            return Err(ParameterProblem::Combination(format!(
                "ExpressionAttributeValues can only be specified when using expressions{colon}{}",
                missing.join(" and ")
            )));
        }
        Ok(Placeholders::new(self.names, self.values)?)
    }
}

/// `ConditionalOperator` joins two or more of the older conditions and nothing else.
pub fn check_conditional_operator(
    operator: Option<ConditionalOperator>,
    conditions: usize,
) -> Result<(), ParameterProblem> {
    let message = match (operator, conditions) {
        (None, _) | (Some(_), 2..) => return Ok(()),
        (Some(_), 0) => "ConditionalOperator cannot be used without Filter or Expected",
        (Some(_), 1) => {
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        }
    };
    Err(ParameterProblem::Combination(message.to_owned()))
}

/// The condition of a single-item write, in either form.
pub fn write_condition(
    placeholders: &mut Placeholders<'_>,
    expression: Option<&str>,
    expected: Option<&BTreeMap<String, ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, ParameterProblem> {
    check_conditional_operator(operator, expected.map_or(0, BTreeMap::len))?;
    match (expression, expected) {
        (Some(text), _) => Ok(Some(placeholders.condition(text)?)),
        (None, Some(expected)) if !expected.is_empty() => {
            Ok(Some(legacy::expected(expected, operator)?))
        }
        (None, _) => Ok(None),
    }
}

/// The filter of a query or scan, in either form.
pub fn filter(
    placeholders: &mut Placeholders<'_>,
    expression: Option<&str>,
    conditions: Option<&BTreeMap<String, LegacyCondition>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, ParameterProblem> {
    check_conditional_operator(operator, conditions.map_or(0, BTreeMap::len))?;
    match (expression, conditions) {
        (Some(text), _) => Ok(Some(placeholders.filter(text)?)),
        (None, Some(conditions)) if !conditions.is_empty() => {
            Ok(Some(legacy::filter(conditions, operator)?))
        }
        (None, _) => Ok(None),
    }
}

/// The projection of a read, in either form.
pub fn projection(
    placeholders: &mut Placeholders<'_>,
    expression: Option<&str>,
    attributes_to_get: Option<&[String]>,
) -> Result<Option<Projection>, ParameterProblem> {
    match (expression, attributes_to_get) {
        (Some(text), _) => Ok(Some(placeholders.projection(text)?)),
        (None, Some(names)) => Ok(Some(legacy::attributes_to_get(names)?)),
        (None, None) => Ok(None),
    }
}
