//! Accepted differences in errors.

use super::{Applied, accept, accept_if, failures, requested};
use crate::compare::Case;
use crate::party::UNREADABLE;

/// Whether ours is an error with this in its text.
pub(super) fn ours_says(case: &Case<'_>, text: &str) -> bool {
    case.ours.failure().is_some_and(|ours| ours.message.contains(text))
}

pub(super) fn unreadable_body_has_the_services_text(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_framework =
        ["SerializationException", "ValidationException"].contains(&ours.kind.as_str());
    let is_serde = theirs.message.starts_with(UNREADABLE)
        || has_position(&theirs.message)
        || theirs.message.starts_with("invalid type: ")
        || (theirs.kind == "SerializationException" && theirs.message.starts_with("expected "));
    let is_other_type = ours.kind == "SerializationException"
        && case.step.fault == Some("member of another JSON type");
    accept_if(case, (is_framework && is_serde) || is_other_type)
}

/// Whether a text ends as the JSON reader's do: `at line 1 column 20`.
pub(super) fn has_position(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let position = text.rsplit_once(" at line ").and_then(|(_, at)| at.split_once(" column "));
    position.is_some_and(|(line, column)| digits(line) && digits(column))
}

pub(super) fn base64_has_the_services_text(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_base64 = ours.message.contains("Base64") && theirs.message.contains("base64");
    let is_same_kind = ours.kind == theirs.kind;
    accept_if(case, is_base64 && is_same_kind)
}

pub(super) fn echo_is_ordered_by_name(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_same = without_echo(&ours.message) == without_echo(&theirs.message);
    accept_if(case, is_same)
}

/// A constraint message without the map or list that it shows.
fn without_echo(text: &str) -> String {
    match (text.find("Value '"), text.find("' at '")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    }
}

pub(super) fn global_index_does_not_project(case: &mut Case<'_>) -> Applied {
    index_does_not_hold(case, "does not project [")
}

pub(super) fn index_does_not_project_for_filters(case: &mut Case<'_>) -> Applied {
    index_does_not_hold(case, "does not project one or more filter attributes: [")
}

/// A request for what an index does not hold, unless an answer of theirs shows that it does.
fn index_does_not_hold(case: &mut Case<'_>, text: &str) -> Applied {
    let Some(ours) = case.ours.failure() else { return Applied::No };
    let named = ours.message.split_once(text).map(|(_, names)| names.to_owned());
    let Some(names) = named else { return Applied::No };
    let names: Vec<&str> = names.trim_end_matches(']').split(", ").collect();
    let items = case.theirs.answer().map(super::answers::all_items).unwrap_or_default();
    let is_held = items.iter().any(|item| names.iter().any(|name| item.get(*name).is_some()));
    let is_index = requested(case, "IndexName").is_some();
    accept_if(case, is_index && !is_held)
}

pub(super) fn attribute_type_must_exist(case: &mut Case<'_>) -> Applied {
    accept_if(case, ours_says(case, "Invalid attribute type name found"))
}

pub(super) fn operators_are_limited(case: &mut Case<'_>) -> Applied {
    accept_if(case, ours_says(case, "The expression contains too many operators"))
}

pub(super) fn bounds_are_in_order_everywhere(case: &mut Case<'_>) -> Applied {
    let text =
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound";
    let is_refused = ours_says(case, text) && case.theirs.answer().is_some();
    accept_if(case, is_refused)
}

pub(super) fn filter_size_is_not_shown(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let text = "Expression size has exceeded the maximum allowed size;";
    let is_same = ours.message.ends_with(text)
        && theirs.message.starts_with(&ours.message)
        && theirs.message.contains("expression size: ");
    accept_if(case, is_same)
}

pub(super) fn key_condition_names_the_operator(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_known = ours.message == "Invalid operator used in KeyConditionExpression: OR"
        && theirs.message == "Unexpected token in KeyConditionExpression: OR";
    accept_if(case, is_known)
}

