//! PutItem, UpdateItem, DeleteItem and BatchWriteItem.

use std::collections::BTreeMap;

use database::Error;
use database::operations::*;
use database::shapes::*;
use serde_json::json;

use crate::items_world::*;

#[test]
fn a_put_item_is_read_back_and_returns_what_it_replaced() {
    let database = things();
    assert_eq!(
        put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "1"}})).unwrap().attributes,
        None
    );
    let second = json!({"pk": {"S": "a"}, "sk": {"N": "1.0"}, "note": {"S": "two"}});
    let replaced = put(&database, second).unwrap().attributes.unwrap();
    assert_eq!(replaced, item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})));
    let read = get(&database, "a", 1).unwrap();
    assert_eq!(read, item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "note": {"S": "two"}})));
}

/// Rules 22 and 46: keys and index keys.
#[test]
fn an_item_that_does_not_fit_its_table_is_refused_with_the_service_s_text() {
    let database = things();
    let cases = [
        (
            json!({"pk": {"S": "a"}}),
            "One or more parameter values were invalid: Missing the key sk in the item",
        ),
        (
            json!({"pk": {"N": "1"}, "sk": {"N": "1"}}),
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
        ),
        (
            json!({"pk": {"S": ""}, "sk": {"N": "1"}}),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
        ),
        (
            json!({"pk": {"S": "k".repeat(2049)}, "sk": {"N": "1"}}),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "colour": {"N": "1"}}),
            "One or more parameter values were invalid: Type mismatch for Index Key colour Expected: S Actual: N IndexName: by-colour",
        ),
        (
            json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "keeper": {"S": ""}}),
            "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: by-keeper, IndexKey: keeper",
        ),
    ];
    for (bad, expected) in cases {
        assert_eq!(refusal(put(&database, bad)), expected);
    }
    assert_eq!(get(&database, "a", 1), None);
}

/// Rule 23: 409,600 bytes exactly.
#[test]
fn the_item_size_limit_is_exact() {
    let database = things();
    // Names pk, sk, d: 5 bytes; values: 1 for `a`, 2 for the number 1.
    let largest = 409_600 - 5 - 1 - 2;
    let with =
        |bytes: usize| json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "d": {"S": "x".repeat(bytes)}});
    put(&database, with(largest)).unwrap();
    assert_eq!(
        refusal(put(&database, with(largest + 1))),
        "Item size has exceeded the maximum allowed size"
    );
    let mut grow = update("a", 1, "SET e = :e");
    grow.expression_attribute_values = expression_values(json!({":e": {"S": "y"}}));
    assert_eq!(
        refusal(wait(database.update_item(grow))),
        "Item size to update has exceeded the maximum allowed size"
    );
}

#[test]
fn a_failed_condition_changes_nothing_and_shows_the_item_if_asked() {
    let database = things();
    put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "n": {"N": "5"}})).unwrap();
    let request = PutItemRequest {
        table_name: "things".to_owned(),
        item: item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})),
        condition_expression: Some("attribute_not_exists(pk)".to_owned()),
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure::AllOld,
        ..PutItemRequest::default()
    };
    let old = get(&database, "a", 1);
    assert_eq!(
        wait(database.put_item(request)).unwrap_err(),
        Error::ConditionalCheckFailed { item: old.clone() }
    );
    assert_eq!(get(&database, "a", 1), old);
}

/// Rule 42.
#[test]
fn an_update_creates_an_item_unless_it_only_removes() {
    let database = things();
    wait(database.update_item(update("a", 1, "REMOVE gone"))).unwrap();
    assert_eq!(get(&database, "a", 1), None);
    let mut nothing = update("a", 1, "");
    nothing.update_expression = None;
    wait(database.update_item(nothing)).unwrap();
    assert_eq!(get(&database, "a", 1), Some(key("a", 1)));
    let mut of_key = update("a", 1, "SET pk = :v");
    of_key.expression_attribute_values = expression_values(json!({":v": {"S": "b"}}));
    assert_eq!(
        refusal(wait(database.update_item(of_key))),
        "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"
    );
}

/// Rule 43.
#[test]
fn an_update_returns_what_it_was_asked_for() {
    let database = things();
    put(&database, json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "n": {"N": "1"}, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}))
        .unwrap();
    let returned = |mode, expression: &str| {
        let mut request = update("a", 1, expression);
        request.return_values = mode;
        if expression.contains(":one") {
            request.expression_attribute_values = expression_values(json!({":one": {"N": "1"}}));
        }
        wait(database.update_item(request)).unwrap().attributes
    };
    assert_eq!(
        returned(ReturnValues::UpdatedOld, "SET n = n + :one"),
        Some(item(json!({"n": {"N": "1"}})))
    );
    assert_eq!(
        returned(ReturnValues::UpdatedNew, "SET m.x = :one"),
        Some(item(json!({"m": {"M": {"x": {"N": "1"}}}})))
    );
    assert_eq!(returned(ReturnValues::UpdatedNew, "REMOVE n"), None);
    assert_eq!(
        returned(ReturnValues::AllNew, "REMOVE m.y"),
        Some(item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "m": {"M": {"x": {"N": "1"}}}})))
    );
}

