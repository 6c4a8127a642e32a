//! Accepted differences in streams.

use serde_json::Value;

use super::{Applied, accept_if, answers, applied, both};
use crate::compare::Case;
use crate::step::Action;

pub(super) fn stream_description_has_a_key_schema(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let (Some(ours), Some(theirs)) = (
        ours.get_mut("StreamDescription").and_then(Value::as_object_mut),
        theirs["StreamDescription"].as_object(),
    ) else {
        return Applied::No;
    };
    applied(!theirs.contains_key("KeySchema") && ours.remove("KeySchema").is_some())
}

pub(super) fn record_size_is_that_of_the_items(case: &mut Case<'_>) -> Applied {
    let is_read = matches!(case.step.action, Action::ReadStream { .. });
    let Some((ours, theirs)) = answers(case).filter(|_| is_read) else { return Applied::No };
    let mut is_applied = false;
    for side in [ours, theirs] {
        for record in records(side) {
            if let Some(change) = record.get_mut("dynamodb").and_then(Value::as_object_mut) {
                is_applied |= change.remove("SizeBytes").is_some();
            }
        }
    }
    applied(is_applied)
}

fn records(answer: &mut Value) -> impl Iterator<Item = &mut Value> {
    let by_key = answer
        .get_mut("Records")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|keys| keys.values_mut());
    by_key.filter_map(Value::as_array_mut).flatten()
}

/// Takes out of their records those of writes that changed nothing.
pub(super) fn unchanged_write_makes_no_record(case: &mut Case<'_>) -> Applied {
    let is_read = matches!(case.step.action, Action::ReadStream { .. });
    let Some((ours, theirs)) = answers(case).filter(|_| is_read) else { return Applied::No };
    let mut is_applied = only_modified(ours, theirs);
    both(ours, theirs, &mut |ours, theirs| {
        let (Some(ours), Some(theirs)) = (ours.as_array(), theirs.as_array_mut()) else { return };
        let is_records = theirs.first().is_some_and(|record| record.get("eventName").is_some());
        if is_records && theirs.len() > ours.len() {
            let aligned = aligned(ours, theirs);
            is_applied |= aligned.len() < theirs.len();
            *theirs = aligned;
        }
    });
    applied(is_applied)
}

/// Takes out the keys of which ours has no record, and theirs has modifications only.
fn only_modified(ours: &Value, theirs: &mut Value) -> bool {
    let Some(keys) = theirs.get_mut("Records").and_then(Value::as_object_mut) else { return false };
    let count = keys.len();
    keys.retain(|key, records| {
        let mut records = records.as_array().into_iter().flatten();
        ours["Records"].get(key).is_some() || !records.all(|record| record["eventName"] == "MODIFY")
    });
    keys.len() < count
}

/// A stream that was disabled and enabled again: theirs goes on, so that ours is part of it.
pub(super) fn new_stream_starts_empty(case: &mut Case<'_>) -> Applied {
    let is_new = matches!(case.step.action, Action::ReadStream { is_restarted: true, .. });
    let Some((ours, theirs)) = answers(case).filter(|_| is_new) else { return Applied::No };
    let Some(keys) = ours["Records"].as_object() else { return Applied::No };
    let is_part = keys.iter().all(|(key, records)| {
        let mut all = theirs["Records"][key].as_array().into_iter().flatten();
        let mut records = records.as_array().into_iter().flatten();
        records.all(|record| all.any(|counterpart| counterpart == record))
    });
    accept_if(case, is_part)
}

/// Their records without the modifications that changed nothing.
fn aligned(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let mut surplus = theirs.len() - ours.len();
    let mut kept: Vec<Value> = Vec::new();
    for (place, record) in theirs.iter().enumerate() {
        let is_same = ours.get(kept.len()) == Some(record);
        let goes =
            record["eventName"] == "MODIFY" && is_unchanged(theirs, place).unwrap_or(!is_same);
        if surplus > 0 && goes {
            surplus -= 1;
        } else {
            kept.push(record.clone());
        }
    }
    kept
}

/// Whether a modification changed nothing, if the view shows it.
fn is_unchanged(records: &[Value], place: usize) -> Option<bool> {
    let image = |place: usize, name: &str| records.get(place)?["dynamodb"].get(name);
    match (image(place, "OldImage"), image(place, "NewImage")) {
        (Some(old), Some(new)) => Some(old == new),
        // The image before is that of the record before, the image after that of the next.
        (None, Some(new)) => Some(image(place.checked_sub(1)?, "NewImage")? == new),
        (Some(old), None) => Some(image(place + 1, "OldImage")? == old),
        (None, None) => None,
    }
}
