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
