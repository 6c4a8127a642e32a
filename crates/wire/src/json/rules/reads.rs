//! Query and Scan.

use super::items::uncounted;
use super::{
    ATTRIBUTES_TO_GET, CAPACITY, Members, Node, Rule, Stage, TABLE_NAME, TABLE_NAME_NOT_EMPTY,
    lacks_table_name, text,
};
use crate::json::members::integer;

const SELECTS: &[&str] =
    &["SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"];
const SELECT: Rule = Rule::OneOf("Select", SELECTS);
const INDEX_NAME: [Rule; 2] = [Rule::Pattern("IndexName"), Rule::Length("IndexName", 3, 255)];
const CONDITIONAL_OPERATOR: Rule = Rule::OneOf("ConditionalOperator", &["OR", "AND"]);
const OPERATOR: &[Rule] = &[Rule::Required("ComparisonOperator")];
const LIMIT: Rule = Rule::Range("Limit", 1, i64::MAX);
const SEGMENT: Rule = Rule::Range("Segment", 0, 999_999);
const TOTAL_SEGMENTS: Rule = Rule::Range("TotalSegments", 1, 1_000_000);
/// The older checker's words for a table name that is missing or empty.
const TABLE_NAME_OLDER: [Rule; 2] =
    [Rule::Required("TableName"), Rule::Length("TableName", 1, usize::MAX)];

pub(in crate::json) const QUERY: &[Stage] = &[
    Stage::when(
        |members| lacks_table_name(members) || is_coerced(members, "Limit"),
        &[
            SELECT,
            CAPACITY,
            TABLE_NAME_OLDER[0],
            TABLE_NAME_OLDER[1],
            INDEX_NAME[0],
            INDEX_NAME[1],
            Rule::EachEntry("KeyConditions", OPERATOR),
            Rule::EachEntry("QueryFilter", OPERATOR),
            LIMIT,
            ATTRIBUTES_TO_GET,
        ],
    ),
    Stage::always(&[Rule::Newer(&LIMIT), TABLE_NAME_NOT_EMPTY]),
    Stage::always(&[
        TABLE_NAME,
        INDEX_NAME[0],
        INDEX_NAME[1],
        CAPACITY,
        Rule::EachEntry("KeyConditions", OPERATOR),
        Rule::EachEntry("QueryFilter", OPERATOR),
        ATTRIBUTES_TO_GET,
    ]),
];

/// What Query looks at once all values are read, the operators of conditions among them.
pub(in crate::json) const QUERY_LAST: &[Stage] = &[Stage::always(&[SELECT])];

pub(in crate::json) const SCAN: &[Stage] = &[
    Stage::when(
        |members| {
            lacks_table_name(members)
                || lacks_operator(members)
                || ["Limit", "Segment", "TotalSegments"]
                    .iter()
                    .any(|name| is_coerced(members, name))
        },
        &[
            SELECT,
            TOTAL_SEGMENTS,
            CAPACITY,
            TABLE_NAME_OLDER[0],
            TABLE_NAME_OLDER[1],
            INDEX_NAME[0],
            INDEX_NAME[1],
            CONDITIONAL_OPERATOR,
            Rule::EachEntry("ScanFilter", OPERATOR),
            SEGMENT,
            LIMIT,
            ATTRIBUTES_TO_GET,
        ],
    ),
    Stage::always(&[
        Rule::Newer(&LIMIT),
        Rule::Newer(&SEGMENT),
        Rule::Newer(&TOTAL_SEGMENTS),
        TABLE_NAME_NOT_EMPTY,
    ]),
    Stage::always(&[TABLE_NAME, INDEX_NAME[0], INDEX_NAME[1], CAPACITY, ATTRIBUTES_TO_GET]),
];

/// What Scan looks at once all values are read. It does not count what it finds.
pub(in crate::json) const SCAN_LAST: &[Stage] =
    &[Stage::always(&[Rule::Special(|members| uncounted(members, "Select", SELECTS))])];

/// Whether a number was cut as it was read: that too sends a request to the older checker.
fn is_coerced(members: &Members, name: &str) -> bool {
    integer(members, name).is_some_and(|integer| integer.coerced)
}

fn lacks_operator(members: &Members) -> bool {
    let conditions = members.get("ScanFilter").and_then(Node::as_object);
    let mut conditions =
        conditions.into_iter().flatten().filter_map(|(_, value)| value.as_object());
    conditions.any(|condition| text(condition, "ComparisonOperator").is_none())
}
