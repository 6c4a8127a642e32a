//! Accepted differences in what operations on items answer.

use serde_json::{Map, Value};

use super::{Applied, accept_if, answers, both, requested};
use crate::compare::{Case, first_difference};
use crate::generate::single::REMOVAL_OF_NOTHING;
use crate::party::Outcome;
use crate::step::{Action, Feature};

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
    accept_if(case, true)
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
    let nothing = Map::new();
    let ours = ours["Attributes"].as_object().unwrap_or(&nothing);
    let Some(Value::Object(mut attributes)) =
        theirs.as_object_mut().and_then(|answer| answer.remove("Attributes"))
    else {
        return Applied::No;
    };
    let is_applied = take_parts(ours, &mut attributes);
    if !attributes.is_empty() || !ours.is_empty() {
        theirs["Attributes"] = Value::Object(attributes);
    }
    super::applied(is_applied)
}

/// Theirs has whole attributes; ours has a part of each, or nothing where the element is new.
fn take_parts(ours: &Map<String, Value>, theirs: &mut Map<String, Value>) -> bool {
    let is_document = |value: &Value| value.get("L").is_some() || value.get("M").is_some();
    let mut is_applied = false;
    theirs.retain(|name, value| match ours.get(name) {
        None if is_document(value) => {
            is_applied = true;
            false
        }
        Some(part) if part != value && is_document(part) && is_document(value) => {
            *value = part.clone();
            is_applied = true;
            true
        }
        _ => true,
    });
    is_applied
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

/// A projection on a local index that asks for more than the index holds.
pub(super) fn local_index_fetches_from_the_table(case: &mut Case<'_>) -> Applied {
    let is_local = case.step.features.contains(&Feature::Index("LSI"));
    let is_projected = ["ProjectionExpression", "AttributesToGet", "Select"]
        .iter()
        .any(|name| requested(case, name).is_some());
    let Some((ours, theirs)) = answers(case).filter(|_| is_local && is_projected) else {
        return Applied::No;
    };
    let (one, other) = (all_items(ours), all_items(theirs));
    // Theirs are ours with some attributes missing.
    let is_part = |part: &Value, whole: &Value| {
        let (Some(part), Some(whole)) = (part.as_object(), whole.as_object()) else { return false };
        part.iter().all(|(name, value)| whole.get(name) == Some(value))
    };
    let is_fetched = one.len() == other.len()
        && one.iter().all(|whole| other.iter().any(|part| is_part(part, whole)))
        && other.iter().all(|part| one.iter().any(|whole| is_part(part, whole)));
    let has_same_counts = first_difference(&counts(ours), &counts(theirs), String::new()).is_none();
    // What is fetched is filtered too, so that the two may let other items through.
    let scanned = |answer: &Value| {
        let pages = answer["Pages"].as_array().into_iter().flatten();
        let all = pages.chain(std::iter::once(answer));
        all.filter_map(|page| page["ScannedCount"].as_u64()).sum::<u64>()
    };
    let has_same_scanned = scanned(ours) == scanned(theirs);
    let is_filtered = has_same_scanned
        && ["FilterExpression", "QueryFilter", "ScanFilter"]
            .iter()
            .any(|name| requested(case, name).is_some());
    accept_if(case, (is_fetched && has_same_counts) || is_filtered)
}

pub(super) fn all_items(answer: &Value) -> Vec<Value> {
    let pages = answer["Pages"].as_array().into_iter().flatten();
    let items = pages.chain(std::iter::once(answer)).filter_map(|page| page["Items"].as_array());
    items.flatten().cloned().collect()
}

fn counts(answer: &Value) -> Value {
    let pages = answer["Pages"].as_array().into_iter().flatten();
    let counts = pages.chain(std::iter::once(answer)).map(|page| {
        serde_json::json!([page["Count"], page["ScannedCount"], page.get("LastEvaluatedKey")])
    });
    counts.collect()
}

pub(super) fn transaction_tells_item_collections(case: &mut Case<'_>) -> Applied {
    let is_write = case.step.operation() == "TransactWriteItems";
    let Some((ours, theirs)) = answers(case).filter(|_| is_write) else { return Applied::No };
    let Some(metrics) = ours.get("ItemCollectionMetrics") else { return Applied::No };
    if theirs.get("ItemCollectionMetrics").is_some() {
        return Applied::No;
    }
    theirs["ItemCollectionMetrics"] = metrics.clone();
    Applied::Yes
}

/// The same items by the same sort keys, in another order where sort keys are equal.
pub(super) fn equal_index_keys_have_no_order(case: &mut Case<'_>) -> Applied {
    let Action::Pages { operation: "Query", body, order_by, .. } = &case.step.action else {
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

/// The number of an item collection's key as it was sent, and as it is stored.
pub(super) fn item_collection_key_is_normalised(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let Some(key) = ours.get("ItemCollectionKey") else { return };
        let is_number = |value: &Value| value["ItemCollectionKey"]["pk"].get("N").is_some();
        if is_number(ours) && is_number(theirs) && theirs["ItemCollectionKey"] != *key {
            theirs["ItemCollectionKey"] = key.clone();
            is_applied = true;
        }
    });
    super::applied(is_applied)
}

/// Pages that end by size: theirs counts the item at which it stopped too.
pub(super) fn page_ended_by_size_counts_what_it_read(case: &mut Case<'_>) -> Applied {
    let is_read = ["Query", "Scan"].contains(&case.step.operation());
    let Some((ours, theirs)) = answers(case).filter(|_| is_read) else { return Applied::No };
    let is_continued = |page: &Value| page.get("LastEvaluatedKey").is_some();
    let surplus_max = if theirs.get("Pages").is_some_and(Value::is_array) { 1 } else { PAGES_MAX };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let scanned = |page: &Value| page.get("ScannedCount").and_then(Value::as_u64);
        let (Some(one), Some(other)) = (scanned(ours), scanned(theirs)) else { return };
        let is_surplus = other > one && other - one <= surplus_max;
        if is_surplus && (surplus_max > 1 || is_continued(theirs)) {
            theirs["ScannedCount"] = ours["ScannedCount"].clone();
            is_applied = true;
        }
    });
    super::applied(is_applied)
}

/// The items of a sequence do not fill more pages.
const PAGES_MAX: u64 = 20;
