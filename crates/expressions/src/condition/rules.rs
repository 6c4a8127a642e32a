//! What the operands of a test may be, whichever language the test was written in.

use values::{AttributeType, AttributeValue};

use super::Term;
use super::evaluate::compare_order;
use crate::error::OperandProblem;

/// Refuses an operand whose type is known and does not fit the operator or function.
pub(crate) fn check_types(
    operator: &str,
    terms: &[&Term],
    fits: fn(AttributeType) -> bool,
) -> Result<(), OperandProblem> {
    let wrong = terms.iter().filter_map(|term| term.static_type()).find(|found| !fits(*found));
    wrong.map_or(Ok(()), |found| Err(OperandProblem::Type(operator.to_owned(), found.descriptor())))
}

/// The bounds of BETWEEN: of one type, and the lower one not above the upper one (rule 34).
pub(crate) fn check_bounds(low: &Term, high: &Term) -> Result<(), OperandProblem> {
    let (Term::Value(low), Term::Value(high)) = (low, high) else { return Ok(()) };
    if low.attribute_type() != high.attribute_type() {
        return Err(OperandProblem::BetweenTypes(low.into(), high.into()));
    }
    if compare_order(low, high).is_some_and(std::cmp::Ordering::is_gt) {
        return Err(OperandProblem::BetweenOrder(low.into(), high.into()));
    }
    Ok(())
}

/// The type that the second operand of `attribute_type` names (rule 21). A path could have any
/// type; `any` is how the service lists them.
pub(crate) fn type_named(term: &Term, any: &'static str) -> Result<AttributeType, OperandProblem> {
    match term {
        Term::Value(AttributeValue::S(name)) => AttributeType::from_descriptor(name)
            .ok_or_else(|| OperandProblem::UnknownType(name.clone())),
        other => {
            let found = other.static_type().map_or(any, AttributeType::descriptor);
            Err(OperandProblem::Type("attribute_type".to_owned(), found))
        }
    }
}

/// The types that `<` and its like compare.
pub(crate) fn is_orderable(attribute_type: AttributeType) -> bool {
    matches!(attribute_type, AttributeType::S | AttributeType::N | AttributeType::B)
}

/// The types that can begin with something.
pub(crate) fn is_string_or_binary(attribute_type: AttributeType) -> bool {
    matches!(attribute_type, AttributeType::S | AttributeType::B)
}

/// The types that have a size.
pub(crate) fn has_size(attribute_type: AttributeType) -> bool {
    !matches!(attribute_type, AttributeType::N | AttributeType::Bool | AttributeType::Null)
}
