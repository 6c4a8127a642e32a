//! Member constraints: their texts, their order, and what is reported together.

use serde_json::{Value, json};
use wire::ErrorKind;

use crate::{read, refused};

#[track_caller]
fn check(operation: &str, body: Value, message: &str) {
    refused(read(operation, &body), ErrorKind::Validation, message);
}

const ON_FAILURE: &str = "Value 'x' at 'returnValuesOnConditionCheckFailure' failed to satisfy \
                          constraint: Member must satisfy enum value set: [ALL_OLD, NONE]";

#[test]
fn an_empty_table_name_is_reported_alone() {
    let message = "1 validation error detected: Value at 'TableName' failed to satisfy constraint: \
                   Member must have length greater than or equal to 1";
    for operation in ["PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan"] {
        let body = json!({"TableName": "", "ReturnConsumedCapacity": "x"});
        check(operation, body, message);
    }
}

#[test]
fn put_item_reports_everything_together() {
    check(
        "PutItem",
        json!({"TableName": "a!", "ReturnConsumedCapacity": "x", "ReturnValues": "x",
               "ReturnItemCollectionMetrics": "x", "ReturnValuesOnConditionCheckFailure": "x"}),
        &format!(
            "6 validation errors detected: \
             Value 'a!' at 'tableName' failed to satisfy constraint: \
             Member must have length greater than or equal to 3; \
             Value null at 'item' failed to satisfy constraint: Member must not be null; \
             Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: \
             Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; \
             Failed to satisfy constraint: Member must satisfy enum value set: \
             [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; \
             Value 'x' at 'returnItemCollectionMetrics' failed to satisfy constraint: \
             Member must satisfy enum value set: [SIZE, NONE]; {ON_FAILURE}"
        ),
    );
}

#[test]
fn update_item_stops_at_the_first() {
    check(
        "UpdateItem",
        json!({"TableName": "abc", "Key": {}, "ReturnValues": "x", "ReturnConsumedCapacity": "x"}),
        "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value \
         set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
    );
    let body = json!({"TableName": "abc", "Key": {}, "ReturnValuesOnConditionCheckFailure": "x"});
    check("UpdateItem", body, ON_FAILURE);
    check(
        "UpdateItem",
        json!({"TableName": "a!", "Key": {}}),
        "2 validation errors detected: Value 'a!' at 'tableName' failed to satisfy constraint: \
         Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; \
         Value 'a!' at 'tableName' failed to satisfy constraint: \
         Member must have length greater than or equal to 3",
    );
}

#[test]
fn a_missing_table_name_sends_reads_to_the_older_checker() {
    check(
        "Query",
        json!({"Limit": 0, "Select": "x"}),
        "3 validation errors detected: Value 'x' at 'select' failed to satisfy constraint: \
         Member must satisfy enum value set: \
         [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]; \
         Value null at 'tableName' failed to satisfy constraint: Member must not be null; \
         Value '0' at 'limit' failed to satisfy constraint: \
         Member must have value greater than or equal to 1",
    );
    check(
        "Scan",
        json!({"TableName": "abc", "Limit": 0, "Segment": -1}),
        "2 validation errors detected: Value at 'Limit' failed to satisfy constraint: \
         Member must have value greater than or equal to 1; \
         Value at 'Segment' failed to satisfy constraint: \
         Member must have value greater than or equal to 0",
    );
}

#[test]
fn batches_count_and_echo() {
    check(
        "BatchGetItem",
        json!({"RequestItems": {}}),
        "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: \
         Member must have length greater than or equal to 1",
    );
    check(
        "BatchGetItem",
        json!({"RequestItems": {"abc": {"Keys": vec![json!({}); 101]}}}),
        "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy \
         constraint: Member must have length less than or equal to 100",
    );
    let keys = vec![json!({}); 60];
    check(
        "BatchGetItem",
        json!({"RequestItems": {"abc": {"Keys": keys}, "def": {"Keys": keys}}}),
        "Too many items requested for the BatchGetItem call",
    );
    let puts = vec![json!({"PutRequest": {"Item": {}}}); 20];
    check(
        "BatchWriteItem",
        json!({"RequestItems": {"abc": puts, "def": puts}}),
        "Too many items requested for the BatchWriteItem call",
    );
    check("BatchWriteItem", json!({}), "The requestItems parameter is required for BatchWriteItem");
    check(
        "BatchWriteItem",
        json!({"RequestItems": {"abc": []}}),
        "1 validation error detected: Value '{abc=[]}' at 'requestItems' failed to satisfy \
         constraint: Map value must satisfy constraint: \
         [Member must have length less than or equal to 25, \
         Member must have length greater than or equal to 1]",
    );
}

