//! Accepted differences in errors.

use super::{Applied, accept, accept_if, failures, requested};
use crate::compare::Case;
use crate::party::UNREADABLE;

/// Whether ours is an error with this in its text.
fn ours_says(case: &Case<'_>, text: &str) -> bool {
    case.ours.failure().is_some_and(|ours| ours.message.contains(text))
}

pub(super) fn unreadable_body_has_the_services_text(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = failures(case) else { return Applied::No };
    let is_framework =
        ["SerializationException", "ValidationException"].contains(&ours.kind.as_str());
    let is_serde = theirs.message.starts_with(UNREADABLE);
    accept_if(case, is_framework && is_serde)
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
    let is_refused = ours_says(case, "Global secondary index")
        && ours_says(case, "does not project")
        && requested(case, "IndexName").is_some();
    accept_if(case, is_refused)
}

pub(super) fn attribute_type_must_exist(case: &mut Case<'_>) -> Applied {
    accept_if(case, ours_says(case, "Invalid attribute type name found"))
}

pub(super) fn operators_are_limited(case: &mut Case<'_>) -> Applied {
    accept_if(case, ours_says(case, "The expression contains too many operators"))
}

pub(super) fn bounds_are_in_order_everywhere(case: &mut Case<'_>) -> Applied {
    let text = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound";
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
    let is_first = first.is_some_and(|first| other.get(first) == one.get(first)
        && other[..first].iter().all(|reason| reason["Code"] != "ValidationError"));
    let is_accepted =
        is_cancelled(&ours.kind) && is_cancelled(&theirs.kind) && is_alone && is_first;
    accept_if(case, is_accepted)
}
