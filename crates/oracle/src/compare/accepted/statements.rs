//! Accepted differences of PartiQL.

use serde_json::Value;

use super::{Applied, accept_if, failures};
use crate::compare::Case;

const OPERATIONS: [&str; 3] = ["ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"];

/// Whether a text is about operands that do not fit.
fn is_about_operands(text: &str) -> bool {
    ["operator or function", "The BETWEEN operator", "Invalid attribute type name"]
        .iter()
        .any(|part| text.contains(part))
}

pub(super) fn statement_operands_are_checked_with_the_statement(case: &mut Case<'_>) -> Applied {
    let is_failure = case.ours.failure().is_some_and(|failure| is_about_operands(&failure.message));
    let responses = case.ours.answer().and_then(|answer| answer["Responses"].as_array());
    let is_member = responses
        .into_iter()
        .flatten()
        .any(|response| response["Error"]["Message"].as_str().is_some_and(is_about_operands));
    let is_several = ["BatchExecuteStatement", "ExecuteTransaction"];
    let is_one_of_several = is_several.contains(&case.step.operation());
    let is_statement = OPERATIONS.contains(&case.step.operation());
    accept_if(case, is_statement && is_one_of_several && (is_failure || is_member))
}

pub(super) fn deletion_of_nothing_meets_its_condition(case: &mut Case<'_>) -> Applied {
    let is_transaction = case.step.operation() == "ExecuteTransaction";
    let Some((ours, theirs)) = failures(case).filter(|_| is_transaction) else {
        return Applied::No;
    };
    let codes = |extra: &serde_json::Map<String, Value>| -> Vec<String> {
        let reasons = extra.get("CancellationReasons").and_then(Value::as_array);
        let code = |reason: &Value| reason["Code"].as_str().unwrap_or_default().to_owned();
        reasons.into_iter().flatten().map(code).collect()
    };
    let (ours, theirs) = (codes(&ours.extra), codes(&theirs.extra));
    let statements = case.step.body().and_then(|body| body["TransactStatements"].as_array());
    let is_deletion = |position: usize| {
        let statement = statements.and_then(|list| list.get(position)?["Statement"].as_str());
        statement.is_some_and(|statement| statement.starts_with("DELETE"))
    };
    let is_explained = ours.len() == theirs.len()
        && ours.iter().zip(&theirs).enumerate().all(|(position, (one, other))| {
            let is_missed = one == "None" && other == "ConditionalCheckFailed";
            one == other || (is_missed && is_deletion(position))
        });
    accept_if(case, is_explained && ours != theirs)
}

pub(super) fn order_by_counts_partitions(case: &mut Case<'_>) -> Applied {
    let is_refused = case
        .theirs
        .failure()
        .is_some_and(|theirs| theirs.message.starts_with("Must have hash key in ORDER BY clause"));
    let is_answered = case.ours.answer().is_some();
    let statement = case.step.body().and_then(|body| body["Statement"].as_str());
    let is_filtered = statement.is_some_and(|statement| statement.contains(" OR "));
    accept_if(case, is_refused && is_answered && is_filtered)
}
