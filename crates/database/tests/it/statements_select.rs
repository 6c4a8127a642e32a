//! SELECT: what it reads, in which order, page by page.

use database::Error;
use database::operations::{ExecuteStatementRequest, PutItemRequest};
use serde_json::json;
use values::AttributeValue;

use crate::items_world::{item, key, wait};
use crate::statements_world::*;

/// Sorted, for reads of a whole table, which have no order.
fn found_sorted(database: &database::Database, statement: &str) -> String {
    let found = found(database, statement);
    let mut names: Vec<&str> = found.split(' ').collect();
    names.sort_unstable();
    names.join(" ")
}

#[test]
fn a_hash_key_is_queried_and_anything_else_scanned() {
    let database = stocked();
    assert_eq!(found(&database, "SELECT * FROM things WHERE pk = 'a'"), "a1 a2 a3 a4");
    assert_eq!(found(&database, "SELECT * FROM things WHERE pk = 'a' AND sk > 2"), "a3 a4");
    assert_eq!(
        found(&database, "SELECT * FROM things WHERE pk IN ['b', 'a'] AND colour = 'red'"),
        "b1 a1 a3"
    );
    assert_eq!(found_sorted(&database, "SELECT * FROM things WHERE colour = 'red'"), "a1 a3 b1");
    assert_eq!(found_sorted(&database, "SELECT * FROM things"), "a1 a2 a3 a4 b1 c1");
    assert_eq!(found(&database, "SELECT * FROM things WHERE pk = 'a' AND pk = 'b'"), "");
    // A scan is charged for all it looks at, a query for its range.
    let big = "x".repeat(5000);
    let value = json!({"pk": {"S": "big"}, "sk": {"N": "1"}, "note": {"S": big}});
    crate::items_world::put(&database, value).unwrap();
    assert_eq!(units(&database, "SELECT * FROM things WHERE pk = 'a'"), (0.5, 0.5, vec![]));
    assert_eq!(units(&database, "SELECT * FROM things WHERE note = 'a1'"), (1.0, 1.0, vec![]));
    assert_eq!(
        units(&database, "SELECT pk FROM things WHERE pk IN ['a', 'big']"),
        (1.5, 1.5, vec![])
    );
}

/// Rule 63, and the difference between null and missing.
#[test]
fn a_negated_condition_keeps_what_lacks_the_attribute() {
    let database = stocked();
    let cases = [
        ("NOT colour = 'red'", "a2 a4"),
        ("colour <> 'red'", "a2 a4"),
        ("colour IS MISSING", "a4"),
        ("colour IS NOT MISSING AND NOT colour = 'red'", "a2"),
    ];
    for (condition, expected) in cases {
        let statement = format!("SELECT * FROM things WHERE pk = 'a' AND {condition}");
        assert_eq!(found(&database, &statement), expected, "{condition}");
    }
    assert_eq!(found(&database, "SELECT * FROM things WHERE note IS NULL"), "c1");
}

#[test]
fn a_projection_gives_what_it_names() {
    let database = stocked();
    let response =
        run(&database, "SELECT sk, colour FROM things WHERE pk = 'a' AND sk >= 3").unwrap();
    assert_eq!(
        response.items,
        vec![
            item(json!({"sk": {"N": "3"}, "colour": {"S": "red"}})),
            item(json!({"sk": {"N": "4"}})),
        ]
    );
}

