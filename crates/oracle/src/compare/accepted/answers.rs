//! Accepted differences in answers.

use serde_json::Value;

use super::Applied;
use crate::compare::Case;
use crate::party::Outcome;

/// Both answers, if both are.
fn answers<'a>(case: &'a mut Case<'_>) -> Option<(&'a mut Value, &'a mut Value)> {
    match (&mut case.ours, &mut case.theirs) {
        (Outcome::Answer(ours), Outcome::Answer(theirs)) => Some((ours, theirs)),
        _ => None,
    }
}

fn applied(is_applied: bool) -> Applied {
    if is_applied { Applied::Yes } else { Applied::No }
}

/// Visits the objects at the same place in both.
fn both(ours: &mut Value, theirs: &mut Value, visit: &mut impl FnMut(&mut Value, &mut Value)) {
    visit(ours, theirs);
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in one.iter_mut() {
                if let Some(counterpart) = other.get_mut(name) {
                    both(value, counterpart, visit);
                }
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (value, counterpart) in one.iter_mut().zip(other) {
                both(value, counterpart, visit);
            }
        }
        _ => {}
    }
}

pub(super) fn description_has_more_members(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let (Some(ours), Some(theirs)) = (ours.as_object_mut(), theirs.as_object()) else { return };
        let is_description = ours.contains_key("TableArn") || ours.contains_key("IndexArn");
        for name in ["WarmThroughput", "DeletionProtectionEnabled"] {
            if is_description && !theirs.contains_key(name) {
                is_applied |= ours.remove(name).is_some();
            }
        }
    });
    applied(is_applied)
}
