//! Accepted differences in consumed capacity.

use serde_json::Value;

use super::{Applied, answers, applied};
use crate::compare::Case;
use crate::step::Feature;

/// Reads of a local index: what the index costs, and what fetching from the table costs.
pub(super) fn local_index_read_is_charged_to_the_index(case: &mut Case<'_>) -> Applied {
    let is_read = ["Query", "Scan"].contains(&case.step.operation());
    let is_local = case.step.features.contains(&Feature::Index("LSI"));
    let Some((ours, theirs)) = answers(case).filter(|_| is_read && is_local) else {
        return Applied::No;
    };
    let mut is_applied = replace(ours, theirs);
    if let (Some(ours), Some(theirs)) = (ours["Pages"].as_array(), theirs.get_mut("Pages").and_then(Value::as_array_mut)) {
        for (page, counterpart) in ours.iter().zip(theirs) {
            is_applied |= replace(page, counterpart);
        }
    }
    applied(is_applied)
}

fn replace(ours: &Value, theirs: &mut Value) -> bool {
    let Some(consumed) = ours.get("ConsumedCapacity") else { return false };
    let Some(place) = theirs.get_mut("ConsumedCapacity") else { return false };
    let is_other = place != consumed;
    *place = consumed.clone();
    is_other
}
