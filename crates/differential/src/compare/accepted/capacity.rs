//! Accepted differences in consumed capacity.

use serde_json::Value;

use super::{Applied, answers, applied, requested};
use crate::compare::Case;
use crate::step::Feature;

/// Reads of a local index: a Scan is charged to the index, and what is fetched to the table.
pub(super) fn local_index_read_is_charged_to_the_index(case: &mut Case<'_>) -> Applied {
    let operation = case.step.operation();
    let is_local = case.step.features.contains(&Feature::Index("LSI"));
    let fetches = ["ProjectionExpression", "AttributesToGet", "Select"]
        .iter()
        .any(|name| requested(case, name).is_some());
    let may_differ = match operation {
        "Scan" => is_local,
        "Query" => is_local && fetches,
        _ => false,
    };
    let Some((ours, theirs)) = answers(case).filter(|_| may_differ) else { return Applied::No };
    let mut is_applied = replace(ours, theirs, fetches);
    let pages = theirs.get_mut("Pages").and_then(Value::as_array_mut);
    if let (Some(ours), Some(theirs)) = (ours["Pages"].as_array(), pages) {
        for (page, counterpart) in ours.iter().zip(theirs) {
            is_applied |= replace(page, counterpart, fetches);
        }
    }
    applied(is_applied)
}

/// The sum stays the same, or grows by what is fetched.
fn replace(ours: &Value, theirs: &mut Value, fetches: bool) -> bool {
    let Some(consumed) = ours.get("ConsumedCapacity") else { return false };
    let Some(place) = theirs.get_mut("ConsumedCapacity") else { return false };
    let units = |consumed: &Value| consumed["CapacityUnits"].as_f64().unwrap_or_default();
    let is_plausible =
        units(consumed) == units(place) || (fetches && units(consumed) > units(place));
    let is_other = place != consumed;
    if is_plausible {
        *place = consumed.clone();
    }
    is_other && is_plausible
}
