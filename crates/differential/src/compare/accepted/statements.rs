//! Accepted differences of PartiQL.

use serde_json::Value;

use super::{Applied, accept_if, answers, failures};
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
    // A statement that could not be read is neither a read nor a write.
    let is_mixed = failures(case).is_some_and(|(ours, theirs)| {
        ours.message.contains("contains duplicates")
            && theirs.message.starts_with("Read and write requests together")
    });
    let is_known = is_failure || is_member || is_mixed;
    accept_if(case, is_statement && is_one_of_several && is_known)
}

pub(super) fn statement_reports_another_of_several_operands(case: &mut Case<'_>) -> Applied {
    let is_statement = case.step.operation() == "ExecuteStatement";
    let is_both = failures(case).is_some_and(|(ours, theirs)| {
        is_about_operands(&ours.message) && is_about_operands(&theirs.message)
    });
    accept_if(case, is_statement && is_both)
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

/// The statements of a request.
fn statements(case: &Case<'_>) -> Vec<String> {
    let body = case.step.body().cloned().unwrap_or_default();
    let one = |of: &Value| of["Statement"].as_str().map(str::to_owned);
    let several = ["Statements", "TransactStatements"].iter();
    let several = several.filter_map(|name| body[*name].as_array()).flatten().filter_map(one);
    one(&body).into_iter().chain(several).collect()
}

/// Everything that an outcome says in messages, as one text.
fn messages(outcome: &crate::party::Outcome) -> String {
    match (outcome.answer(), outcome.failure()) {
        (Some(answer), _) => answer["Responses"].to_string(),
        (_, Some(failure)) => {
            format!("{} {}", failure.message, Value::Object(failure.extra.clone()))
        }
        _ => String::new(),
    }
}

pub(super) fn statement_update_reports_another_of_several_faults(case: &mut Case<'_>) -> Applied {
    let faults = [
        "An operand in the update expression has an incorrect data type",
        "The provided expression refers to an attribute that does not exist in the item",
        "Attempting to store more than 38 significant digits in a Number",
    ];
    let (ours, theirs) = (messages(&case.ours), messages(&case.theirs));
    let is_other = faults.iter().any(|fault| ours.contains(fault) && !theirs.contains(fault))
        && faults.iter().any(|fault| theirs.contains(fault));
    let is_statement = OPERATIONS.contains(&case.step.operation());
    accept_if(case, is_statement && is_other)
}

pub(super) fn contains_looks_into_binaries(case: &mut Case<'_>) -> Applied {
    let has_binary = case.step.body().is_some_and(|body| body.to_string().contains("{\"B\":"));
    let asks = statements(case).iter().any(|statement| statement.contains("contains("));
    accept_if(case, asks && has_binary)
}

pub(super) fn contains_compares_numbers(case: &mut Case<'_>) -> Applied {
    let asks = statements(case).iter().any(|statement| statement.contains("contains("));
    let is_written_otherwise = case.step.body().is_some_and(has_number_written_otherwise);
    accept_if(case, asks && is_written_otherwise)
}

/// Whether a number is written otherwise than it is answered, such as `1.0`.
fn has_number_written_otherwise(json: &Value) -> bool {
    match json {
        Value::Object(members) => members.iter().any(|(name, value)| match value {
            Value::String(text) if name == "N" => {
                text.parse::<values::Number>().is_ok_and(|number| number.to_string() != *text)
            }
            _ => has_number_written_otherwise(value),
        }),
        Value::Array(elements) => elements.iter().any(has_number_written_otherwise),
        _ => false,
    }
}

pub(super) fn or_between_other_attributes_is_a_filter(case: &mut Case<'_>) -> Applied {
    let joins = statements(case).iter().any(|statement| statement.contains(" OR "));
    let Some((ours, theirs)) = answers(case).filter(|_| joins) else { return Applied::No };
    let units = |answer: &Value| answer["ConsumedCapacity"]["CapacityUnits"].as_f64();
    let is_less = units(ours).zip(units(theirs)).is_some_and(|(ours, theirs)| ours < theirs);
    if is_less {
        theirs["ConsumedCapacity"] = ours["ConsumedCapacity"].clone();
    }
    super::applied(is_less)
}
