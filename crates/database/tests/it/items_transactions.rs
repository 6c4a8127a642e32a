//! TransactWriteItems and TransactGetItems.

use std::sync::Arc;

use database::clock::ManualClock;
use database::operations::*;
use database::options::{Location, Options};
use database::shapes::*;
use database::storage::memory::MemoryStorage;
use database::{CancellationCode, CancellationReason, Database, Error};
use serde_json::json;

use crate::items_world::*;

fn put_action(pk: &str, sk: i64) -> TransactWrite {
    let item = key(pk, sk).into();
    let action = TransactAction { table_name: "things".to_owned(), ..TransactAction::default() };
    TransactWrite::Put { item, action }
}

fn check_action(pk: &str, sk: i64, condition: &str) -> TransactWrite {
    TransactWrite::ConditionCheck(TransactAction {
        table_name: "things".to_owned(),
        key: key(pk, sk),
        condition_expression: Some(condition.to_owned()),
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
        ..TransactAction::default()
    })
}

fn transaction(actions: Vec<TransactWrite>, token: Option<&str>) -> TransactWriteItemsRequest {
    TransactWriteItemsRequest {
        transact_items: actions,
        client_request_token: token.map(str::to_owned),
        return_consumed_capacity: ReturnConsumedCapacity::Total,
        ..TransactWriteItemsRequest::default()
    }
}

/// A path into a key does not fit the table, whatever the item is.
#[test]
fn a_path_into_a_key_cancels_and_says_where() {
    const MESSAGE: &str = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk";
    let reason = |error: Error| match error {
        Error::TransactionCanceled(mut reasons) => (reasons.remove(1).message, reasons),
        other => panic!("{other}"),
    };
    let database = things();
    let actions = vec![put_action("a", 1), check_action("b", 1, "attribute_not_exists(pk.x)")];
    let error = wait(database.transact_write_items(transaction(actions, None))).unwrap_err();
    assert_eq!(reason(error), (Some(MESSAGE.to_owned()), vec![CancellationReason::NONE]));
    assert_eq!(get(&database, "a", 1), None);
    let read = |pk: &str, projection: &str| TransactGet {
        table_name: "things".to_owned(),
        key: key(pk, 1),
        projection_expression: Some(projection.to_owned()),
        ..TransactGet::default()
    };
    let request = TransactGetItemsRequest {
        transact_items: vec![read("a", "note"), read("b", "pk[0]")],
        ..TransactGetItemsRequest::default()
    };
    let error = wait(database.transact_get_items(request)).unwrap_err();
    assert_eq!(reason(error), (Some(MESSAGE.to_owned()), vec![CancellationReason::NONE]));
}

/// Who names a table by its ARN finds that in the answer.
#[test]
fn capacity_names_the_table_as_the_request_does() {
    const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
    let database = things();
    let TransactWrite::Put { item, .. } = put_action("a", 1) else { unreachable!() };
    let action = TransactAction { table_name: ARN.to_owned(), ..TransactAction::default() };
    let request = transaction(vec![TransactWrite::Put { item, action }], None);
    let capacity = wait(database.transact_write_items(request)).unwrap().consumed_capacity;
    assert_eq!(capacity.unwrap()[0].table_name, ARN);
    let request = GetItemRequest {
        table_name: ARN.to_owned(),
        key: key("a", 1),
        return_consumed_capacity: ReturnConsumedCapacity::Total,
        ..GetItemRequest::default()
    };
    let capacity = wait(database.get_item(request)).unwrap().consumed_capacity;
    assert_eq!(capacity.unwrap().table_name, ARN);
    let gets = KeysAndAttributes { keys: vec![key("a", 1)], ..KeysAndAttributes::default() };
    let request = BatchGetItemRequest {
        request_items: [(ARN.to_owned(), gets)].into(),
        return_consumed_capacity: ReturnConsumedCapacity::Total,
    };
    let capacity = wait(database.batch_get_item(request)).unwrap().consumed_capacity;
    assert_eq!(capacity.unwrap()[0].table_name, ARN);
}

/// Rule 49: all or nothing, with a reason for each position.
#[test]
fn one_failed_condition_cancels_everything_and_says_where() {
    let database = things();
    put(&database, json!({"pk": {"S": "b"}, "sk": {"N": "1"}})).unwrap();
    let actions = vec![
        put_action("a", 1),
        check_action("b", 1, "attribute_not_exists(pk)"),
        put_action("c", 1),
    ];
    let error = wait(database.transact_write_items(transaction(actions, None))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None]"
    );
    let Error::TransactionCanceled(reasons) = error else { panic!("{error}") };
    assert_eq!(reasons[0], CancellationReason::NONE);
    assert_eq!(reasons[1].message.as_deref(), Some("The conditional request failed"));
    assert_eq!(reasons[1].item, Some(key("b", 1)));
    assert_eq!((get(&database, "a", 1), get(&database, "c", 1)), (None, None));
}

