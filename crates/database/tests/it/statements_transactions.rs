//! ExecuteTransaction: all or nothing, and its own tokens.

use database::operations::*;
use database::shapes::*;
use database::{Database, Error};

use crate::items_world::{get, wait};
use crate::statements_world::*;

fn transaction(statements: &[&str]) -> ExecuteTransactionRequest {
    ExecuteTransactionRequest {
        transact_statements: statements
            .iter()
            .map(|statement| ParameterizedStatement {
                statement: (*statement).to_owned(),
                return_values_on_condition_check_failure:
                    ReturnValuesOnConditionCheckFailure::AllOld,
                ..ParameterizedStatement::default()
            })
            .collect(),
        return_consumed_capacity: ReturnConsumedCapacity::Total,
        ..ExecuteTransactionRequest::default()
    }
}

fn run_all(database: &Database, statements: &[&str]) -> Result<ExecuteTransactionResponse, Error> {
    wait(database.execute_transaction(transaction(statements)))
}

/// The codes of a cancelled transaction, or the message of a refused one.
fn outcome(database: &Database, statements: &[&str]) -> String {
    match run_all(database, statements).unwrap_err() {
        Error::TransactionCanceled(reasons) => {
            let codes = reasons.iter().map(|reason| match &reason.message {
                None => reason.code.as_str().to_owned(),
                Some(message) => format!("{} ({message})", reason.code.as_str()),
            });
            codes.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[test]
fn writes_happen_together() {
    let database = stocked();
    let response = run_all(
        &database,
        &[
            "INSERT INTO things VALUE {'pk': 'd', 'sk': 1}",
            "UPDATE things SET note = 'new' WHERE pk = 'a' AND sk = 1 AND colour = 'red'",
            "DELETE FROM things WHERE pk = 'a' AND sk = 2",
            "EXISTS(SELECT * FROM things WHERE pk = 'b' AND sk = 1 AND colour = 'red')",
        ],
    )
    .unwrap();
    assert_eq!(response.responses, vec![]);
    // Two units for each statement on the table, and the index entries of the deleted item and of
    // the changed note that by-keeper holds.
    let consumed = response.consumed_capacity.unwrap();
    assert_eq!(consumed[0].write_capacity_units, Some(consumed[0].capacity_units));
    assert!(consumed[0].capacity_units > 8.0);
    assert!(get(&database, "d", 1).is_some());
    assert_eq!(get(&database, "a", 2), None);
}

#[test]
fn one_failure_cancels_all() {
    let database = stocked();
    let insert = "INSERT INTO things VALUE {'pk': 'd', 'sk': 1}";
    let cases: [(&[&str], &str); 7] = [
        (
            &[insert, "INSERT INTO things VALUE {'pk': 'a', 'sk': 1}"],
            "None, DuplicateItem (Duplicate primary key exists in table)",
        ),
        (
            &[insert, "EXISTS(SELECT * FROM things WHERE pk = 'a' AND sk = 1 AND colour = 'blue')"],
            "None, ConditionalCheckFailed (The conditional request failed)",
        ),
        (
            &[insert, "EXISTS(SELECT * FROM things WHERE pk = 'z' AND sk = 1 AND colour = 'blue')"],
            "None, ConditionalCheckFailed (The conditional request failed)",
        ),
        (
            &["UPDATE things SET x = 1 WHERE pk = 'z' AND sk = 1", insert],
            "ConditionalCheckFailed (The conditional request failed), None",
        ),
        (
            &[insert, "DELETE FROM nowhere WHERE pk = 'a'"],
            "None, ResourceNotFound (Requested resource not found)",
        ),
        (
            &[insert, "DELETE FROM things WHERE pk = 'a' AND sk = '1'"],
            "None, ValidationError (The provided key element does not match the schema)",
        ),
        (
            &[insert, "INSERT INTO things VALUE {'pk': 'e', 'sk': '1'}"],
            "None, ValidationError (One or more parameter values were invalid: Type mismatch for key sk expected: N actual: S)",
        ),
    ];
    for (statements, expected) in cases {
        assert_eq!(outcome(&database, statements), expected, "{statements:?}");
        assert_eq!(get(&database, "d", 1), None);
    }
    let failed =
        run_all(&database, &["DELETE FROM things WHERE pk = 'a' AND sk = 1 AND colour = 'blue'"]);
    let Err(Error::TransactionCanceled(reasons)) = failed else { panic!("{failed:?}") };
    assert_eq!(reasons[0].item, get(&database, "a", 1));
}

#[test]
fn reads_happen_at_one_moment_and_name_whole_keys() {
    let database = stocked();
    let response = run_all(
        &database,
        &[
            "SELECT note FROM things WHERE pk = 'a' AND sk = 1",
            "SELECT * FROM things WHERE pk = 'z' AND sk = 1",
        ],
    )
    .unwrap();
    assert_eq!(response.responses.len(), 2);
    assert_eq!(response.responses[0].as_ref().unwrap().len(), 1);
    assert_eq!(response.responses[1], None);
    assert_eq!(response.consumed_capacity.unwrap()[0].read_capacity_units, Some(4.0));
}

#[test]
fn what_a_transaction_cannot_hold_refuses_it() {
    let database = stocked();
    let read = "SELECT * FROM things WHERE pk = 'a' AND sk = 1";
    let write = "DELETE FROM things WHERE pk = 'a' AND sk = 1";
    let cases: [(&[&str], &str); 9] = [
        (
            &[read, write],
            "ExecuteTransaction API does not support both read and write operations in the same request.",
        ),
        (
            &[write, "UPDATE things SET x = 1 WHERE pk = 'a' AND sk = 1"],
            "Transaction request cannot include multiple operations on one item",
        ),
        (&[read, read], "Transaction request cannot include multiple operations on one item"),
        (
            &[write, "DELETE FROM things WHERE"],
            "Validation failed in TransactStatements[1]: Statement wasn't well formed, can't be processed: Unexpected term",
        ),
        (
            &["DELETE FROM things WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *"],
            "Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction.",
        ),
        (
            &[r#"SELECT * FROM "things"."by-colour" WHERE colour = 'red'"#],
            "Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions.",
        ),
        (
            &["SELECT * FROM things WHERE pk = 'a'"],
            "Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction must specify the primary key in the where clause.",
        ),
        (
            &["DELETE FROM things WHERE pk = [] AND sk = 1"],
            "Validation failed in TransactStatements[0]: Key value must be of type S, N, or B. Key name: pk, Key type: L",
        ),
        (
            &[],
            "1 validation error detected: Value '[]' at 'transactStatements' failed to satisfy constraint: Member must have length greater than or equal to 1",
        ),
    ];
    for (statements, expected) in cases {
        assert_eq!(outcome(&database, statements), expected, "{statements:?}");
    }
    assert!(get(&database, "a", 1).is_some());
}

/// Rule 51: a token makes a repeated transaction apply nothing and report reads; with other
/// statements it is a mismatch; and TransactWriteItems has other tokens.
#[test]
fn a_token_makes_a_transaction_happen_once() {
    let database = stocked();
    let add = "UPDATE things SET rank = rank + 1 WHERE pk = 'a' AND sk = 1";
    let with_token = |statements: &[&str]| {
        let request = ExecuteTransactionRequest {
            client_request_token: Some("token".to_owned()),
            ..transaction(statements)
        };
        wait(database.execute_transaction(request))
    };
    let rank = || get(&database, "a", 1).unwrap().get("rank").cloned();
    let first = with_token(&[add]).unwrap();
    let after = rank();
    let second = with_token(&[add]).unwrap();
    assert_eq!(rank(), after);
    assert_eq!(first.consumed_capacity.unwrap()[0].read_capacity_units, None);
    assert_eq!(second.consumed_capacity.unwrap()[0].read_capacity_units, Some(2.0));
    assert_eq!(
        with_token(&[add, "DELETE FROM things WHERE pk = 'b' AND sk = 1"]),
        Err(Error::IdempotentParameterMismatch)
    );
    let put = TransactWrite::Put {
        item: crate::items_world::key("t", 1).into(),
        action: TransactAction { table_name: "things".to_owned(), ..TransactAction::default() },
    };
    let request = TransactWriteItemsRequest {
        transact_items: vec![put],
        client_request_token: Some("token".to_owned()),
        ..TransactWriteItemsRequest::default()
    };
    wait(database.transact_write_items(request)).unwrap();
    assert!(get(&database, "t", 1).is_some());
}
