//! Translates Expected, QueryFilter, ScanFilter and KeyConditions.

use std::collections::BTreeMap;

use values::{AttributeType, AttributeValue, validate};

use super::{
    ComparisonOperator, ConditionalOperator, ExpectedAttributeValue, LegacyCondition, check_joined,
};
use crate::condition::{
    Comparator, Condition, Node, Term, Test, compare_order, is_orderable, is_string_or_binary,
};
use crate::error::{ExpectedProblem, ExpressionError, LegacyProblem};
use crate::key_condition::{Clause, KeyCondition, Question, SortCondition};
use crate::path::Path;

/// Translates Expected.
pub fn expected(
    expected: &BTreeMap<String, ExpectedAttributeValue>,
    operator: Option<ConditionalOperator>,
) -> Result<Condition, ExpressionError> {
    check_joined(expected, operator)?;
    for condition in expected.values() {
        let list = condition.attribute_value_list.iter().flatten();
        check_values(condition.value.iter().chain(list))?;
    }
    let mut tests = Vec::with_capacity(expected.len());
    for (name, condition) in expected {
        tests.push(expected_test(name, condition)?);
    }
    Ok(joined(tests, operator))
}

fn expected_test(name: &str, condition: &ExpectedAttributeValue) -> Result<Test, ExpressionError> {
    let ExpectedAttributeValue { value, exists, comparison_operator, attribute_value_list } =
        condition;
    let refused = |problem| Err(LegacyProblem::Expected(problem, name.to_owned()).into());
    if exists.is_some() && comparison_operator.is_some() {
        return refused(ExpectedProblem::ExistsAndOperator);
    }
    if value.is_some() && attribute_value_list.is_some() {
        return refused(ExpectedProblem::ValueAndList);
    }
    if let Some(operator) = comparison_operator {
        let needs_value =
            !matches!(operator, ComparisonOperator::Null | ComparisonOperator::NotNull);
        if needs_value && value.is_none() && attribute_value_list.is_none() {
            return refused(ExpectedProblem::OperatorWithoutValue(*operator));
        }
        let list = attribute_value_list.as_deref();
        let arguments = list.unwrap_or(value.as_ref().map_or(&[], std::slice::from_ref));
        return Arguments::check(*operator, arguments).map(|arguments| arguments.test(name));
    }
    if attribute_value_list.is_some() {
        return refused(ExpectedProblem::ListWithoutOperator);
    }
    match (exists, value) {
        (Some(false), Some(_)) => refused(ExpectedProblem::ValueForbidden),
        (Some(false), None) => Ok(Test::NotExists(Path::top(name))),
        (_, Some(value)) => Ok(compare(Comparator::Equal, name, value)),
        (exists, None) => refused(ExpectedProblem::ValueRequired(*exists)),
    }
}

/// Translates QueryFilter or ScanFilter.
pub fn filter(
    filter: &BTreeMap<String, LegacyCondition>,
    operator: Option<ConditionalOperator>,
) -> Result<Condition, ExpressionError> {
    check_joined(filter, operator)?;
    let mut tests = Vec::with_capacity(filter.len());
    for (name, arguments) in checked(filter)? {
        tests.push(arguments.test(name));
    }
    Ok(joined(tests, operator))
}

/// Translates KeyConditions.
pub fn key_condition(
    conditions: &BTreeMap<String, LegacyCondition>,
) -> Result<KeyCondition, ExpressionError> {
    let clauses: Vec<Clause> = checked(conditions)?
        .into_iter()
        .map(|(name, arguments)| Clause { name: name.to_owned(), question: arguments.question() })
        .collect();
    if clauses.is_empty() {
        return Err(LegacyProblem::NoKeyConditions.into());
    }
    KeyCondition::new(clauses)
}

fn checked(
    conditions: &BTreeMap<String, LegacyCondition>,
) -> Result<Vec<(&str, Arguments<'_>)>, ExpressionError> {
    for condition in conditions.values() {
        check_values(condition.attribute_value_list.iter())?;
    }
    let arguments = conditions.iter().map(|(name, condition)| {
        let LegacyCondition { comparison_operator, attribute_value_list } = condition;
        Ok((name.as_str(), Arguments::check(*comparison_operator, attribute_value_list)?))
    });
    arguments.collect()
}

fn check_values<'v>(
    mut values: impl Iterator<Item = &'v AttributeValue>,
) -> Result<(), ExpressionError> {
    values.try_for_each(|value| validate::value(value).map_err(|e| LegacyProblem::Value(e).into()))
}

