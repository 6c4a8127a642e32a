//! JSON of the wrong shape is refused in the words of the service's reader, before anything else.

use serde_json::{Value, json};
use wire::ErrorKind;

use crate::{read, refused};

#[track_caller]
fn check(operation: &str, body: Value, message: &str) {
    refused(read(operation, &body), ErrorKind::Serialization, message);
}

#[test]
fn text_is_a_string() {
    check("GetItem", json!({"TableName": 1}), "NUMBER_VALUE cannot be converted to String");
    check("GetItem", json!({"TableName": 1.5}), "DECIMAL_VALUE cannot be converted to String");
    check("GetItem", json!({"TableName": true}), "TRUE_VALUE cannot be converted to String");
    check("GetItem", json!({"TableName": false}), "FALSE_VALUE cannot be converted to String");
    check(
        "GetItem",
        json!({"TableName": []}),
        "Unrecognized collection type class java.lang.String",
    );
    check(
        "GetItem",
        json!({"TableName": {}}),
        "Start of structure or map found where not expected",
    );
}

#[test]
fn flags_and_numbers_have_their_own_words() {
    check("GetItem", json!({"ConsistentRead": "maybe"}), "Unexpected token received from parser");
    check("GetItem", json!({"ConsistentRead": 1}), "NUMBER_VALUE cannot be converted to Boolean");
    check("Query", json!({"Limit": "5"}), "STRING_VALUE cannot be converted to Integer");
    check(
        "CreateTable",
        json!({"ProvisionedThroughput": {"ReadCapacityUnits": true}}),
        "TRUE_VALUE cannot be converted to Long",
    );
}

#[test]
fn lists_maps_and_structures_are_told_apart() {
    check(
        "CreateTable",
        json!({"KeySchema": {}}),
        "Start of structure or map found where not expected",
    );
    check("CreateTable", json!({"KeySchema": "x"}), "Unexpected field type");
    check("CreateTable", json!({"KeySchema": ["x"]}), "Unexpected value type in payload");
    check(
        "CreateTable",
        json!({"KeySchema": [[]]}),
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement",
    );
    check("PutItem", json!({"Item": "x"}), "Unexpected field type");
    check(
        "PutItem",
        json!({"Item": []}),
        "Unrecognized collection type java.util.Map<java.lang.String, \
         com.amazonaws.dynamodb.v20120810.AttributeValue>",
    );
    check("PutItem", json!({"Item": {"a": "x"}}), "Unexpected value type in payload");
    check(
        "BatchWriteItem",
        json!({"RequestItems": []}),
        "Unrecognized collection type java.util.Map<java.lang.String, \
         java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>",
    );
}

#[test]
fn shape_comes_before_member_constraints_also_inside_attribute_values() {
    let body = json!({"TableName": "x", "ReturnValues": "?", "Item": {"a": {"S": 1}}});
    check("PutItem", body, "NUMBER_VALUE cannot be converted to String");
    let body = json!({"TableName": "x", "ReturnValues": "?", "ExpressionAttributeValues": {":a": {"N": 1}}});
    check("UpdateItem", body, "NUMBER_VALUE cannot be converted to String");
}

#[test]
fn a_body_that_is_no_object_has_no_message() {
    check("GetItem", json!([]), "");
    let error = wire::json::parse(b"{").unwrap_err();
    assert_eq!(
        error.to_json(),
        json!({"__type": "com.amazon.coral.service#SerializationException"})
    );
}

#[test]
fn a_null_in_a_list_or_map_is_refused_and_not_passed_over() {
    #[track_caller]
    fn check(operation: &str, body: Value, path: &str) {
        let message = format!(
            "1 validation error detected: Value null at '{path}' failed to satisfy constraint: \
             Member must not be null"
        );
        refused(read(operation, &body), ErrorKind::Validation, &message);
    }
    let put = json!({"Put": {"TableName": "table", "Item": {"a": {"S": "b"}}}});
    check("TransactWriteItems", json!({"TransactItems": [put, null]}), "transactItems.2.member");
    let put = json!({"PutRequest": {"Item": {"a": {"S": "b"}}}});
    check(
        "BatchWriteItem",
        json!({"RequestItems": {"table": [null, put]}}),
        "requestItems.table.member.1.member",
    );
    check(
        "BatchGetItem",
        json!({"RequestItems": {"table": {"Keys": [null]}}}),
        "requestItems.table.member.keys.1.member",
    );
    let body = json!({"TableName": "table", "Key": {"a": {"S": "b"}}, "Expected": {"c": null}});
    check("DeleteItem", body, "expected.c.member");
    let body =
        json!({"TableName": "table", "Key": {"a": {"S": "b"}}, "AttributesToGet": ["a", null]});
    check("GetItem", body, "attributesToGet.2.member");
}