/// `NOT_CONTAINS` on an attribute that is not there.
pub(super) fn not_contains_needs_the_attribute(case: &mut Case<'_>) -> Applied {
    let conditions = ["Expected", "QueryFilter", "ScanFilter"]
        .iter()
        .find_map(|name| requested(case, name))
        .and_then(|conditions| conditions.as_object());
    let is_used = conditions.is_some_and(|conditions| {
        conditions.values().any(|condition| condition["ComparisonOperator"] == "NOT_CONTAINS")
    });
    let is_condition = requested(case, "Expected").is_some();
    let failed = |outcome: &crate::party::Outcome| {
        outcome.failure().is_some_and(|failure| failure.kind == "ConditionalCheckFailedException")
    };
    // With OR and other conditions the two may disagree either way only as ours is stricter.
    let is_stricter = if is_condition {
        failed(&case.ours) && !failed(&case.theirs)
    } else {
        let count = |outcome: &crate::party::Outcome| total_count(outcome);
        count(&case.ours) < count(&case.theirs)
    };
    if is_used && is_stricter { accept(case) } else { Applied::No }
}

fn total_count(outcome: &crate::party::Outcome) -> u64 {
    let Some(answer) = outcome.answer() else { return 0 };
    let pages = answer["Pages"].as_array().into_iter().flatten();
    let sum: u64 = pages.filter_map(|page| page["Count"].as_u64()).sum();
    answer["Count"].as_u64().unwrap_or(sum)
}

pub(super) fn transaction_stops_at_the_first_wrong_key(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_cancelled = |kind: &str| kind == "TransactionCanceledException";
    let reasons = |failure: &crate::party::Failure| {
        failure.extra.get("CancellationReasons").and_then(|list| list.as_array().cloned())
    };
    let (Some(one), Some(other)) = (reasons(ours), reasons(theirs)) else { return Applied::No };
    let first = one.iter().position(|reason| reason["Code"] == "ValidationError");
    let is_alone = one.iter().filter(|reason| reason["Code"] != "None").count() == 1;
    let is_first = first.is_some_and(|first| {
        other.get(first) == one.get(first)
            && other[..first].iter().all(|reason| reason["Code"] != "ValidationError")
    });
    let is_accepted =
        is_cancelled(&ours.kind) && is_cancelled(&theirs.kind) && is_alone && is_first;
    accept_if(case, is_accepted)
}

pub(super) fn empty_key_is_no_cancellation(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_empty = ours.kind == "ValidationException"
        && ours.message.contains("cannot contain an empty")
        && theirs.kind == "TransactionCanceledException";
    accept_if(case, is_empty && case.step.operation() == "TransactGetItems")
}

pub(super) fn nested_empty_set_is_refused_at_once(case: &mut Case<'_>) -> Applied {
    let is_refused = ours_says(case, "An string set  may not be empty");
    accept_if(case, is_refused && case.step.fault == Some("nested empty set"))
}

pub(super) fn empty_set_is_not_named(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let unnamed = theirs.message.replace("ExpressionAttributeValues contains invalid value: ", "");
    let unnamed = unnamed.rsplit_once(" for key ").map(|(message, _)| message);
    let is_same = unnamed == Some(ours.message.as_str()) && ours.message.contains("empty");
    accept_if(case, is_same)
}

/// Theirs refuses them with every expression, ours finds nothing or another fault.
pub(super) fn key_conditions_go_with_expressions(case: &mut Case<'_>) -> Applied {
    let Some(theirs) = case.theirs.failure() else { return Applied::No };
    let alone = "Can not use both expression and non-expression parameters in the same request: \
                 Non-expression parameters: {KeyConditions} Expression parameters: ";
    let is_keyed = theirs.message.contains("KeyConditionExpression");
    let is_refused = theirs.message.starts_with(alone) && !is_keyed;
    accept_if(case, is_refused)
}

pub(super) fn select_is_not_counted(case: &mut Case<'_>) -> Applied {
    let is_scan = case.step.operation() == "Scan";
    let Some((ours, theirs)) = failures(case).filter(|_| is_scan) else { return Applied::No };
    let counted = format!("1 validation error detected: {}", ours.message);
    accept_if(case, ours.message.contains(" at 'select' ") && theirs.message == counted)
}

pub(super) fn segment_is_named(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let rest = ours.message.strip_prefix(&theirs.message);
    let is_named = rest.is_some_and(|rest| rest.starts_with(": Segment: "));
    accept_if(case, is_named)
}