/// Rules 54 and 56: the table by the larger size, an index by the change of what it holds.
#[test]
fn a_write_is_charged_by_size_and_by_what_changes_in_each_index() {
    let database = things();
    let charged = |response: PutItemResponse| {
        let capacity = response.consumed_capacity.unwrap();
        let units = |arm: &BTreeMap<String, Capacity>| {
            arm.iter()
                .map(|(name, capacity)| (name.clone(), capacity.capacity_units))
                .collect::<Vec<_>>()
        };
        (
            capacity.capacity_units,
            capacity.table.unwrap().capacity_units,
            units(&capacity.global_secondary_indexes),
            units(&capacity.local_secondary_indexes),
        )
    };
    let one = json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "colour": {"S": "red"}, "size": {"N": "3"}, "rank": {"N": "1"}});
    let global = |pairs: &[(&str, f64)]| {
        pairs.iter().map(|(name, units)| ((*name).to_owned(), *units)).collect::<Vec<_>>()
    };
    assert_eq!(
        charged(put(&database, one.clone()).unwrap()),
        (4.0, 1.0, global(&[("by-colour", 1.0), ("by-size", 1.0)]), global(&[("by-rank", 1.0)]))
    );
    // The same again: nothing changes in any index, the table is charged all the same.
    assert_eq!(charged(put(&database, one).unwrap()), (1.0, 1.0, vec![], vec![]));
    // A new size moves its entry: a removal and an insertion. `note` shows only where everything does.
    let moved = json!({"pk": {"S": "a"}, "sk": {"N": "1"}, "colour": {"S": "red"}, "size": {"N": "4"}, "rank": {"N": "1"}, "note": {"S": "n".repeat(2000)}});
    assert_eq!(
        charged(put(&database, moved).unwrap()),
        (6.0, 2.0, global(&[("by-colour", 2.0), ("by-size", 2.0)]), vec![])
    );
}

/// Rule 57.
#[test]
fn item_collection_metrics_show_the_partition_of_a_table_with_local_indexes() {
    let database = things();
    let request = PutItemRequest {
        table_name: "things".to_owned(),
        item: item(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})),
        return_item_collection_metrics: ReturnItemCollectionMetrics::Size,
        ..PutItemRequest::default()
    };
    let metrics = wait(database.put_item(request)).unwrap().item_collection_metrics.unwrap();
    assert_eq!(metrics.item_collection_key, item(json!({"pk": {"S": "a"}})));
    assert_eq!(metrics.size_estimate_range_gb, [0.0, 1.0]);
}

/// Rule 45.
#[test]
fn a_batch_is_checked_as_a_whole_before_anything_is_written() {
    let database = things();
    let batch = |requests: Vec<WriteRequest>| BatchWriteItemRequest {
        request_items: BTreeMap::from([("things".to_owned(), requests)]),
        ..BatchWriteItemRequest::default()
    };
    let put_of = |value| WriteRequest::Put { item: item(value) };
    let twice = vec![
        put_of(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})),
        WriteRequest::Delete { key: key("a", 1) },
    ];
    assert_eq!(
        refusal(wait(database.batch_write_item(batch(twice)))),
        "Provided list of item keys contains duplicates"
    );
    let one_bad = vec![
        put_of(json!({"pk": {"S": "a"}, "sk": {"N": "1"}})),
        put_of(json!({"pk": {"S": "b"}})),
    ];
    wait(database.batch_write_item(batch(one_bad))).unwrap_err();
    assert_eq!(get(&database, "a", 1), None);
    let good = (0..25).map(|n| put_of(json!({"pk": {"S": "a"}, "sk": {"N": n.to_string()}})));
    let response = wait(database.batch_write_item(batch(good.collect()))).unwrap();
    assert!(response.unprocessed_items.is_empty());
    assert!(get(&database, "a", 24).is_some());
}

/// Rule 7.
#[test]
fn older_and_newer_parameters_do_not_mix() {
    let database = things();
    let mut request = update("a", 1, "REMOVE x");
    request.expected = Some(BTreeMap::new());
    assert_eq!(
        refusal(wait(database.update_item(request))),
        "1 validation error detected: Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {UpdateExpression}"
    );
}
