//! Answers and errors as they go out.

use std::collections::BTreeMap;

use database::operations::{
    BatchGetItemResponse, DescribeTableResponse, EventName, GetRecordsResponse, PutItemResponse,
    QueryResponse, Record, TransactGetItemsResponse,
};
use database::shapes::{
    Capacity, ConsumedCapacity, ItemCollectionMetrics, KeySchemaElement, KeyType,
    ProvisionedThroughputDescription, StreamViewType, TableDescription, TableStatus,
    WarmThroughput,
};
use database::{CancellationCode, CancellationReason, Error};
use serde_json::json;
use values::{AttributeValue, Item};
use wire::WireError;
use wire::json::{batches, items, reads, streams, tables, transactions};

fn item(name: &str) -> Item {
    Item::from([("pk", AttributeValue::from(name))])
}

#[test]
fn capacity_is_a_double_and_an_uncharged_index_is_left_out() {
    let consumed = ConsumedCapacity {
        table_name: "Music".to_owned(),
        capacity_units: 3.0,
        table: Some(Capacity { capacity_units: 1.0, ..Capacity::default() }),
        global_secondary_indexes: BTreeMap::from([(
            "by_name".to_owned(),
            Capacity { capacity_units: 2.0, ..Capacity::default() },
        )]),
        ..ConsumedCapacity::default()
    };
    let response = PutItemResponse {
        attributes: None,
        consumed_capacity: Some(consumed),
        item_collection_metrics: Some(ItemCollectionMetrics {
            item_collection_key: item("a"),
            size_estimate_range_gb: [0.0, 1.0],
        }),
    };
    let answer = items::put_item_answer(&response);
    assert_eq!(
        answer.to_string(),
        r#"{"ConsumedCapacity":{"TableName":"Music","CapacityUnits":3.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"by_name":{"CapacityUnits":2.0}}},"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}}"#
    );
}

#[test]
fn pages_tell_items_and_counts_apart() {
    let response: QueryResponse = QueryResponse {
        items: None,
        count: 2,
        scanned_count: 5,
        last_evaluated_key: Some(item("z")),
        consumed_capacity: None,
    };
    assert_eq!(
        reads::query_answer(&response),
        json!({"Count": 2, "ScannedCount": 5, "LastEvaluatedKey": {"pk": {"S": "z"}}})
    );
}

#[test]
fn batches_always_say_what_was_not_processed() {
    let answer = batches::batch_get_item_answer(&BatchGetItemResponse::default());
    assert_eq!(answer, json!({"Responses": {}, "UnprocessedKeys": {}}));
}

#[test]
fn a_missing_item_of_a_transaction_is_an_empty_object() {
    let responses = vec![Some(item("a")), None];
    let response = TransactGetItemsResponse { responses, consumed_capacity: None };
    assert_eq!(
        transactions::transact_get_items_answer(&response),
        json!({"Responses": [{"Item": {"pk": {"S": "a"}}}, {}]})
    );
}

#[test]
fn a_table_is_described_with_times_in_seconds() {
    let table = TableDescription {
        table_name: "Music".to_owned(),
        table_arn: "arn".to_owned(),
        table_id: "id".to_owned(),
        table_status: TableStatus::Active,
        creation_date_time: Some(1_700_000_000_250),
        attribute_definitions: Vec::new(),
        key_schema: vec![KeySchemaElement {
            attribute_name: "pk".to_owned(),
            key_type: KeyType::Hash,
        }],
        item_count: 7,
        table_size_bytes: 70,
        billing_mode_summary: None,
        provisioned_throughput: ProvisionedThroughputDescription::default(),
        on_demand_throughput: None,
        warm_throughput: WarmThroughput::default(),
        table_class_summary: None,
        local_secondary_indexes: Vec::new(),
        global_secondary_indexes: Vec::new(),
        stream_specification: Some(StreamViewType::KeysOnly),
        latest_stream_label: None,
        latest_stream_arn: None,
        sse_description: None,
        deletion_protection_enabled: false,
    };
    assert_eq!(
        tables::describe_table_answer(&DescribeTableResponse { table }),
        json!({"Table": {
            "TableName": "Music", "TableArn": "arn", "TableId": "id", "TableStatus": "ACTIVE",
            "CreationDateTime": 1_700_000_000.25,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "ItemCount": 7, "TableSizeBytes": 70, "DeletionProtectionEnabled": false,
            "ProvisionedThroughput": {
                "NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0,
            },
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
        }})
    );
}

#[test]
fn an_expired_item_is_told_by_the_identity() {
    let record = Record {
        event_id: "e".to_owned(),
        event_name: EventName::Remove,
        aws_region: "local".to_owned(),
        approximate_creation_date_time: 1000,
        keys: item("a"),
        new_image: None,
        old_image: Some(item("a")),
        sequence_number: "1".to_owned(),
        size_bytes: 3,
        stream_view_type: StreamViewType::OldImage,
        by_time_to_live: true,
    };
    let response = GetRecordsResponse { records: vec![record], next_shard_iterator: None };
    assert_eq!(
        streams::get_records_answer(&response),
        json!({"Records": [{
            "eventID": "e", "eventName": "REMOVE", "eventVersion": "1.1",
            "eventSource": "aws:dynamodb", "awsRegion": "local",
            "userIdentity": {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"},
            "dynamodb": {
                "ApproximateCreationDateTime": 1.0, "Keys": {"pk": {"S": "a"}},
                "OldImage": {"pk": {"S": "a"}}, "SequenceNumber": "1", "SizeBytes": 3,
                "StreamViewType": "OLD_IMAGE",
            },
        }]})
    );
}

#[test]
fn errors_carry_their_prefix_their_text_and_what_belongs_to_them() {
    let failed = Error::ConditionalCheckFailed { item: Some(item("a")) };
    assert_eq!(
        WireError::from(failed).to_json(),
        json!({
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "Item": {"pk": {"S": "a"}},
        })
    );
    let none = CancellationReason { code: CancellationCode::None, message: None, item: None };
    let failed = CancellationReason {
        code: CancellationCode::ConditionalCheckFailed,
        message: Some("The conditional request failed".to_owned()),
        item: None,
    };
    assert_eq!(
        WireError::from(Error::TransactionCanceled(vec![none, failed])).to_json(),
        json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific \
                        reasons [None, ConditionalCheckFailed]",
            "CancellationReasons": [
                {"Code": "None"},
                {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
            ],
        })
    );
    assert_eq!(
        WireError::from(Error::Validation("no".to_owned())).to_json(),
        json!({"__type": "com.amazon.coral.validate#ValidationException", "message": "no"})
    );
}
