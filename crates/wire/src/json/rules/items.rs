//! GetItem, PutItem, UpdateItem, DeleteItem.

use super::{
    ATTRIBUTES_TO_GET, CAPACITY, Finding, METRICS, Members, ON_FAILURE, Rule, Stage, TABLE_NAME,
    TABLE_NAME_NOT_EMPTY, lacks_table_name, text,
};
use crate::json::constraint::refusal;
use crate::json::members::object;

/// In the order of the older checker's message.
const RETURN_VALUES: &[&str] = &["ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"];
const RETURN_VALUES_OLDER: Rule = Rule::OneOf("ReturnValues", RETURN_VALUES);
/// The newer checker names neither value nor member, and misspells the last but one.
const RETURN_VALUES_NEWER: Rule = Rule::Special(|members| {
    let found = text(members, "ReturnValues")?;
    (!RETURN_VALUES.contains(&found)).then(|| {
        Finding::Listed(
            "Failed to satisfy constraint: Member must satisfy enum value set: \
             [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
                .to_owned(),
        )
    })
});

fn has_key(members: &Members) -> bool {
    object(members, "Key").is_some()
}

/// DeleteItem gives back the whole old item or nothing, and says so together with the rest.
const DELETE_RETURN_VALUES: Rule = Rule::Special(|members| {
    let found = text(members, "ReturnValues")?;
    let refused = ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"].contains(&found);
    (refused && has_key(members))
        .then(|| Finding::Listed("ReturnValues can only be ALL_OLD or NONE".to_owned()))
});

pub(in crate::json) const GET_ITEM: &[Stage] = &[
    Stage::always(&[TABLE_NAME_NOT_EMPTY]),
    Stage::always(&[Rule::Required("Key"), TABLE_NAME, CAPACITY, ATTRIBUTES_TO_GET]),
];

pub(in crate::json) const PUT_ITEM: &[Stage] = &[
    Stage::always(&[TABLE_NAME_NOT_EMPTY]),
    Stage::always(&[
        TABLE_NAME,
        Rule::Required("Item"),
        CAPACITY,
        RETURN_VALUES_NEWER,
        METRICS,
        ON_FAILURE,
    ]),
];

pub(in crate::json) const DELETE_ITEM: &[Stage] = &[
    Stage::always(&[TABLE_NAME_NOT_EMPTY]),
    Stage::always(&[
        TABLE_NAME,
        Rule::Required("Key"),
        CAPACITY,
        RETURN_VALUES_NEWER,
        METRICS,
        ON_FAILURE,
        DELETE_RETURN_VALUES,
    ]),
];

/// UpdateItem stops at the first bad member, and reports two of them without the count in front.
/// Without a key it falls to the older checker, which reports everything but an empty table name
/// together.
pub(in crate::json) const UPDATE_ITEM: &[Stage] = &[
    Stage::always(&[TABLE_NAME_NOT_EMPTY]),
    Stage::when(
        |members| !has_key(members),
        &[CAPACITY, TABLE_NAME, RETURN_VALUES_OLDER, ON_FAILURE, METRICS, Rule::Required("Key")],
    ),
    Stage::when(lacks_table_name, &[Rule::Required("TableName"), RETURN_VALUES_OLDER]),
    Stage::always(&[Rule::Pattern("TableName"), Rule::Length("TableName", 3, 255)]),
    Stage::always(&[RETURN_VALUES_NEWER]),
    Stage::always(&[Rule::Special(|members| {
        uncounted(members, "ReturnValuesOnConditionCheckFailure", &["ALL_OLD", "NONE"])
    })]),
    Stage::always(&[METRICS]),
    Stage::always(&[Rule::Special(|members| {
        uncounted(members, "ReturnConsumedCapacity", &["INDEXES", "TOTAL", "NONE"])
    })]),
];

/// A text that is none of those accepted, reported without the count in front.
pub(super) fn uncounted(members: &Members, name: &str, accepted: &[&str]) -> Option<Finding> {
    let found = text(members, name).filter(|found| !accepted.contains(found))?;
    let constraint = format!("Member must satisfy enum value set: [{}]", accepted.join(", "));
    let path = crate::json::echo::lower_camel(name);
    Some(Finding::Worded(refusal(Some(found), &path, &constraint)))
}
