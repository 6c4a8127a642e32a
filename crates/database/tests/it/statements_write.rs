//! INSERT, UPDATE and DELETE, one at a time and in batches.

use database::Error;
use database::operations::*;
use database::shapes::*;
use serde_json::json;
use values::Item;

use crate::items_world::{get, item, wait};
use crate::statements_world::*;

#[test]
fn an_insert_never_replaces() {
    let database = stocked();
    let insert = "INSERT INTO things VALUE {'pk': 'd', 'sk': 1, 'colour': 'red', 'l': [1, <<2>>]}";
    assert_eq!(units(&database, insert), (2.0, 1.0, vec![("by-colour".to_owned(), 1.0)]));
    assert_eq!(
        get(&database, "d", 1),
        Some(item(json!({"pk": {"S": "d"}, "sk": {"N": "1"}, "colour": {"S": "red"},
            "l": {"L": [{"N": "1"}, {"NS": ["2"]}]}})))
    );
    assert_eq!(
        refused(&database, "INSERT INTO things VALUE {'pk': 'd', 'sk': 1}"),
        "DuplicateItemException: Duplicate primary key exists in table"
    );
    assert_eq!(get(&database, "d", 1).unwrap().len(), 4);
    for (value, expected) in [
        (
            "{'pk': 'd'}",
            "One or more parameter values were invalid: Missing the key sk in the item",
        ),
        (
            "{'pk': 'd', 'sk': '1'}",
            "Key attribute's data type should match its data type in table's schema: Key sk",
        ),
        (
            "{'pk': '', 'sk': 1}",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
        ),
    ] {
        assert_eq!(refused(&database, &format!("INSERT INTO things VALUE {value}")), expected);
    }
}

#[test]
fn an_update_needs_its_item_and_its_condition() {
    let database = stocked();
    let update = "UPDATE things SET sized = sk + 1 REMOVE colour WHERE pk = 'a' AND sk = 1";
    assert_eq!(run(&database, update).unwrap().items, Vec::<Item>::new());
    let stored = get(&database, "a", 1).unwrap();
    assert_eq!(stored.get("sized"), item(json!({"n": {"N": "2"}})).get("n"));
    assert_eq!(stored.get("colour"), None);
    let missing = run(&database, "UPDATE things SET x = 1 WHERE pk = 'z' AND sk = 1");
    assert_eq!(missing, Err(Error::ConditionalCheckFailed { item: None }));
    assert_eq!(get(&database, "z", 1), None);
    let failed =
        run(&database, "UPDATE things SET x = 1 WHERE pk = 'a' AND sk = 2 AND colour = 'red'");
    assert_eq!(failed, Err(Error::ConditionalCheckFailed { item: get(&database, "a", 2) }));
    for (statement, expected) in [
        (
            "UPDATE things SET sk = 2 WHERE pk = 'a' AND sk = 1",
            "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key",
        ),
        (
            "UPDATE things SET x = 1 WHERE pk = 'a'",
            "Where clause does not contain a mandatory equality on all key attributes",
        ),
        (
            "UPDATE things SET rank = 'high' WHERE pk = 'a' AND sk = 1",
            "One or more parameter values were invalid: Type mismatch for Index Key rank Expected: N Actual: S IndexName: by-rank",
        ),
    ] {
        assert_eq!(refused(&database, statement), expected);
    }
}

#[test]
fn returning_gives_the_item_or_the_changed_part() {
    let database = stocked();
    let update = |clause: &str| {
        let statement = format!(
            "UPDATE things SET note = 'new {clause}' WHERE pk = 'a' AND sk = 2 RETURNING {clause} *"
        );
        run(&database, &statement).unwrap().items
    };
    assert_eq!(update("MODIFIED OLD"), vec![item(json!({"note": {"S": "a2"}}))]);
    assert_eq!(update("MODIFIED NEW"), vec![item(json!({"note": {"S": "new MODIFIED NEW"}}))]);
    let before = get(&database, "a", 2).unwrap();
    assert_eq!(update("ALL OLD"), vec![before]);
    assert_eq!(update("ALL NEW"), vec![get(&database, "a", 2).unwrap()]);
    let delete = "DELETE FROM things WHERE pk = 'a' AND sk = 2 RETURNING ALL OLD *";
    assert_eq!(names(&run(&database, delete).unwrap().items), "a2");
    assert_eq!(run(&database, delete).unwrap().items, Vec::<Item>::new());
}

#[test]
fn a_delete_of_nothing_succeeds_and_one_against_its_condition_does_not() {
    let database = stocked();
    let response = run(&database, "DELETE FROM things WHERE pk = 'z' AND sk = 1 AND note = 'x'");
    assert_eq!(split(response.unwrap().consumed_capacity.unwrap()), (1.0, 1.0, vec![]));
    let failed = run(&database, "DELETE FROM things WHERE pk = 'a' AND sk = 1 AND note = 'x'");
    assert_eq!(failed, Err(Error::ConditionalCheckFailed { item: get(&database, "a", 1) }));
    run(&database, "DELETE FROM things WHERE pk = 'a' AND sk = 1 AND note = 'a1'").unwrap();
    assert_eq!(get(&database, "a", 1), None);
}

