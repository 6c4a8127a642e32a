//! The member constraints of every request. Bounds and value sets are those of DynamoDB's service
//! model; the order within a set, of the members and of the stages is the one the service shows
//! (rules 2 and 3 of the behaviour notes). Since the middle of 2026 the single-item operations,
//! Query and Scan run on a newer checker that reports an empty table name alone and shows no
//! values; a request that lacks a required member still falls to the older one.

pub(super) mod batches;
pub(super) mod items;
pub(super) mod reads;
pub(super) mod statements;
pub(super) mod streams;
pub(super) mod tables;

use values::json::{Members, Node};

use super::constraint::{Finding, NAME_PATTERN, NOT_NULL, Rule, Stage, is_name, refusal};
use super::members::{table_name_of, text};
use super::shape::Shape;

/// An empty list of names is none.
const ATTRIBUTES_TO_GET: Rule =
    Rule::Elements("AttributesToGet", 1, usize::MAX, &Shape::List(&Shape::Text));
const CAPACITY: Rule = Rule::OneOf("ReturnConsumedCapacity", &["INDEXES", "TOTAL", "NONE"]);
const METRICS: Rule = Rule::OneOf("ReturnItemCollectionMetrics", &["SIZE", "NONE"]);
const ON_FAILURE: Rule = Rule::OneOf("ReturnValuesOnConditionCheckFailure", &["ALL_OLD", "NONE"]);

/// An empty table name is reported before anything else, and alone.
const TABLE_NAME_NOT_EMPTY: Rule = Rule::Newer(&Rule::Length("TableName", 1, usize::MAX));
/// The first thing that is wrong with the table name.
const TABLE_NAME: Rule = Rule::Special(first_of_table_name);

const TABLE_NAME_MAX: usize = 255;
const TABLE_NAME_MIN: usize = 3;

fn lacks_table_name(members: &Members) -> bool {
    text(members, "TableName").is_none()
}

fn first_of_table_name(members: &Members) -> Option<Finding> {
    let Some(name) = text(members, "TableName").map(table_name_of) else {
        return Some(Finding::Listed(refusal(None, "tableName", NOT_NULL)));
    };
    let length = name.chars().count();
    let constraint = if length < TABLE_NAME_MIN {
        "Member must have length greater than or equal to 3"
    } else if length > TABLE_NAME_MAX {
        "Member must have length less than or equal to 255"
    } else if !is_name(name) {
        NAME_PATTERN
    } else {
        return None;
    };
    Some(Finding::Listed(refusal(Some(name), "tableName", constraint)))
}

/// The operations on a table as a whole have words of their own for its name.
const TABLE_NAME_THERE: Rule = Rule::Special(|members| {
    text(members, "TableName").is_none().then_some(Finding::Plain(
        "The parameter 'TableName' is required but was not present in the request",
    ))
});

const TABLE_NAME_LENGTH: Rule = Rule::Special(|members| {
    let length = text(members, "TableName").map(|name| table_name_of(name).chars().count())?;
    (!(TABLE_NAME_MIN..=TABLE_NAME_MAX).contains(&length)).then_some(Finding::Plain(
        "TableName must be at least 3 characters long and at most 255 characters long",
    ))
});
