//! What can be wrong with an expression, and the text DynamoDB sends for it.
//!
//! All texts of this crate stand here, apart from the logic that finds the fault, because the
//! service rewords them from time to time. Each is the message of a `ValidationException`.

use std::fmt;

use values::{AttributeValue, ValueError};

mod fit;
mod legacy;
mod problem;
mod statement;

pub use fit::{KeyConditionProblem, UpdateProblem};
pub use legacy::{ExpectedProblem, LegacyProblem};
pub use problem::{OperandProblem, Problem};
pub use statement::{Place, StatementProblem, Syntax};

/// Which request parameter an expression was given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// `ConditionExpression`.
    Condition,
    /// `FilterExpression`.
    Filter,
    /// `KeyConditionExpression`.
    KeyCondition,
    /// `ProjectionExpression`.
    Projection,
    /// `UpdateExpression`.
    Update,
}

impl ExpressionKind {
    /// The name of the request parameter.
    pub const fn parameter(self) -> &'static str {
        match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
        }
    }
}

/// One of the two maps that expressions take their placeholders from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderMap {
    /// `ExpressionAttributeNames`.
    Names,
    /// `ExpressionAttributeValues`.
    Values,
}

impl PlaceholderMap {
    /// The name of the request parameter.
    pub const fn parameter(self) -> &'static str {
        match self {
            PlaceholderMap::Names => "ExpressionAttributeNames",
            PlaceholderMap::Values => "ExpressionAttributeValues",
        }
    }
}

/// A request whose expressions, or legacy parameters, the service refuses. The text (`Display`) is
/// the message of the `ValidationException`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The text of one expression is at fault.
    Expression(ExpressionKind, Problem),
    /// One of the two placeholder maps is there but empty.
    EmptyMap(PlaceholderMap),
    /// A key of a placeholder map is not `#` or `:` with letters, digits and underscores.
    BadPlaceholder(PlaceholderMap, String),
    /// A key of a placeholder map is longer than 255 bytes.
    LongPlaceholder(PlaceholderMap, usize),
    /// A placeholder stands for an attribute name or a value that cannot be.
    BadContent(PlaceholderMap, String, ValueError),
    /// No expression uses these placeholders (rule 6).
    Unused(PlaceholderMap, Vec<String>),
    /// A key condition that does not fit its language or the key.
    KeyCondition(KeyConditionProblem),
    /// An update that does not fit the item.
    Update(UpdateProblem),
    /// A legacy parameter is at fault.
    Legacy(LegacyProblem),
    /// Arithmetic left the range or the precision of numbers (rule 13).
    Number(ValueError),
    /// A PartiQL statement is at fault.
    Statement(StatementProblem),
}

impl ExpressionError {
    /// Whether PutItem, UpdateItem and DeleteItem put `1 validation error detected: ` in front of
    /// the text. They do for what they find while reading the request (captured by others in
    /// eu-west-2 and us-east-1, October 2026), never for what only the stored item reveals; reads,
    /// batches and transactions always send the bare text.
    pub fn in_envelope_of_writes(&self) -> bool {
        match self {
            ExpressionError::BadPlaceholder(_, key) => !key.is_ascii(),
            ExpressionError::KeyCondition(_)
            | ExpressionError::Update(_)
            | ExpressionError::Number(_)
            | ExpressionError::Statement(_) => false,
            ExpressionError::Legacy(problem) => problem.in_envelope_of_writes(),
            ExpressionError::Expression(..)
            | ExpressionError::EmptyMap(_)
            | ExpressionError::LongPlaceholder(..)
            | ExpressionError::BadContent(..)
            | ExpressionError::Unused(..) => true,
        }
    }
}