/// Rules 48 and 50.
#[test]
fn a_transaction_that_breaks_a_rule_is_refused_or_cancelled() {
    let database = things();
    let twice = vec![put_action("a", 1), check_action("a", 1, "attribute_exists(pk)")];
    assert_eq!(
        refusal(wait(database.transact_write_items(transaction(twice, None)))),
        "Transaction request cannot include multiple operations on one item"
    );
    let mut wrong_key = put_action("a", 1);
    if let TransactWrite::Put { item, .. } = &mut wrong_key {
        std::sync::Arc::make_mut(item).remove("sk");
    }
    let error =
        wait(database.transact_write_items(transaction(vec![put_action("b", 1), wrong_key], None)));
    let Err(Error::TransactionCanceled(reasons)) = error else { panic!("{error:?}") };
    assert_eq!(reasons[0].code, CancellationCode::None);
    assert_eq!(reasons[1].code, CancellationCode::ValidationError);
    let none = transaction(vec![], None);
    assert_eq!(
        refusal(wait(database.transact_write_items(none))),
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
}

/// Rule 51: tokens are part of the transaction, live ten minutes, and survive a restart.
#[test]
fn a_token_makes_a_repeated_transaction_harmless() {
    let clock = ManualClock::new(1_700_000_000_000);
    let storage = MemoryStorage::default();
    let open = || {
        let mut options = Options::at(Location::Storage(Arc::new(storage.clone())));
        options.clock = Arc::new(clock.clone());
        options.background_work = false;
        Database::open(options).unwrap()
    };
    let database = open();
    let table = CreateTableRequest {
        table_name: "things".to_owned(),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "pk".to_owned(),
            attribute_type: ScalarAttributeType::S,
        }],
        key_schema: vec![KeySchemaElement {
            attribute_name: "pk".to_owned(),
            key_type: KeyType::Hash,
        }],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableRequest::default()
    };
    wait(database.create_table(table)).unwrap();
    let add = |amount: &str| {
        let action = TransactAction {
            table_name: "things".to_owned(),
            key: item(json!({"pk": {"S": "a"}})),
            expression_attribute_values: expression_values(json!({":n": {"N": amount}})),
            ..TransactAction::default()
        };
        let update = TransactWrite::Update { update_expression: "ADD n :n".to_owned(), action };
        transaction(vec![update], Some("token"))
    };
    let count = |database: &Database| {
        let request = GetItemRequest {
            table_name: "things".to_owned(),
            key: item(json!({"pk": {"S": "a"}})),
            ..GetItemRequest::default()
        };
        wait(database.get_item(request)).unwrap().item.unwrap()["n"].clone()
    };
    let units = |response: TransactWriteItemsResponse| {
        let capacity = response.consumed_capacity.unwrap().remove(0);
        (capacity.write_capacity_units, capacity.read_capacity_units)
    };
    let first = wait(database.transact_write_items(add("1"))).unwrap();
    assert_eq!(units(first), (Some(2.0), None));
    database.close();

    let database = open();
    let replay = wait(database.transact_write_items(add("1"))).unwrap();
    assert_eq!(units(replay), (None, Some(2.0)));
    assert_eq!(count(&database), 1.into());
    let other = wait(database.transact_write_items(add("2"))).unwrap_err();
    assert_eq!(other, Error::IdempotentParameterMismatch);
    clock.advance(10 * 60 * 1000);
    wait(database.transact_write_items(add("2"))).unwrap();
    assert_eq!(count(&database), 3.into());
}

/// Rule 53.
#[test]
fn a_transactional_read_gives_every_position() {
    let database = things();
    put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "note": {"S": "n"}})).unwrap();
    let get = |pk: &str, projection: Option<&str>| TransactGet {
        table_name: "things".to_owned(),
        key: key(pk, 1),
        projection_expression: projection.map(str::to_owned),
        ..TransactGet::default()
    };
    let request = TransactGetItemsRequest {
        transact_items: vec![get("a", Some("note")), get("missing", None)],
        return_consumed_capacity: ReturnConsumedCapacity::Total,
    };
    let response = wait(database.transact_get_items(request)).unwrap();
    assert_eq!(response.responses, [Some(item(json!({"note": {"S": "n"}}))), None]);
    assert_eq!(response.consumed_capacity.unwrap()[0].capacity_units, 4.0);
}

/// Rule 52: while a transaction is under way its items cannot be written by others. Many writers on
/// one item see either success or a conflict, and nothing is lost.
#[test]
fn concurrent_transactions_on_one_item_conflict_or_succeed_but_never_lose_a_write() {
    let database = things();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let done = runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..16 {
            let database = database.clone();
            tasks.push(tokio::spawn(async move {
                let mut done = 0;
                for _ in 0..20 {
                    let action = TransactAction {
                        table_name: "things".to_owned(),
                        key: key("hot", 1),
                        expression_attribute_values: expression_values(json!({":n": {"N": "1"}})),
                        ..TransactAction::default()
                    };
                    let update =
                        TransactWrite::Update { update_expression: "ADD n :n".to_owned(), action };
                    match database.transact_write_items(transaction(vec![update], None)).await {
                        Ok(_) => done += 1,
                        Err(Error::TransactionCanceled(reasons)) => {
                            assert_eq!(reasons[0].code, CancellationCode::TransactionConflict);
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
                done
            }));
        }
        let mut total = 0_i64;
        for task in tasks {
            total += task.await.unwrap();
        }
        total
    });
    assert!(done > 0);
    assert_eq!(get(&database, "hot", 1).unwrap()["n"], done.into());
}
