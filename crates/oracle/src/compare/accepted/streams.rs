//! Accepted differences in streams.

use serde_json::Value;

use super::{Applied, answers, applied, both};
use crate::compare::Case;
use crate::step::Action;

pub(super) fn stream_description_has_a_key_schema(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let (Some(ours), Some(theirs)) =
        (ours.get_mut("StreamDescription").and_then(Value::as_object_mut), theirs["StreamDescription"].as_object())
    else {
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
    let by_key = answer.get_mut("Records").and_then(Value::as_object_mut).into_iter().flat_map(|keys| keys.values_mut());
    by_key.filter_map(Value::as_array_mut).flatten()
}

/// Takes out of their records those of writes that changed nothing: the two images are the same,
/// the image is the same as before or, where the view does not show it, a modification has no
/// counterpart in ours.
pub(super) fn unchanged_write_makes_no_record(case: &mut Case<'_>) -> Applied {
    let is_read = matches!(case.step.action, Action::ReadStream { .. });
    let Some((ours, theirs)) = answers(case).filter(|_| is_read) else { return Applied::No };
    let mut is_applied = false;
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

/// Their records without the modifications that ours has not.
fn aligned(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    let mut surplus = theirs.len() - ours.len();
    for record in theirs {
        let change = &record["dynamodb"];
        let is_modification = record["eventName"] == "MODIFY";
        let shows_change = match (change.get("OldImage"), change.get("NewImage")) {
            (Some(old), Some(new)) => old != new,
            // One image or none: compare with what ours has at this place.
            _ => ours.get(kept.len()).is_some_and(|counterpart| {
                counterpart["dynamodb"]["NewImage"] == change["NewImage"]
                    && counterpart["dynamodb"]["OldImage"] == change["OldImage"]
                    && counterpart["eventName"] == record["eventName"]
            }),
        };
        if is_modification && !shows_change && surplus > 0 {
            surplus -= 1;
        } else {
            kept.push(record.clone());
        }
    }
    // Where nothing tells records apart, the surplus is at the end.
    while surplus > 0 && kept.len() > ours.len() {
        let last = kept.iter().rposition(|record| record["eventName"] == "MODIFY");
        let Some(last) = last else { break };
        kept.remove(last);
        surplus -= 1;
    }
    kept
}
