//! Accepted differences in what operations on items answer.

use serde_json::{Map, Value};

use super::{Applied, accept_if, answers, requested};
use crate::compare::Case;
use crate::generate::single::REMOVAL_OF_NOTHING;
use crate::party::Outcome;
use crate::step::Action;

fn has_keys_only(item: &Map<String, Value>) -> bool {
    item.keys().all(|name| ["pk", "sk"].contains(&name.as_str()))
}

pub(super) fn update_of_nothing_returns_nothing_old(case: &mut Case<'_>) -> Applied {
    let is_old = requested(case, "ReturnValues").is_some_and(|word| *word == "ALL_OLD");
    let is_update = case.step.operation() == "UpdateItem";
    let Some((ours, theirs)) = answers(case).filter(|_| is_old && is_update) else {
        return Applied::No;
    };
    let is_empty = theirs["Attributes"].as_object().is_some_and(has_keys_only);
    if ours.get("Attributes").is_some() || !is_empty {
        return Applied::No;
    }
    theirs.as_object_mut().map(|answer| answer.remove("Attributes"));
    Applied::Yes
}

pub(super) fn removal_makes_no_item(case: &mut Case<'_>) -> Applied {
    if case.step.fault != Some(REMOVAL_OF_NOTHING) {
        return Applied::No;
    }
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let is_made = theirs["Item"].as_object().is_some_and(has_keys_only);
    if ours.get("Item").is_some() || !is_made {
        return Applied::No;
    }
    case.theirs = case.ours.clone();
    Applied::YesAndEnds
}

pub(super) fn updated_list_elements_come_alone(case: &mut Case<'_>) -> Applied {
    let is_part = requested(case, "ReturnValues")
        .is_some_and(|word| ["UPDATED_OLD", "UPDATED_NEW"].iter().any(|part| word == part));
    let is_element = requested(case, "UpdateExpression")
        .and_then(Value::as_str)
        .is_some_and(|text| text.contains('['));
    let Some((ours, theirs)) = answers(case).filter(|_| is_part && is_element) else {
        return Applied::No;
    };
    let (Some(ours), Some(theirs)) =
        (ours["Attributes"].as_object(), theirs.get_mut("Attributes").and_then(Value::as_object_mut))
    else {
        return Applied::No;
    };
    let mut is_applied = false;
    for (name, value) in theirs.iter_mut() {
        // Theirs is the whole attribute: whatever ours has of it must be a list or map too.
        if let Some(part) = ours.get(name).filter(|part| *part != value) {
            let is_same_type = ["L", "M"].iter().any(|kind| {
                part.get(*kind).is_some() && value.get(*kind).is_some()
            });
            if is_same_type {
                *value = part.clone();
                is_applied = true;
            }
        }
    }
    super::applied(is_applied)
}

pub(super) fn transaction_projects_no_keys(case: &mut Case<'_>) -> Applied {
    if case.step.operation() != "TransactGetItems" {
        return Applied::No;
    }
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let (Some(ours), Some(theirs)) =
        (ours["Responses"].as_array(), theirs.get_mut("Responses").and_then(Value::as_array_mut))
    else {
        return Applied::No;
    };
    let mut is_applied = false;
    for (one, other) in ours.iter().zip(theirs) {
        let Some(item) = other.get_mut("Item").and_then(Value::as_object_mut) else { continue };
        for key in ["pk", "sk"] {
            if one["Item"].get(key).is_none() {
                is_applied |= item.remove(key).is_some();
            }
        }
        if item.is_empty() && one.get("Item").is_none() {
            other.as_object_mut().map(|entry| entry.remove("Item"));
        }
    }
    super::applied(is_applied)
}

/// The same items by the same sort keys, in another order where sort keys are equal.
pub(super) fn equal_index_keys_have_no_order(case: &mut Case<'_>) -> Applied {
    let Action::Pages { operation: "Query", body, order_by } = &case.step.action else {
        return Applied::No;
    };
    let order_by = order_by.clone();
    if body.get("IndexName").is_none() {
        return Applied::No;
    }
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let (one, other) = (Whole::of(ours, &order_by), Whole::of(theirs, &order_by));
    let is_same = one == other;
    accept_if(case, is_same)
}

/// All pages of a Query taken together.
#[derive(PartialEq)]
struct Whole {
    count: u64,
    scanned_count: u64,
    items: Vec<String>,
    sort_keys: Vec<Vec<String>>,
    consumed: Option<Value>,
}

impl Whole {
    fn of(answer: &Value, order_by: &[String]) -> Whole {
        let pages = answer["Pages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let sum = |name: &str| pages.iter().filter_map(|page| page[name].as_u64()).sum();
        let items = || pages.iter().filter_map(|page| page["Items"].as_array()).flatten();
        let sort_key = |item: &Value| {
            order_by.iter().map(|name| item[name].to_string()).collect::<Vec<String>>()
        };
        let mut texts: Vec<String> = items().map(Value::to_string).collect();
        texts.sort_unstable();
        Whole {
            count: sum("Count"),
            scanned_count: sum("ScannedCount"),
            items: texts,
            sort_keys: items().map(sort_key).collect(),
            // Each page is rounded for itself: only a single one compares.
            consumed: (pages.len() == 1).then(|| pages[0]["ConsumedCapacity"].clone()),
        }
    }
}

pub(super) fn query_by_whole_key_ends(case: &mut Case<'_>) -> Applied {
    let is_endless = matches!(&case.theirs, Outcome::Failure(failure) if failure.kind == "Endless");
    let is_answered = case.ours.answer().is_some();
    accept_if(case, is_endless && is_answered && case.step.operation() == "Query")
}
