//! Requests that are in order arrive with every member in its place.

use database::operations::{GlobalSecondaryIndexUpdate, TransactWrite, WriteRequest};
use database::shapes::{
    KeyType, ProjectionType, ReturnConsumedCapacity, ReturnValues, ScalarAttributeType, Select,
    StreamViewType,
};
use expressions::legacy::{AttributeAction, ComparisonOperator, ConditionalOperator};
use serde_json::{Value, json};
use values::AttributeValue;
use wire::json::{batches, items, reads, streams, tables, transactions};

#[test]
fn update_item_with_expressions() {
    let request = items::update_item_request(&node!({
        "TableName": "arn:aws:dynamodb:eu-west-2:000000000000:table/Music",
        "Key": {"pk": {"S": "a"}},
        "UpdateExpression": "SET #n = :v",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeNames": {"#n": "name"},
        "ExpressionAttributeValues": {":v": {"L": [{"BOOL": true}, {"NULL": true}]}},
        "ReturnValues": "UPDATED_NEW",
        "ReturnConsumedCapacity": "INDEXES",
        "Unknown": {"is": "ignored"},
    }))
    .unwrap();
    assert_eq!(request.table_name, "arn:aws:dynamodb:eu-west-2:000000000000:table/Music");
    assert_eq!(request.key["pk"], AttributeValue::S("a".to_owned()));
    assert_eq!(request.update_expression.as_deref(), Some("SET #n = :v"));
    assert_eq!(request.expression_attribute_names.unwrap()["#n"], "name");
    let list = AttributeValue::L(vec![AttributeValue::Bool(true), AttributeValue::Null]);
    assert_eq!(request.expression_attribute_values.unwrap()[":v"], list);
    assert_eq!(request.return_values, ReturnValues::UpdatedNew);
    assert_eq!(request.return_consumed_capacity, ReturnConsumedCapacity::Indexes);
    assert_eq!(request.attribute_updates, None);
}

#[test]
fn update_item_with_legacy_parameters() {
    let request = items::update_item_request(&node!({
        "TableName": "Music",
        "Key": {"pk": {"S": "a"}},
        "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "1"}}, "m": {"Action": "DELETE"}},
        "Expected": {"a": {"Exists": false}, "b": {"ComparisonOperator": "IN",
                     "AttributeValueList": [{"S": "x"}, {"S": "y"}]}},
        "ConditionalOperator": "OR",
    }))
    .unwrap();
    let updates = request.attribute_updates.unwrap();
    assert_eq!(updates["n"].action, Some(AttributeAction::Add));
    assert_eq!(updates["m"].value, None);
    let expected = request.expected.unwrap();
    assert_eq!(expected["a"].exists, Some(false));
    assert_eq!(expected["b"].comparison_operator, Some(ComparisonOperator::In));
    assert_eq!(expected["b"].attribute_value_list.as_ref().map(Vec::len), Some(2));
    assert_eq!(request.conditional_operator, Some(ConditionalOperator::Or));
}

#[test]
fn query_and_scan_read_numbers_as_the_service_does() {
    let request = reads::query_request(&node!({
        "TableName": "Music", "Select": "COUNT", "Limit": 4_294_967_296_u64,
        "ScanIndexForward": "false", "ConsistentRead": true,
        "ExclusiveStartKey": {"pk": {"N": "1.0"}},
    }))
    .unwrap();
    assert_eq!(request.select, Some(Select::Count));
    assert_eq!(request.limit, Some(i64::from(i32::MAX)));
    assert_eq!(request.scan_index_forward, Some(false));
    assert!(request.consistent_read);
    assert!(request.exclusive_start_key.unwrap().contains_key("pk"));
    let request = reads::scan_request(&node!({
        "TableName": "Music", "Segment": 1, "TotalSegments": 2.9, "Limit": null,
    }))
    .unwrap();
    assert_eq!((request.segment, request.total_segments, request.limit), (Some(1), Some(2), None));
}

/// A batch that named a table by its name and by its ARN lost the requests of one of the two.
#[test]
fn a_table_named_in_two_ways_keeps_the_requests_of_both() {
    let arn = "arn:aws:dynamodb:eu-west-2:000000000000:table/Music";
    let writes = json!([{"DeleteRequest": {"Key": {"pk": {"S": "a"}}}}]);
    let body = node!({"RequestItems": {"Music": writes, arn: writes}});
    let request = batches::batch_write_item_request(&body).unwrap();
    assert_eq!(request.request_items.keys().collect::<Vec<_>>(), ["Music", arn]);
    let keys = json!({"Keys": [{"pk": {"S": "a"}}]});
    let body = node!({"RequestItems": {"Music": keys, arn: keys}});
    let request = batches::batch_get_item_request(&body).unwrap();
    assert_eq!(request.request_items.keys().collect::<Vec<_>>(), ["Music", arn]);
}

