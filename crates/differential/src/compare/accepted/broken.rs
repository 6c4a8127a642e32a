//! Accepted differences in what is made of broken requests, which only come over HTTP.

use serde_json::json;

use super::failures::{has_position, ours_says};
use super::{Applied, accept_if, failures, requested};
use crate::compare::Case;
use crate::party::Outcome;

/// Both have this for `{}` and for null.
const EMPTY_VALUE: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";

fn is_broken(case: &Case<'_>) -> bool {
    case.step.fault.is_some_and(|fault| fault.starts_with("broken: "))
}

/// Members that are null: theirs is surprised by some of them.
pub(super) fn null_is_as_good_as_absent(case: &mut Case<'_>) -> Applied {
    let is_surprised = case.theirs.failure().is_some_and(|theirs| {
        theirs.message.starts_with("invalid type: null, ") && has_position(&theirs.message)
    });
    let is_answered = case.ours.answer().is_some();
    accept_if(case, is_surprised && is_answered && case.step.fault == Some("broken: null"))
}

pub(super) fn null_in_a_list_is_refused(case: &mut Case<'_>) -> Applied {
    let is_refused =
        ours_says(case, ".member' failed to satisfy constraint: Member must not be null");
    let is_null = case.step.fault.is_some_and(|fault| fault.starts_with("broken: null"));
    accept_if(case, is_refused && is_null)
}

pub(super) fn empty_parameter_fails_its_statement(case: &mut Case<'_>) -> Applied {
    let is_refused = case.theirs.failure().is_some_and(|theirs| theirs.message == EMPTY_VALUE);
    let told = |answer: &serde_json::Value| answer["Responses"].to_string().contains(EMPTY_VALUE);
    let is_told = case.ours.answer().is_some_and(told);
    accept_if(case, is_refused && is_told && case.step.operation() == "BatchExecuteStatement")
}

pub(super) fn shape_error_names_the_token(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_known = [
        "_VALUE cannot be converted to String",
        "Start of structure or map found where not expected",
        "only base-64-encoded strings are convertible to bytes",
        "Unrecognized collection type class java.lang.String",
        "Unrecognized collection type class java.nio.ByteBuffer",
    ]
    .iter()
    .any(|text| ours.message.ends_with(text));
    let is_guess = theirs.message == "TRUE_VALUE cannot be converted to String"
        || theirs.message.starts_with("The provided starting key is invalid: expected ");
    accept_if(case, is_known && is_guess && ours.kind == "SerializationException")
}

pub(super) fn shape_is_checked_in_every_operation(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_list = ours.message.starts_with("Unrecognized collection type class com.amazonaws.");
    let is_element = ours.message == "Unexpected value type in payload";
    let is_member = ours.message == "Unexpected field type";
    // Theirs reads a list as if it were the members in order.
    let operations = [
        "TransactGetItems",
        "TransactWriteItems",
        "ExecuteStatement",
        "BatchExecuteStatement",
        "ExecuteTransaction",
    ];
    let is_unchecked = operations.contains(&case.step.operation());
    let is_value = theirs.message.ends_with(EMPTY_VALUE);
    let is_other = (is_list
        && (is_unchecked || theirs.message == "Unexpected value type in payload"))
        || (is_element && is_unchecked && theirs.message == "Unexpected field type")
        || ((is_list || is_element || is_member) && is_value);
    accept_if(case, is_other && ours.kind == "SerializationException")
}

pub(super) fn body_that_is_no_object_has_no_text(case: &mut Case<'_>) -> Applied {
    let is_refused = case
        .ours
        .failure()
        .is_some_and(|ours| ours.kind == "SerializationException" && ours.message.is_empty());
    accept_if(case, is_refused && case.step.fault == Some("broken: no object"))
}

pub(super) fn member_may_come_twice(case: &mut Case<'_>) -> Applied {
    let is_refused = matches!(case.theirs.failure(), Some(theirs)
        if theirs.message.starts_with("duplicate field") && has_position(&theirs.message));
    accept_if(case, is_refused && case.step.fault == Some("unusual: member twice"))
}

pub(super) fn operation_belongs_to_one_target(case: &mut Case<'_>) -> Applied {
    let is_refused = matches!(case.ours.failure(), Some(ours)
        if ours.kind == "UnknownOperationException" && ours.message.is_empty());
    accept_if(case, is_refused && case.step.fault == Some("unusual: target of streams"))
}

/// An undefined name or value; if there is one, there are often several.
pub(super) fn undefined_placeholder_names_the_expression(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_undefined = |text: &str| text.contains("is not defined; attribute ");
    let is_named = ours.message.contains("Invalid ") && is_undefined(&ours.message);
    let is_other = is_undefined(&theirs.message) || theirs.kind == "TransactionCanceledException";
    accept_if(case, is_named && is_other && is_broken(case))
}

pub(super) fn unused_names_are_refused_at_once(case: &mut Case<'_>) -> Applied {
    let is_refused = ours_says(case, "unused in expressions: keys: {");
    let is_other = case.theirs.failure().is_none_or(|theirs| !theirs.message.contains("unused in"));
    accept_if(case, is_refused && is_other && is_broken(case))
}

pub(super) fn names_need_an_expression(case: &mut Case<'_>) -> Applied {
    let is_refused = ours_says(case, " can only be specified when using expressions")
        || ours_says(case, " contains invalid key: Syntax error");
    accept_if(case, is_refused && is_broken(case) && case.step.operation().starts_with("Transact"))
}

pub(super) fn no_key_conditions_are_conditions(case: &mut Case<'_>) -> Applied {
    let is_empty =
        requested(case, "KeyConditions").is_some_and(|conditions| *conditions == json!({}));
    accept_if(case, is_empty && ours_says(case, "Conditions can be of length 1 or 2 only"))
}

pub(super) fn definition_is_checked_before_the_name(case: &mut Case<'_>) -> Applied {
    let kind = |outcome: &Outcome| outcome.failure().map(|failure| failure.kind.clone());
    let is_earlier = kind(&case.ours).is_some_and(|kind| kind == "ValidationException")
        && kind(&case.theirs).is_some_and(|kind| kind == "ResourceInUseException");
    accept_if(case, is_earlier && case.step.operation() == "CreateTable")
}

pub(super) fn batch_over_several_tables_is_counted(case: &mut Case<'_>) -> Applied {
    let is_counted = ours_says(case, "Too many items requested for the Batch");
    let tables = requested(case, "RequestItems").and_then(|tables| tables.as_object());
    let has_several = tables.is_some_and(|tables| tables.len() > 1);
    accept_if(case, is_counted && has_several)
}
