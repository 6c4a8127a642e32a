//! The values an update writes, worked out from the image before.

use std::borrow::Cow;
use std::collections::BTreeSet;

use values::{AttributeValue, Item, Number};

use super::{Operand, SetValue};
use crate::error::{ExpressionError, UpdateProblem};

/// The value of the right-hand side of a SET.
pub(super) fn set_value<'i>(
    value: &'i SetValue,
    item: &'i Item,
) -> Result<Cow<'i, AttributeValue>, ExpressionError> {
    match value {
        SetValue::Operand(operand) => evaluate(operand, item),
        SetValue::Sum(left, right) => arithmetic(left, right, item, Number::checked_add),
        SetValue::Difference(left, right) => arithmetic(left, right, item, Number::checked_sub),
    }
}

fn arithmetic<'i>(
    left: &Operand,
    right: &Operand,
    item: &Item,
    operation: fn(&Number, &Number) -> Result<Number, values::ValueError>,
) -> Result<Cow<'i, AttributeValue>, ExpressionError> {
    let (left, right) = pair(evaluate(left, item), evaluate(right, item), |value| {
        matches!(value, AttributeValue::N(_))
    })?;
    match (left.as_ref(), right.as_ref()) {
        (AttributeValue::N(left), AttributeValue::N(right)) => {
            let result = operation(left, right).map_err(ExpressionError::Number)?;
            Ok(Cow::Owned(AttributeValue::N(result)))
        }
        _ => Err(UpdateProblem::OperandType.into()),
    }
}

/// Recurses as deep as calls are nested, which the number of operators bounds.
fn evaluate<'i>(
    operand: &'i Operand,
    item: &'i Item,
) -> Result<Cow<'i, AttributeValue>, ExpressionError> {
    match operand {
        Operand::Value(value) => Ok(Cow::Borrowed(value)),
        Operand::Path(path) => {
            let value = path.find(item).ok_or(UpdateProblem::MissingAttribute)?;
            Ok(Cow::Borrowed(value))
        }
        Operand::IfNotExists(path, default) => match path.find(item) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => evaluate(default, item),
        },
        Operand::ListAppend(first, second) => {
            let (first, second) = pair(evaluate(first, item), evaluate(second, item), |value| {
                matches!(value, AttributeValue::L(_))
            })?;
            match (first.into_owned(), second.as_ref()) {
                (AttributeValue::L(mut list), AttributeValue::L(more)) => {
                    list.extend_from_slice(more);
                    Ok(Cow::Owned(AttributeValue::L(list)))
                }
                _ => Err(UpdateProblem::OperandType.into()),
            }
        }
    }
}

type Evaluated<'i> = Result<Cow<'i, AttributeValue>, ExpressionError>;

/// Two operands of the right type. A wrong type is reported before a missing attribute.
fn pair<'i>(
    left: Evaluated<'i>,
    right: Evaluated<'i>,
    fits: fn(&AttributeValue) -> bool,
) -> Result<(Cow<'i, AttributeValue>, Cow<'i, AttributeValue>), ExpressionError> {
    let misfit = |operand: &Evaluated<'_>| operand.as_ref().is_ok_and(|value| !fits(value));
    if misfit(&left) || misfit(&right) {
        return Err(UpdateProblem::OperandType.into());
    }
    Ok((left?, right?))
}

/// What ADD makes of what is stored (rule 41). `None` if the types do not fit. Lists are only ever
/// added by the legacy parameter; in an expression their type is refused beforehand.
pub(super) fn add(
    stored: Option<&AttributeValue>,
    value: &AttributeValue,
) -> Option<Result<AttributeValue, ExpressionError>> {
    let Some(stored) = stored else { return Some(Ok(value.clone())) };
    Some(Ok(match (stored, value) {
        (AttributeValue::N(stored), AttributeValue::N(value)) => {
            return Some(
                stored.checked_add(value).map(AttributeValue::N).map_err(ExpressionError::Number),
            );
        }
        (AttributeValue::Ss(stored), AttributeValue::Ss(more)) => {
            AttributeValue::Ss(stored.union(more).cloned().collect())
        }
        (AttributeValue::Ns(stored), AttributeValue::Ns(more)) => {
            AttributeValue::Ns(stored.union(more).copied().collect())
        }
        (AttributeValue::Bs(stored), AttributeValue::Bs(more)) => {
            AttributeValue::Bs(stored.union(more).cloned().collect())
        }
        (AttributeValue::L(stored), AttributeValue::L(more)) => {
            AttributeValue::L(stored.iter().chain(more).cloned().collect())
        }
        _ => return None,
    }))
}

/// What DELETE leaves of a stored set. `None` if the types do not fit; the inner `None` if nothing
/// is left, since there are no empty sets.
pub(super) fn delete(
    stored: &AttributeValue,
    value: &AttributeValue,
) -> Option<Option<AttributeValue>> {
    match (stored, value) {
        (AttributeValue::Ss(stored), AttributeValue::Ss(value)) => {
            Some(without(stored, value).map(AttributeValue::Ss))
        }
        (AttributeValue::Ns(stored), AttributeValue::Ns(value)) => {
            Some(without(stored, value).map(AttributeValue::Ns))
        }
        (AttributeValue::Bs(stored), AttributeValue::Bs(value)) => {
            Some(without(stored, value).map(AttributeValue::Bs))
        }
        _ => None,
    }
}

fn without<T: Ord + Clone>(stored: &BTreeSet<T>, value: &BTreeSet<T>) -> Option<BTreeSet<T>> {
    let left: BTreeSet<T> = stored.difference(value).cloned().collect();
    (!left.is_empty()).then_some(left)
}