fn batch(statements: &[&str]) -> BatchExecuteStatementRequest {
    BatchExecuteStatementRequest {
        statements: statements
            .iter()
            .map(|statement| BatchStatementRequest {
                statement: (*statement).to_owned(),
                ..BatchStatementRequest::default()
            })
            .collect(),
        return_consumed_capacity: ReturnConsumedCapacity::Indexes,
    }
}

/// Each response as its item's name, or the error's code and message, with the table if it is named.
fn responses(response: &BatchExecuteStatementResponse) -> Vec<String> {
    let show = |one: &BatchStatementResponse| {
        let outcome = match (&one.error, &one.item) {
            (Some(error), _) => format!("{}: {}", error.code, error.message),
            (None, Some(item)) => names(std::slice::from_ref(item)),
            (None, None) => "done".to_owned(),
        };
        format!("{outcome} ({})", one.table_name.as_deref().unwrap_or("no table"))
    };
    response.responses.iter().map(show).collect()
}

#[test]
fn a_batch_of_writes_fails_one_by_one() {
    let database = stocked();
    let response = wait(database.batch_execute_statement(batch(&[
        "INSERT INTO things VALUE {'pk': 'd', 'sk': 1}",
        "INSERT INTO things VALUE {'pk': 'a', 'sk': 1}",
        "UPDATE things SET x = 1 WHERE pk = 'a' AND sk = 2 AND note = 'nope'",
        "DELETE FROM things WHERE pk = 'a' AND sk = 3 RETURNING ALL OLD *",
        "DELETE FROM things",
        "DELETE FROM nowhere WHERE pk = 'a'",
        "DELETE FROM",
    ])))
    .unwrap();
    assert_eq!(
        responses(&response),
        [
            "done (things)",
            "DuplicateItem: Duplicate primary key exists in table (things)",
            "ConditionalCheckFailed: The conditional request failed (things)",
            "a3 (things)",
            "ValidationError: Where clause does not contain a mandatory equality on all key attributes (no table)",
            "ResourceNotFound: Requested resource not found (nowhere)",
            "ValidationError: Statement wasn't well formed, can't be processed: Expected identifier for simple path (no table)",
        ]
    );
    assert!(get(&database, "d", 1).is_some());
    assert_eq!(get(&database, "a", 3), None);
    // Two writes on the table, three on the indexes of the deleted item, and two failed writes that
    // stand in the total only.
    let consumed = response.consumed_capacity.unwrap();
    assert_eq!(consumed.len(), 1);
    let (total, table, indexes) = split(consumed.into_iter().next().unwrap());
    assert_eq!((total, table, indexes.len()), (7.0, 2.0, 3));
}

#[test]
fn a_batch_of_reads_names_whole_keys() {
    let database = stocked();
    let mut request = batch(&[
        "SELECT * FROM things WHERE pk = 'a' AND sk = 1",
        "SELECT * FROM things WHERE pk = 'a' AND sk IN [9]",
        "SELECT * FROM things WHERE pk = 'a'",
        "SELECT * FROM things WHERE pk = 'a' AND sk = 2 AND colour = 'blue'",
        r#"SELECT * FROM "things"."by-colour" WHERE colour = 'red'"#,
        "SELECT * FROM things WHERE pk = 1 AND sk = 1",
    ]);
    request.statements[0].consistent_read = true;
    let response = wait(database.batch_execute_statement(request)).unwrap();
    let without_key = "ValidationError: Select statements within BatchExecuteStatement must specify the primary key in the where clause. (no table)";
    assert_eq!(
        responses(&response),
        [
            "a1 (things)",
            "done (things)",
            without_key,
            without_key,
            without_key,
            "ValidationError: Key attribute's data type should match its data type in table's schema: Key pk (no table)",
        ]
    );
    let consumed = response.consumed_capacity.unwrap();
    assert_eq!(split(consumed.into_iter().next().unwrap()), (1.5, 1.5, vec![]));
}

#[test]
fn a_batch_as_a_whole_is_refused_for_what_it_mixes_or_repeats() {
    let database = stocked();
    let refusal = |statements: &[&str]| {
        wait(database.batch_execute_statement(batch(statements))).unwrap_err().to_string()
    };
    let read = "SELECT * FROM things WHERE pk = 'a' AND sk = 1";
    let write = "DELETE FROM things WHERE pk = 'a' AND sk = 1";
    assert_eq!(
        refusal(&[read, write]),
        "Read and write requests together in the same batch is not supported."
    );
    assert_eq!(refusal(&[read, read]), "Provided list of item keys contains duplicates");
    assert_eq!(refusal(&[write, write]), "Provided list of item keys contains duplicates");
    assert_eq!(
        refusal(&[]),
        "1 validation error detected: Value '[]' at 'statements' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
    // A statement that does not parse takes no part in either check.
    let response = wait(database.batch_execute_statement(batch(&[read, "DELETE FROM", "SELECT"])));
    assert!(response.is_ok(), "{response:?}");
    assert!(get(&database, "a", 1).is_some());
}