/// Rule 45.
#[test]
fn a_batch_get_tells_whether_numbers_are_written_differently() {
    let differently = |keys: Value| {
        let body = node!({"RequestItems": {"Music": {"Keys": keys}}});
        let request = batches::batch_get_item_request(&body).unwrap();
        request.request_items["Music"].are_written_differently
    };
    assert!(differently(json!([{"pk": {"N": "1000"}}, {"pk": {"N": "1e3"}}])));
    assert!(!differently(
        json!([{"pk": {"N": "1e3"}}, {"pk": {"N": "1000"}}, {"pk": {"N": "1e3"}}])
    ));
    let (one, other) = (r#"{"pk":{"N":"1"},"sk":{"S":"a"}}"#, r#"{"sk":{"S":"a"},"pk":{"N":"1"}}"#);
    let parse = |text| serde_json::from_str::<Value>(text).unwrap();
    assert!(!differently(json!([parse(one), parse(other)])), "the order of attributes is none");
    assert!(!differently(json!([{"pk": {"S": "a"}}, {"pk": {"S": "b"}}])), "no number, no matter");
}

#[test]
fn batches_and_transactions() {
    let request = batches::batch_write_item_request(&node!({"RequestItems": {
        "Music": [{"PutRequest": {"Item": {"pk": {"S": "a"}}}},
                  {"DeleteRequest": {"Key": {"pk": {"S": "b"}}}}],
    }}))
    .unwrap();
    let writes = &request.request_items["Music"];
    assert!(matches!(&writes[0], WriteRequest::Put { item } if item.len() == 1));
    assert!(matches!(&writes[1], WriteRequest::Delete { key } if key.len() == 1));

    let request = transactions::transact_write_items_request(&node!({
        "ClientRequestToken": "t",
        "TransactItems": [
            {"Update": {"TableName": "Music", "Key": {"pk": {"S": "a"}},
                        "UpdateExpression": "REMOVE a"}},
            {"ConditionCheck": {"TableName": "Music", "Key": {"pk": {"S": "b"}},
                                "ConditionExpression": "attribute_exists(pk)"}},
        ],
    }))
    .unwrap();
    assert_eq!(request.client_request_token.as_deref(), Some("t"));
    assert!(matches!(
        &request.transact_items[0],
        TransactWrite::Update { update_expression, .. } if update_expression == "REMOVE a"
    ));
    assert!(matches!(
        &request.transact_items[1],
        TransactWrite::ConditionCheck(action) if action.condition_expression.is_some()
    ));
}

#[test]
fn create_and_update_table() {
    let index = json!({
        "IndexName": "by_name",
        "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
    });
    let request = tables::create_table_request(&node!({
        "TableName": "Music",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                      {"AttributeName": "sk", "KeyType": "RANGE"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "B"}],
        "GlobalSecondaryIndexes": [index],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "OLD_IMAGE"},
        "Tags": [{"Key": "k", "Value": ""}],
        "DeletionProtectionEnabled": true,
    }))
    .unwrap();
    assert_eq!(request.key_schema[1].key_type, KeyType::Range);
    assert_eq!(request.attribute_definitions[0].attribute_type, ScalarAttributeType::B);
    let created = &request.global_secondary_indexes.unwrap()[0];
    assert_eq!(created.projection.projection_type, Some(ProjectionType::Include));
    let stream = request.stream_specification.unwrap();
    assert_eq!(stream.stream_view_type, Some(StreamViewType::OldImage));
    assert_eq!(request.tags.unwrap()[0].key, "k");
    assert_eq!(request.deletion_protection_enabled, Some(true));

    let request = tables::update_table_request(&node!({
        "TableName": "Music",
        "GlobalSecondaryIndexUpdates": [{"Create": index}, {"Delete": {"IndexName": "old"}}],
    }))
    .unwrap();
    let updates = request.global_secondary_index_updates.unwrap();
    assert!(matches!(&updates[0], GlobalSecondaryIndexUpdate::Create(index)
        if index.index_name == "by_name"));
    assert!(matches!(&updates[1], GlobalSecondaryIndexUpdate::Delete { index_name }
        if index_name == "old"));
}

#[test]
fn get_records_has_a_limit_of_a_thousand() {
    let request = streams::get_records_request(&node!({"ShardIterator": "i", "Limit": 1000}));
    assert_eq!(request.unwrap().limit, Some(1000));
    let refused = streams::get_records_request(&node!({"ShardIterator": "i", "Limit": 1001}));
    assert!(refused.is_err());
}