/// An undefined value in a filter: theirs finds it when it meets an item.
pub(super) fn undefined_value_names_the_expression(case: &mut Case<'_>) -> Applied {
    let text = "Invalid FilterExpression: An expression attribute value used in expression is not \
                defined; attribute value: ";
    let is_later = match case.theirs.failure() {
        Some(theirs) => theirs.message.starts_with("An expression attribute value used in"),
        None => true,
    };
    accept_if(case, ours_says(case, text) && is_later)
}

pub(super) fn size_is_no_condition(case: &mut Case<'_>) -> Applied {
    let text = "The function is not allowed to be used this way in an expression; function: size";
    accept_if(case, ours_says(case, text))
}

pub(super) fn paths_conflict_in_projections(case: &mut Case<'_>) -> Applied {
    let text = "Invalid ProjectionExpression: Two document paths conflict with each other";
    accept_if(case, ours_says(case, text))
}

pub(super) fn operand_types_are_checked(case: &mut Case<'_>) -> Applied {
    let is_other = match case.theirs.failure() {
        Some(theirs) if theirs.kind == "ValidationException" => {
            theirs.message.contains("The BETWEEN operator requires same data type")
        }
        _ => true,
    };
    let is_refused = ours_says(case, "Incorrect operand type for operator or function") && is_other;
    accept_if(case, is_refused)
}

pub(super) fn operands_must_differ(case: &mut Case<'_>) -> Applied {
    let is_refused = ours_says(case, "The first operand must be distinct from the remaining")
        && !matches!(case.theirs.failure(), Some(theirs) if theirs.kind == "ValidationException");
    accept_if(case, is_refused)
}

pub(super) fn projection_has_a_syntax_error(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_known = ours.message.starts_with("Invalid ProjectionExpression: Syntax error; token: ")
        && (theirs.message.starts_with("Unexpected token in ProjectionExpression: ")
            || theirs.message.contains("Expected attribute name, got"));
    accept_if(case, is_known)
}

pub(super) fn streams_are_listed_for_valid_names(case: &mut Case<'_>) -> Applied {
    let is_refused = ours_says(case, "at 'tableName' failed to satisfy constraint");
    let is_accepted = case.step.operation() == "ListStreams" && case.theirs.answer().is_some();
    accept_if(case, is_refused && is_accepted)
}

/// What is wrong with an update when it meets the item.
const UPDATE_FAULTS: [&str; 6] = [
    "more than 38 significant digits",
    "Number overflow",
    "Number underflow",
    "An operand in the update expression has an incorrect data type",
    "The document path provided in the update expression is invalid for update",
    "The provided expression refers to an attribute that does not exist in the item",
];

pub(super) fn update_reports_another_of_several_faults(case: &mut Case<'_>) -> Applied {
    let is_fault = |text: &str| UPDATE_FAULTS.iter().any(|fault| text.contains(fault));
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_update = case.step.operation() == "UpdateItem" && ours.kind == theirs.kind;
    let is_both = is_fault(&ours.message) && is_fault(&theirs.message);
    accept_if(case, is_update && is_both)
}

/// `contains(a, :x) =` and `a = pk (`: whether the last sign is the surprise, or the end behind it.
pub(super) fn syntax_error_is_behind_the_last_sign(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_known = ["=", "("].iter().any(|sign| {
        let end = format!("Syntax error; token: \"<EOF>\", near: \"{sign}\"");
        let surprise = format!("Syntax error; token: \"{sign}\", near: \"");
        ours.message.ends_with(&end)
            && theirs.message.contains(&surprise)
            && theirs.message.ends_with(&format!(" {sign}\""))
    });
    accept_if(case, is_known)
}

pub(super) fn function_without_its_end_is_a_syntax_error(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_known = ours.message.ends_with("Syntax error; token: \"<EOF>\", near: \"(\"")
        && theirs.message.contains("Invalid function name; function: ");
    accept_if(case, is_known)
}

pub(super) fn start_key_comes_after_the_expressions(case: &mut Case<'_>) -> Applied {
    let is_query = case.step.operation() == "Query";
    let Some((ours, theirs)) = failures(case).filter(|_| is_query) else { return Applied::No };
    let is_start = theirs.message.starts_with("The provided starting key");
    let is_expression =
        ours.message.starts_with("Invalid ") || ours.message.starts_with("Value provided in ");
    accept_if(case, is_start && is_expression)
}
