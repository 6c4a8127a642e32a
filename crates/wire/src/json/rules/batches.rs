//! BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems.

use super::{
    ATTRIBUTES_TO_GET, CAPACITY, Finding, METRICS, Members, Node, ON_FAILURE, Rule, Stage, is_name,
    refusal,
};
use crate::json::echo::echo;
use crate::json::members::{array, object, objects, table_name_of};
use crate::json::shape::Shape;
use crate::json::shapes::items::{TRANSACT_GETS, TRANSACT_WRITES, WRITE_REQUESTS};

const KEYS_MAX: usize = 100;
const WRITES_MAX: usize = 25;
const ACTIONS_MAX: usize = 100;

const KEY_CONSTRAINT: &str = "Map keys must satisfy constraint: \
     [Member must have length less than or equal to 255, \
     Member must have length greater than or equal to 3, \
     Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]";
const VALUE_CONSTRAINT: &str = "Map value must satisfy constraint: \
     [Member must have length less than or equal to 25, \
     Member must have length greater than or equal to 1]";

pub(in crate::json) const BATCH_GET_ITEM: &[Stage] = &[
    Stage::always(&[Rule::Required("RequestItems"), Rule::Special(no_tables_to_read)]),
    Stage::always(&[Rule::EachEntry("RequestItems", &[Rule::Required("Keys")])]),
    Stage::always(&[Rule::Special(no_keys)]),
    Stage::always(&[Rule::Special(too_many_keys)]),
    Stage::always(&[Rule::Special(table_names_to_read), CAPACITY]),
    Stage::always(&[Rule::EachEntry("RequestItems", &[ATTRIBUTES_TO_GET])]),
];

pub(in crate::json) const BATCH_WRITE_ITEM: &[Stage] = &[
    Stage::always(&[Rule::Special(|members| {
        object(members, "RequestItems")
            .is_none_or(Members::is_empty)
            .then_some(Finding::Plain("The requestItems parameter is required for BatchWriteItem"))
    })]),
    Stage::always(&[Rule::Special(write_counts), CAPACITY, METRICS]),
    Stage::always(&[Rule::Special(table_names_to_write)]),
];

fn no_tables_to_read(members: &Members) -> Option<Finding> {
    object(members, "RequestItems")?
        .is_empty()
        .then(|| Finding::Listed(keys_refusal("RequestItems", "greater than or equal to 1")))
}

fn keys_refusal(path: &str, bound: &str) -> String {
    format!("Value at '{path}' failed to satisfy constraint: Member must have length {bound}")
}

/// How many keys each table of a BatchGetItem asks for.
fn key_counts(members: &Members) -> Vec<(&str, usize)> {
    let tables = object(members, "RequestItems").into_iter().flatten();
    tables
        .filter_map(|(table, request)| Some((table, array(request.as_object()?, "Keys")?.len())))
        .collect()
}

fn no_keys(members: &Members) -> Option<Finding> {
    let (table, _) = key_counts(members).into_iter().find(|(_, count)| *count == 0)?;
    let path = format!("RequestItems.{table}.member.Keys");
    Some(Finding::Listed(keys_refusal(&path, "greater than or equal to 1")))
}

fn too_many_keys(members: &Members) -> Option<Finding> {
    let counts = key_counts(members);
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    if total <= KEYS_MAX || !has_valid_table_names(members) {
        return None;
    }
    let Some((table, _)) = counts.into_iter().find(|(_, count)| *count > KEYS_MAX) else {
        return Some(Finding::Plain("Too many items requested for the BatchGetItem call"));
    };
    let path = format!("RequestItems.{table}.member.Keys");
    Some(Finding::Listed(keys_refusal(&path, "less than or equal to 100")))
}

fn has_valid_table_names(members: &Members) -> bool {
    let mut tables = object(members, "RequestItems").into_iter().flatten();
    tables.all(|(table, _)| {
        let name = table_name_of(table);
        (3..=255).contains(&name.len()) && is_name(name)
    })
}

/// A BatchGetItem is echoed as JSON, a BatchWriteItem as the Java model prints it.
fn table_names_to_read(members: &Members) -> Option<Finding> {
    let shown = members.get("RequestItems").filter(|_| !has_valid_table_names(members))?;
    let shown = shown.to_string();
    Some(Finding::Listed(refusal(Some(&shown), "requestItems", KEY_CONSTRAINT)))
}