#[test]
fn an_index_is_read_by_its_own_key() {
    let database = stocked();
    let by_colour = r#"SELECT * FROM "things"."by-colour""#;
    assert_eq!(found(&database, &format!("{by_colour} WHERE colour = 'red' AND sk < 3")), "a1 b1");
    assert_eq!(found(&database, r#"SELECT * FROM "things"."by-rank" WHERE pk = 'a'"#), "a3 a2 a1");
    assert_eq!(
        units(&database, &format!("{by_colour} WHERE colour = 'red'")),
        (0.5, 0.0, vec![("by-colour".to_owned(), 0.5)])
    );
    let refusals = [
        (r#""things"."nope""#, "The table does not have the specified index"),
        (
            r#""things"."by-keeper" WHERE keeper = 'kim' AND colour = 'red'"#,
            "One or more parameter values were invalid: Secondary index by-keeper does not project one or more filter attributes: [colour]",
        ),
    ];
    for (rest, expected) in refusals {
        assert_eq!(refused(&database, &format!("SELECT * FROM {rest}")), expected);
    }
    assert_eq!(
        refused(&database, r#"SELECT colour FROM "things"."by-keeper""#),
        "One or more parameter values were invalid: Global secondary index by-keeper does not project [colour]"
    );
    // A read of the whole index cannot see the attribute and finds nothing.
    assert_eq!(found(&database, r#"SELECT * FROM "things"."by-keeper" WHERE colour = 'red'"#), "");
    let consistent = ExecuteStatementRequest {
        consistent_read: true,
        ..request(&format!("{by_colour} WHERE sk = 1"))
    };
    assert_eq!(
        wait(database.execute_statement(consistent)),
        Err(Error::Validation(
            "Strongly consistent read is not supported on Global Secondary Indexes".to_owned()
        ))
    );
}

#[test]
fn order_by_turns_partitions_and_sort_keys() {
    let database = stocked();
    let cases = [
        ("pk = 'a' ORDER BY sk", "a1 a2 a3 a4"),
        ("pk = 'a' ORDER BY sk DESC", "a4 a3 a2 a1"),
        // Without a term for the sort key a partition is read from its end.
        ("pk = 'a' ORDER BY pk ASC", "a4 a3 a2 a1"),
        ("pk IN ['c', 'a', 'b'] AND sk < 3 ORDER BY pk, sk", "a1 a2 b1 c1"),
        ("pk IN ['c', 'a', 'b'] AND sk < 3 ORDER BY pk DESC, sk", "c1 b1 a1 a2"),
        ("pk = 'a' AND sk IN [3, 1] ORDER BY sk DESC", "a3 a1"),
    ];
    for (rest, expected) in cases {
        let statement = format!("SELECT * FROM things WHERE {rest}");
        assert_eq!(found(&database, &statement), expected, "{rest}");
    }
    assert_eq!(
        refused(&database, "SELECT * FROM things WHERE pk = 'a' ORDER BY colour"),
        "Attribute colour in ORDER BY clause must be part of the primary key"
    );
}

#[test]
fn alternatives_that_lead_to_one_item_are_refused_unless_they_cannot_be_compared() {
    let database = stocked();
    let overlap = "Overlapping conditions with range keys are not supported in where clause";
    for condition in [
        "pk = 'a' OR pk = 'a'",
        "pk IN ['a', 'a']",
        "pk = 'a' AND sk <= 2 OR pk = 'a' AND sk >= 2",
        "pk = 'a' AND (sk = 1 OR note = 'a2')",
        "pk = 'a' AND colour = 'red' OR pk = 'a' AND sk = 2",
    ] {
        let statement = format!("SELECT * FROM things WHERE {condition}");
        assert_eq!(refused(&database, &statement), overlap, "{condition}");
    }
    for (condition, expected) in [
        ("pk = 'a' AND sk < 2 OR pk = 'a' AND sk >= 3", "a1 a3 a4"),
        ("pk = 'a' AND (note = 'a1' OR note = 'a2')", "a1 a2"),
        ("pk = 'a' AND NOT sk = 1 OR pk = 'a' AND sk = 2", "a2 a3 a4"),
        ("pk = 'a' AND sk > 1 AND sk < 4 OR pk = 'a' AND sk = 2", "a2 a3"),
    ] {
        let statement = format!("SELECT * FROM things WHERE {condition}");
        assert_eq!(found(&database, &statement), expected, "{condition}");
    }
}

/// Rule 63: LIMIT counts what is looked at, and a token goes on where its page ended, in whichever
/// range that was.
#[test]
fn pages_of_any_size_read_everything_once() {
    let database = stocked();
    let statements = [
        ("SELECT * FROM things WHERE pk = 'a'", "a1 a2 a3 a4"),
        ("SELECT * FROM things WHERE pk = 'a' ORDER BY sk DESC", "a4 a3 a2 a1"),
        ("SELECT * FROM things WHERE pk IN ['b', 'a', 'c'] AND colour = 'red'", "b1 a1 a3"),
        (r#"SELECT * FROM "things"."by-colour" WHERE colour = 'red'"#, "a1 b1 a3"),
    ];
    for (statement, expected) in statements {
        for limit in 1..7 {
            let (mut items, mut next_token, mut pages) = (Vec::new(), None, 0);
            loop {
                let response = wait(database.execute_statement(ExecuteStatementRequest {
                    limit: Some(limit),
                    next_token,
                    ..request(statement)
                }))
                .unwrap();
                assert_eq!(response.next_token.is_some(), response.last_evaluated_key.is_some());
                items.extend(response.items);
                next_token = response.next_token;
                pages += 1;
                assert!(pages < 20, "{statement}");
                if next_token.is_none() {
                    break;
                }
            }
            assert_eq!(names(&items), expected, "{statement} by {limit}");
        }
    }
    let first = ExecuteStatementRequest { limit: Some(2), ..request(statements[2].0) };
    let first = wait(database.execute_statement(first)).unwrap();
    assert_eq!(names(&first.items), "b1 a1");
    assert_eq!(first.last_evaluated_key, Some(key("a", 1)));
}

#[test]
fn a_token_belongs_to_its_statement_and_parameters() {
    let database = stocked();
    let page = |statement: &str, value: serde_json::Value, token: Option<String>| {
        wait(database.execute_statement(ExecuteStatementRequest {
            limit: Some(1),
            parameters: parameters(json!([value])),
            next_token: token,
            ..request(statement)
        }))
    };
    let statement = "SELECT * FROM things WHERE pk = ?";
    let a = json!({"S": "a"});
    let token = page(statement, a.clone(), None).unwrap().next_token;
    assert_eq!(names(&page(statement, a.clone(), token.clone()).unwrap().items), "a2");
    let mismatch = Err(Error::Validation("NextToken does not match request".to_owned()));
    assert_eq!(page("SELECT * FROM things  WHERE pk = ?", a.clone(), token.clone()), mismatch);
    assert_eq!(page(statement, json!({"S": "b"}), token.clone()), mismatch);
    assert_eq!(
        page(statement, a, Some("made up".to_owned())),
        Err(Error::Validation("Invalid NextToken".to_owned()))
    );
    // A list or map among the parameters gets a token that is never taken.
    let statement = "SELECT * FROM things WHERE note <> ?";
    let map = json!({"M": {}});
    let token = page(statement, map.clone(), None).unwrap().next_token;
    assert!(token.is_some());
    assert_eq!(page(statement, map, token), mismatch);
}

/// Rule 29, over several ranges: a page holds a megabyte, wherever that ends.
#[test]
fn a_page_ends_at_a_megabyte_over_all_its_ranges() {
    let database = stocked();
    for sk in 1..=4 {
        for pk in ["x", "y"] {
            let mut big = key(pk, sk);
            big.insert("note", AttributeValue::S("n".repeat(200_000)));
            let request = PutItemRequest {
                table_name: "things".to_owned(),
                item: big,
                ..PutItemRequest::default()
            };
            wait(database.put_item(request)).unwrap();
        }
    }
    let statement = "SELECT pk, sk FROM things WHERE pk IN ['x', 'y']";
    let first = run(&database, statement).unwrap();
    assert_eq!(names(&first.items), "x1 x2 x3 x4 y1");
    let second = ExecuteStatementRequest { next_token: first.next_token, ..request(statement) };
    let second = wait(database.execute_statement(second)).unwrap();
    assert_eq!((names(&second.items), second.next_token), ("y2 y3 y4".to_owned(), None));
}

#[test]
fn refusals_come_before_the_table_is_looked_up() {
    let database = stocked();
    assert_eq!(
        refused(&database, "SELECT * FROM nowhere WHERE s = s"),
        "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [s]"
    );
    assert_eq!(
        refused(&database, "SELECT * FROM nowhere"),
        "ResourceNotFoundException: Requested resource not found"
    );
    assert_eq!(
        refused(&database, "EXISTS(SELECT * FROM things WHERE pk = 'a')"),
        "EXISTS can only be used in ExecuteTransaction write requests."
    );
    assert_eq!(
        refused(&database, &format!("SELECT * FROM things WHERE pk = '{}'", "k".repeat(2049))),
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
    );
    let long = format!("SELECT * FROM things WHERE pk = '{}'", "k".repeat(8192));
    assert_eq!(
        refused(&database, &long),
        format!(
            "1 validation error detected: Value '{long}' at 'statement' failed to satisfy constraint: Member must have length less than or equal to 8192"
        )
    );
}