#[test]
fn actions_of_a_transaction_are_named_by_their_place() {
    check(
        "TransactWriteItems",
        json!({"TransactItems": []}),
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: \
         Member must have length greater than or equal to 1",
    );
    check(
        "TransactWriteItems",
        json!({"TransactItems": [{}]}),
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
    );
    let put = json!({"Put": {"TableName": "abc", "Item": {}}});
    let update = json!({"Update": {"TableName": "a", "Key": {}, "UpdateExpression": ""}});
    check(
        "TransactWriteItems",
        json!({"TransactItems": [put, update]}),
        "1 validation error detected: Value 'a' at 'transactItems.2.member.update.tableName' \
         failed to satisfy constraint: Member must have length greater than or equal to 3",
    );
    check(
        "TransactGetItems",
        json!({"TransactItems": [{}], "ReturnConsumedCapacity": "x"}),
        "2 validation errors detected: Value null at 'transactItems.1.member.get' failed to \
         satisfy constraint: Member must not be null; \
         Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: \
         Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
    );
}

#[test]
fn a_key_schema_is_echoed_as_the_java_model_prints_it() {
    let element = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    check(
        "CreateTable",
        json!({"TableName": "abc", "AttributeDefinitions": [],
               "KeySchema": [element("a", "HASH"), element("b", "RANGE"), element("c", "RANGE")]}),
        "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), \
         KeySchemaElement(attributeName=b, keyType=RANGE), \
         KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema' failed to satisfy \
         constraint: Member must have length less than or equal to 2",
    );
}

#[test]
fn no_more_than_ten_are_reported() {
    let indexes = vec![json!({}); 5];
    let body = json!({"TableName": "abc", "GlobalSecondaryIndexes": indexes});
    let error = read("CreateTable", &body).unwrap_err();
    assert!(error.message.starts_with("10 validation errors detected: "), "{}", error.message);
}

#[test]
fn operations_on_a_whole_table_have_their_own_words_for_its_name() {
    check(
        "DescribeTable",
        json!({}),
        "The parameter 'TableName' is required but was not present in the request",
    );
    check(
        "DescribeTable",
        json!({"TableName": "ab"}),
        "TableName must be at least 3 characters long and at most 255 characters long",
    );
}

#[test]
fn refused_values_come_after_member_constraints() {
    let item = json!({"a": {"N": "dog"}});
    check(
        "PutItem",
        json!({"TableName": "abc", "Item": item}),
        "1 validation error detected: \
         The parameter cannot be converted to a numeric value: dog",
    );
    check(
        "GetItem",
        json!({"TableName": "abc", "Key": item}),
        "The parameter cannot be converted to a numeric value: dog",
    );
    let put = json!({"Put": {"TableName": "abc", "Item": {},
                             "ExpressionAttributeValues": {":v": {"N": "dog"}}}});
    check(
        "TransactWriteItems",
        json!({"TransactItems": [put]}),
        "ExpressionAttributeValues contains invalid value: \
         The parameter cannot be converted to a numeric value: dog for key :v",
    );
    check(
        "PutItem",
        json!({"TableName": "ab", "Item": item}),
        "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: \
         Member must have length greater than or equal to 3",
    );
}

#[test]
fn legacy_words_are_checked_too() {
    check(
        "Scan",
        json!({"TableName": "abc", "ScanFilter": {"a": {"ComparisonOperator": "like"}}}),
        "One or more parameter values were invalid: Invalid comparison operator",
    );
    check(
        "PutItem",
        json!({"TableName": "abc", "Item": {}, "ConditionalOperator": "XOR"}),
        "1 validation error detected: \
         ConditionalOperator cannot be used without Filter or Expected",
    );
    check(
        "UpdateItem",
        json!({"TableName": "abc", "Key": {}, "AttributeUpdates": {"a": {"Action": "SET"}}}),
        "1 validation error detected: \
         Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action",
    );
}

#[test]
fn a_list_of_no_names_is_refused() {
    let refusal = |path: &str| {
        format!(
            "1 validation error detected: Value '[]' at '{path}' failed to satisfy constraint: \
             Member must have length greater than or equal to 1"
        )
    };
    let key = json!({"pk": {"S": "a"}});
    for operation in ["GetItem", "Query", "Scan"] {
        let body = json!({"TableName": "table", "Key": key, "AttributesToGet": []});
        check(operation, body, &refusal("attributesToGet"));
    }
    let body = json!({"RequestItems": {"table": {"Keys": [key], "AttributesToGet": []}}});
    check("BatchGetItem", body, &refusal("requestItems.table.member.attributesToGet"));
}

#[test]
fn a_key_of_null_is_a_key_that_is_missing() {
    let message = "1 validation error detected: Value null at 'key' failed to satisfy constraint: \
                   Member must not be null";
    for operation in ["GetItem", "UpdateItem", "DeleteItem"] {
        check(operation, json!({"TableName": "table", "Key": null}), message);
    }
}