/// An operator with as many values, of such types, as it takes.
enum Arguments<'v> {
    None { exists: bool },
    One(ComparisonOperator, &'v AttributeValue),
    Two(&'v AttributeValue, &'v AttributeValue),
    Many(&'v [AttributeValue]),
}

impl<'v> Arguments<'v> {
    /// Their number, their types, that these agree, and the order of BETWEEN's bounds. IN looks at
    /// the type of every value, the other operators at that of the first.
    fn check(
        operator: ComparisonOperator,
        values: &'v [AttributeValue],
    ) -> Result<Self, ExpressionError> {
        let arguments = match (operator, values) {
            (ComparisonOperator::Null, []) => Arguments::None { exists: false },
            (ComparisonOperator::NotNull, []) => Arguments::None { exists: true },
            (ComparisonOperator::Null | ComparisonOperator::NotNull, _) | (_, []) => {
                return Err(LegacyProblem::ArgumentCount(operator).into());
            }
            (ComparisonOperator::In, values) => Arguments::Many(values),
            (ComparisonOperator::Between, [low, high]) => Arguments::Two(low, high),
            (ComparisonOperator::Between, _) | (_, [_, _, ..]) => {
                return Err(LegacyProblem::ArgumentCount(operator).into());
            }
            (operator, [value]) => Arguments::One(operator, value),
        };
        let looked_at = if operator == ComparisonOperator::In { values.len() } else { 1 };
        let mut types = values.iter().take(looked_at).map(AttributeValue::attribute_type);
        if let Some(found) = types.find(|found| !takes(operator, *found)) {
            return Err(LegacyProblem::ArgumentType(operator, found).into());
        }
        let first = values.first().map(AttributeValue::attribute_type);
        if values.iter().any(|value| Some(value.attribute_type()) != first) {
            return Err(LegacyProblem::MixedTypes.into());
        }
        match arguments {
            Arguments::Two(low, high)
                if compare_order(low, high).is_some_and(std::cmp::Ordering::is_gt) =>
            {
                Err(LegacyProblem::BetweenOrder.into())
            }
            arguments => Ok(arguments),
        }
    }

    fn test(&self, name: &str) -> Test {
        let term = || Term::Path(Path::top(name));
        let value = |value: &AttributeValue| Term::Value(value.clone());
        match *self {
            Arguments::None { exists: true } => Test::Exists(Path::top(name)),
            Arguments::None { exists: false } => Test::NotExists(Path::top(name)),
            Arguments::Two(low, high) => Test::Between(term(), value(low), value(high)),
            Arguments::Many(list) => Test::In(term(), list.iter().map(value).collect()),
            Arguments::One(operator, one) => match operator {
                ComparisonOperator::Contains => Test::Contains(term(), value(one)),
                ComparisonOperator::NotContains => {
                    Test::ExistsWithout(Path::top(name), one.clone())
                }
                ComparisonOperator::BeginsWith => Test::BeginsWith(term(), value(one)),
                ComparisonOperator::Ne => compare(Comparator::NotEqual, name, one),
                ComparisonOperator::Lt => compare(Comparator::Less, name, one),
                ComparisonOperator::Le => compare(Comparator::LessOrEqual, name, one),
                ComparisonOperator::Gt => compare(Comparator::Greater, name, one),
                ComparisonOperator::Ge => compare(Comparator::GreaterOrEqual, name, one),
                ComparisonOperator::Eq
                | ComparisonOperator::In
                | ComparisonOperator::Between
                | ComparisonOperator::Null
                | ComparisonOperator::NotNull => compare(Comparator::Equal, name, one),
            },
        }
    }

    fn question(&self) -> Question {
        Question::Sort(match *self {
            Arguments::Two(low, high) => SortCondition::Between(low.clone(), high.clone()),
            Arguments::One(operator, value) => {
                let condition = match operator {
                    ComparisonOperator::Eq => SortCondition::Equal,
                    ComparisonOperator::Lt => SortCondition::Less,
                    ComparisonOperator::Le => SortCondition::LessOrEqual,
                    ComparisonOperator::Gt => SortCondition::Greater,
                    ComparisonOperator::Ge => SortCondition::GreaterOrEqual,
                    ComparisonOperator::BeginsWith => SortCondition::BeginsWith,
                    _ => return Question::NotIndexable,
                };
                condition(value.clone())
            }
            Arguments::None { .. } | Arguments::Many(_) => return Question::NotIndexable,
        })
    }
}

/// Whether an operator can be given a value of this type.
fn takes(operator: ComparisonOperator, attribute_type: AttributeType) -> bool {
    match operator {
        ComparisonOperator::Lt
        | ComparisonOperator::Le
        | ComparisonOperator::Gt
        | ComparisonOperator::Ge
        | ComparisonOperator::In
        | ComparisonOperator::Between => is_orderable(attribute_type),
        ComparisonOperator::BeginsWith => is_string_or_binary(attribute_type),
        ComparisonOperator::Contains | ComparisonOperator::NotContains => {
            is_orderable(attribute_type)
                || matches!(attribute_type, AttributeType::Bool | AttributeType::Null)
        }
        ComparisonOperator::Eq
        | ComparisonOperator::Ne
        | ComparisonOperator::Null
        | ComparisonOperator::NotNull => true,
    }
}

fn compare(comparator: Comparator, name: &str, value: &AttributeValue) -> Test {
    Test::Compare(comparator, Term::Path(Path::top(name)), Term::Value(value.clone()))
}

/// Joins tests side by side, however many, rather than one inside the other.
fn joined(tests: Vec<Test>, operator: Option<ConditionalOperator>) -> Condition {
    let all = (0..tests.len()).collect();
    let root = match operator {
        Some(ConditionalOperator::Or) => Node::Any(all),
        Some(ConditionalOperator::And) | None => Node::All(all),
    };
    Condition::new(tests.into_iter().map(Node::Test).chain([root]).collect())
}