fn table_names_to_write(members: &Members) -> Option<Finding> {
    (!has_valid_table_names(members)).then(|| writes_refusal(members, KEY_CONSTRAINT))
}

fn writes_refusal(members: &Members, constraint: &str) -> Finding {
    const REQUEST_ITEMS: Shape = Shape::Map(&WRITE_REQUESTS);
    let shown = echo(&REQUEST_ITEMS, members.get("RequestItems").unwrap_or(&Node::Null));
    Finding::Listed(refusal(Some(&shown), "requestItems", constraint))
}

fn write_counts(members: &Members) -> Option<Finding> {
    let tables = object(members, "RequestItems")?;
    let counts = || tables.values().filter_map(Node::as_array).map(<[Node]>::len);
    if counts().any(|count| !(1..=WRITES_MAX).contains(&count)) {
        return Some(writes_refusal(members, VALUE_CONSTRAINT));
    }
    let is_too_much = counts().sum::<usize>() > WRITES_MAX;
    is_too_much.then_some(Finding::Plain("Too many items requested for the BatchWriteItem call"))
}

pub(in crate::json) const TRANSACT_GET_ITEMS: &[Stage] = &[
    Stage::always(&[
        Rule::Required("TransactItems"),
        Rule::Elements("TransactItems", 1, ACTIONS_MAX, &TRANSACT_GETS),
    ]),
    Stage::always(&[
        Rule::Each(
            "TransactItems",
            &[
                Rule::Required("Get"),
                Rule::Within("Get", &[Rule::Required("Key"), Rule::Required("TableName")]),
            ],
        ),
        CAPACITY,
    ]),
    Stage::always(&[Rule::Each("TransactItems", &[Rule::Within("Get", ACTION_TABLE_NAME)])]),
];

/// Inside a transaction the length comes before the pattern.
const ACTION_TABLE_NAME: &[Rule] = &[Rule::Length("TableName", 3, 255), Rule::Pattern("TableName")];

pub(in crate::json) const TRANSACT_WRITE_ITEMS: &[Stage] = &[
    Stage::always(&[
        Rule::Required("TransactItems"),
        Rule::Elements("TransactItems", 1, ACTIONS_MAX, &TRANSACT_WRITES),
    ]),
    Stage::always(&[
        Rule::Each(
            "TransactItems",
            &[
                Rule::Within(
                    "Put",
                    &[Rule::Required("Item"), Rule::Required("TableName"), ON_FAILURE],
                ),
                Rule::Within(
                    "Update",
                    &[
                        Rule::Required("Key"),
                        Rule::Required("UpdateExpression"),
                        Rule::Required("TableName"),
                        ON_FAILURE,
                    ],
                ),
                Rule::Within(
                    "Delete",
                    &[Rule::Required("Key"), Rule::Required("TableName"), ON_FAILURE],
                ),
                Rule::Within(
                    "ConditionCheck",
                    &[
                        Rule::Required("Key"),
                        Rule::Required("TableName"),
                        Rule::Required("ConditionExpression"),
                        ON_FAILURE,
                    ],
                ),
            ],
        ),
        Rule::Length("ClientRequestToken", 1, 36),
        CAPACITY,
        METRICS,
    ]),
    Stage::always(&[Rule::Special(one_action_each)]),
    Stage::always(&[Rule::Each(
        "TransactItems",
        &[
            Rule::Within("Put", ACTION_TABLE_NAME),
            Rule::Within("Update", ACTION_TABLE_NAME),
            Rule::Within("Delete", ACTION_TABLE_NAME),
            Rule::Within("ConditionCheck", ACTION_TABLE_NAME),
        ],
    )]),
];

fn one_action_each(members: &Members) -> Option<Finding> {
    objects(members, "TransactItems")?.find_map(|item| {
        let actions = ["Put", "Update", "Delete", "ConditionCheck"];
        match actions.iter().filter(|action| object(item, action).is_some()).count() {
            0 => Some(Finding::Plain(
                "Invalid Request: TransactWriteRequest should contain Delete or Put or Update \
                 request",
            )),
            1 => None,
            _ => Some(Finding::Plain(
                "TransactItems can only contain one of Check, Put, Update or Delete",
            )),
        }
    })
}