impl ExpressionError {
    /// The text in which the transactions report it: a value that is refused for its nesting or for
    /// an empty set is named there, unlike by the other operations (rules 9 and 14).
    pub fn naming_the_value(&self) -> String {
        match self {
            ExpressionError::BadContent(
                map,
                key,
                error @ (ValueError::NestingTooDeep
                | ValueError::EmptyStringSet
                | ValueError::EmptyNumberSet
                | ValueError::EmptyBinarySet),
            ) => named_content(*map, key, error),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpressionError::Expression(kind, problem) => {
                write!(f, "Invalid {}: {problem}", kind.parameter())
            }
            ExpressionError::EmptyMap(map) => write!(f, "{} must not be empty", map.parameter()),
            ExpressionError::BadPlaceholder(map, key) => {
                let map = map.parameter();
                write!(f, "{map} contains invalid key: Syntax error; key: \"{key}\"")
            }
            ExpressionError::LongPlaceholder(map, size) => write!(
                f,
                "{} contains invalid key: The expression attribute map contains a key that is too \
                 long; size of key: {size}",
                map.parameter()
            ),
            ExpressionError::BadContent(map, key, error) => bad_content(f, *map, key, error),
            ExpressionError::Unused(map, keys) => write!(
                f,
                "Value provided in {} unused in expressions: keys: {{{}}}",
                map.parameter(),
                keys.join(", ")
            ),
            ExpressionError::KeyCondition(problem) => fmt::Display::fmt(problem, f),
            ExpressionError::Update(problem) => fmt::Display::fmt(problem, f),
            ExpressionError::Legacy(problem) => fmt::Display::fmt(problem, f),
            ExpressionError::Number(error) => fmt::Display::fmt(error, f),
            ExpressionError::Statement(problem) => fmt::Display::fmt(problem, f),
        }
    }
}

impl std::error::Error for ExpressionError {}

impl From<KeyConditionProblem> for ExpressionError {
    fn from(problem: KeyConditionProblem) -> Self {
        ExpressionError::KeyCondition(problem)
    }
}

impl From<UpdateProblem> for ExpressionError {
    fn from(problem: UpdateProblem) -> Self {
        ExpressionError::Update(problem)
    }
}

impl From<LegacyProblem> for ExpressionError {
    fn from(problem: LegacyProblem) -> Self {
        ExpressionError::Legacy(problem)
    }
}

impl From<StatementProblem> for ExpressionError {
    fn from(problem: StatementProblem) -> Self {
        ExpressionError::Statement(problem)
    }
}

/// An error about a placeholder, a path or an operand of an expression.
pub(crate) fn operand_error(kind: ExpressionKind, problem: OperandProblem) -> ExpressionError {
    ExpressionError::Expression(kind, Problem::Operand(problem))
}

fn named_content(map: PlaceholderMap, key: &str, error: &ValueError) -> String {
    format!("{} contains invalid value: {error} for key {key}", map.parameter())
}

/// Nesting, sets and names inside a value are reported as for an item; everything else names the
/// placeholder that brought it.
fn bad_content(
    f: &mut fmt::Formatter<'_>,
    map: PlaceholderMap,
    key: &str,
    error: &ValueError,
) -> fmt::Result {
    match (map, error) {
        (
            PlaceholderMap::Values,
            ValueError::NestingTooDeep
            | ValueError::EmptyStringSet
            | ValueError::EmptyNumberSet
            | ValueError::EmptyBinarySet
            | ValueError::EmptyAttributeName
            | ValueError::AttributeNameTooLong,
        ) => fmt::Display::fmt(error, f),
        _ => f.write_str(&named_content(map, key, error)),
    }
}

/// A value as the texts about BETWEEN show it: `{S:a}`, `{N:1}`, `{B:AQ==}`. Only these three
/// types reach a text; the others are refused before their bounds are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound(String);

impl From<&AttributeValue> for Bound {
    fn from(value: &AttributeValue) -> Self {
        let content = match value {
            AttributeValue::S(text) => text.clone(),
            AttributeValue::N(number) => number.to_string(),
            other => {
                let json = values::json::value_to_json(other);
                let content = json.get(other.attribute_type().descriptor());
                content.map_or_else(String::new, |content| {
                    content.as_str().map_or_else(|| content.to_string(), str::to_owned)
                })
            }
        };
        Bound(format!("{}:{content}", value.attribute_type()))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AttributeValue: {{{}}}", self.0)
    }
}
