//! Accepted differences in what is said of tables.

use serde_json::Value;

use super::{Applied, accept_if, answers, applied, both, requested};
use crate::compare::Case;

pub(super) fn description_has_more_members(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = answers(case) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        let (Some(ours), Some(theirs)) = (ours.as_object_mut(), theirs.as_object()) else { return };
        let members =
            ["WarmThroughput", "DeletionProtectionEnabled", "LastUpdateToPayPerRequestDateTime"];
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

pub(super) fn time_to_live_changes_one_step_at_a_time(case: &mut Case<'_>) -> Applied {
    let refused = case.ours.failure().is_some_and(|ours| {
        [
            "TimeToLive is already",
            "TimeToLive is active on a different AttributeName",
            "Time to live has been modified multiple times within a fixed interval",
        ]
        .iter()
        .any(|text| ours.message.starts_with(text))
    });
    accept_if(case, refused && case.step.operation() == "UpdateTimeToLive")
}

pub(super) fn changed_table_is_updating_for_a_while(case: &mut Case<'_>) -> Applied {
    let is_update = case.step.operation() == "UpdateTable";
    let Some((ours, theirs)) = answers(case).filter(|_| is_update) else { return Applied::No };
    let status = &ours["TableDescription"]["TableStatus"];
    if *status != "UPDATING" || theirs["TableDescription"]["TableStatus"] != "ACTIVE" {
        return Applied::No;
    }
    theirs["TableDescription"]["TableStatus"] = status.clone();
    Applied::Yes
}

pub(super) fn time_to_live_has_the_words_of_whole_tables(case: &mut Case<'_>) -> Applied {
    let refused = case.ours.failure().is_some_and(|ours| {
        ours.message.starts_with("TableName must be at least 3 characters long")
            || ours.message.starts_with("The parameter 'TableName' is required")
    });
    let is_update = case.step.operation() == "UpdateTimeToLive";
    let is_refused = case.theirs.failure().is_some();
    accept_if(case, refused && is_update && is_refused)
}

pub(super) fn ended_stream_is_listed(case: &mut Case<'_>) -> Applied {
    let is_list = case.step.operation() == "ListStreams";
    let Some((ours, theirs)) = answers(case).filter(|_| is_list) else { return Applied::No };
    let (Some(one), Some(other)) = (ours["Streams"].as_array(), theirs["Streams"].as_array())
    else {
        return Applied::No;
    };
    let is_longer = one.len() > other.len() && other.iter().all(|stream| one.contains(stream));
    accept_if(case, is_longer)
}

pub(super) fn deleted_table_shows_no_definition(case: &mut Case<'_>) -> Applied {
    let is_delete = case.step.operation() == "DeleteTable";
    let Some((ours, theirs)) = answers(case).filter(|_| is_delete) else { return Applied::No };
    let members = [
        "AttributeDefinitions",
        "CreationDateTime",
        "GlobalSecondaryIndexes",
        "KeySchema",
        "LocalSecondaryIndexes",
    ];
    let is_shown = members.iter().any(|name| ours["TableDescription"].get(name).is_some());
    let Some(theirs) = theirs["TableDescription"].as_object_mut() else { return Applied::No };
    let shown = members.iter().filter(|name| theirs.remove(**name).is_some()).count();
    applied(!is_shown && shown > 0)
}

pub(super) fn deleted_table_tells_its_last_size(case: &mut Case<'_>) -> Applied {
    let is_delete = case.step.operation() == "DeleteTable";
    let Some((ours, theirs)) = answers(case).filter(|_| is_delete) else { return Applied::No };
    let mut is_applied = false;
    both(ours, theirs, &mut |ours, theirs| {
        for name in ["ItemCount", "TableSizeBytes", "IndexSizeBytes"] {
            if theirs.get(name).and_then(Value::as_u64) == Some(0) && ours.get(name).is_some() {
                is_applied |= ours[name] != theirs[name];
                theirs[name] = ours[name].clone();
            }
        }
    });
    applied(is_applied)
}

/// What is wrong with a definition: how our text begins, and how theirs does.
const DEFINITION_TEXTS: [(&str, &str); 6] = [
    (
        "One or more parameter values were invalid: AttributeDefinitions is not specified for index",
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    ("Requested resource not found: Index ", "Requested resource not found: Table: "),
    ("At least one of ProvisionedThroughput, ", "At least one of ProvisionedThroughput, "),
    (
        "Attribute Name is duplicated: ",
        "One or more parameter values were invalid: Number of attributes in KeySchema does not",
    ),
    (
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    (
        "Attempting to create an index which already exists",
        "One or more parameter values were invalid: Index already exists: ",
    ),
];

pub(super) fn definition_error_has_another_text(case: &mut Case<'_>) -> Applied {
    let Some((ours, theirs)) = super::failures(case) else { return Applied::No };
    let is_known = DEFINITION_TEXTS
        .iter()
        .any(|(one, other)| ours.message.starts_with(one) && theirs.message.starts_with(other));
    let is_definition = ["CreateTable", "UpdateTable"].contains(&case.step.operation());
    let is_same_kind = ours.kind == theirs.kind;
    accept_if(case, is_known && is_definition && is_same_kind)
}
