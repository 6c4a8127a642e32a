//! Accepted differences in what is said of tables.

use serde_json::Value;

use super::{Applied, accept_if, answers, applied, both, requested};
use crate::compare::Case;

pub(super) fn description_has_more_members(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let (Some(ours), Some(theirs)) = (ours.as_object_mut(), theirs.as_object()) else { return };
        let members = [
            "WarmThroughput",
            "DeletionProtectionEnabled",
            "LastUpdateToPayPerRequestDateTime",
        ];
        let is_description = ["TableArn", "IndexArn", "BillingMode", "TableThroughputMode"]
            .iter()
            .any(|name| ours.contains_key(*name));
        for name in members.iter().filter(|name| !theirs.contains_key(**name)) {
            is_applied |= is_description && ours.remove(*name).is_some();
        }
    });
    applied(is_applied)
}

/// The indexes of an UpdateTable answer: theirs is done at once, ours is on its way.
pub(super) fn indexes_come_and_go_in_time(case: &mut Case<'_>) -> Applied {
    if requested(case, "GlobalSecondaryIndexUpdates").is_none() {
        return Applied::No;
    }
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let (Some(ours), Some(theirs)) =
        (ours.get("TableDescription"), theirs.get_mut("TableDescription"))
    else {
        return Applied::No;
    };
    let is_on_its_way = |index: &Value| index["IndexStatus"] != "ACTIVE";
    let indexes = ours["GlobalSecondaryIndexes"].as_array();
    if !indexes.is_some_and(|indexes| indexes.iter().any(is_on_its_way)) {
        return Applied::No;
    }
    theirs["TableStatus"] = ours["TableStatus"].clone();
    theirs["GlobalSecondaryIndexes"] = ours["GlobalSecondaryIndexes"].clone();
    theirs["AttributeDefinitions"] = ours["AttributeDefinitions"].clone();
    Applied::Yes
}

pub(super) fn added_index_keeps_its_throughput(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        if theirs.get("IndexArn").is_none() {
            return;
        }
        let units = |value: &Value| value["ProvisionedThroughput"]["ReadCapacityUnits"].as_u64();
        if units(theirs) == Some(0) && units(ours) == Some(5) {
            theirs["ProvisionedThroughput"] = ours["ProvisionedThroughput"].clone();
            is_applied = true;
        }
    });
    applied(is_applied)
}

pub(super) fn stream_keeps_its_name_after_it_ends(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let (Some(ours), Some(theirs)) = (ours.as_object_mut(), theirs.as_object()) else { return };
        let is_ended = ours.contains_key("TableArn") && !ours.contains_key("StreamSpecification");
        for name in ["LatestStreamArn", "LatestStreamLabel"] {
            if is_ended && !theirs.contains_key(name) {
                is_applied |= ours.remove(name).is_some();
            }
        }
    });
    applied(is_applied)
}

pub(super) fn time_to_live_cannot_be_disabled_twice(case: &mut Case<'_>) -> Applied {
    let refused = case.ours.failure().is_some_and(|ours| {
        ["TimeToLive is already disabled", "TimeToLive is already enabled"]
            .iter()
            .any(|text| ours.message.contains(text))
            || ours.message.contains("Time to live has been modified multiple times")
    });
    accept_if(case, refused && case.step.operation() == "UpdateTimeToLive")
}
