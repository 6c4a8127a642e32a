//! Whole tables: what is shown of one that is deleted, whose it is, its tags, and what expires in it.

use std::sync::Arc;

use database::Options;
use database::clock::ManualClock;
use serde_json::{Value, json};
use wire::http::Limits;

use super::{Service, table};

/// Rule 64.
#[tokio::test]
async fn a_deleted_table_is_shown_without_what_it_was_made_of() {
    let service = Service::start().await;
    let mut other = table("others");
    other["GlobalSecondaryIndexes"] = json!([{ "IndexName": "by-pk",
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        "Projection": { "ProjectionType": "ALL" } }]);
    service.answer("CreateTable", &other).await;
    let answer = service.answer("DeleteTable", &json!({ "TableName": "others" })).await;
    let description = answer["TableDescription"].as_object().unwrap();
    for absent in [
        "KeySchema",
        "AttributeDefinitions",
        "CreationDateTime",
        "GlobalSecondaryIndexes",
        "LocalSecondaryIndexes",
    ] {
        assert!(!description.contains_key(absent), "{absent}: {answer}");
    }
    assert_eq!(description["TableStatus"], "DELETING");
    assert_eq!(description["TableName"], "others");
    for present in ["TableArn", "TableId", "ItemCount", "TableSizeBytes", "ProvisionedThroughput"] {
        assert!(description.contains_key(present), "{present}: {answer}");
    }
}

#[tokio::test]
async fn tagging_answers_an_empty_body() {
    let service = Service::start().await;
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
    let tag = json!({ "ResourceArn": arn, "Tags": [{ "Key": "k", "Value": "v" }] });
    let untag = json!({ "ResourceArn": arn, "TagKeys": ["k"] });
    for (operation, body) in [("TagResource", tag), ("UntagResource", untag)] {
        let (status, headers, answer) = service.send(operation, &body.to_string(), &[]).await;
        assert_eq!((status, answer.as_slice()), (200, &b""[..]), "{operation}");
        assert!(headers.contains("content-length: 0\r\n"), "{headers}");
        assert!(headers.contains("x-amz-crc32: 0\r\n"), "{headers}");
    }
}

/// Rule 5: an ARN is as good as a name, but names a table of its account.
#[tokio::test]
async fn an_arn_of_another_account_is_not_ours() {
    let service = Service::start().await;
    let (ours, theirs) = (
        "arn:aws:dynamodb:us-east-1:000000000000:table/things",
        "arn:aws:dynamodb:us-east-1:123456789012:table/things",
    );
    let item = json!({ "pk": { "S": "a" } });
    let requests = |name: &str| -> Vec<(&str, &str, Value)> {
        let batch = json!({ name: [{ "PutRequest": { "Item": item } }] });
        let action = json!({ "TableName": name, "Item": item });
        vec![
            ("PutItem", "PutItem", action.clone()),
            ("GetItem", "GetItem", json!({ "TableName": name, "Key": item })),
            ("Scan", "Scan", json!({ "TableName": name })),
            ("BatchWriteItem", "BatchWriteItem", json!({ "RequestItems": batch })),
            ("TransactWriteItems", "PutItem", json!({ "TransactItems": [{ "Put": action }] })),
            (
                "ExecuteStatement",
                "PartiQLSelect",
                json!({ "Statement": format!("SELECT * FROM \"{name}\"") }),
            ),
            ("DescribeTable", "DescribeTable", json!({ "TableName": name })),
            ("DeleteTable", "DeleteTable", json!({ "TableName": name })),
        ]
    };
    for (operation, permission, body) in requests(theirs) {
        let text = format!(
            "User: arn:aws:iam::000000000000:root is not authorized to perform: \
             dynamodb:{permission} on resource: {theirs}"
        );
        let expected = ("AccessDeniedException".to_owned(), text);
        assert_eq!(service.refusal(operation, &body).await, expected, "{operation}");
    }
    for (operation, _, body) in requests(ours) {
        service.answer(operation, &body).await;
    }
}

/// The capacity of a table that was given by its ARN is reported under the ARN, as documented.
#[tokio::test]
async fn capacity_is_reported_under_the_name_that_was_given() {
    let service = Service::start().await;
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
    for name in ["things", arn] {
        let body = json!({ "TableName": name, "Key": { "pk": { "S": "a" } },
            "ReturnConsumedCapacity": "TOTAL" });
        let answer = service.answer("GetItem", &body).await;
        assert_eq!(answer["ConsumedCapacity"]["TableName"], name);
    }
}

/// Rule 61: `time.time()` of Python has a fraction.
#[tokio::test]
async fn an_expiry_with_a_fraction_counts_by_its_whole_seconds() {
    let clock = Arc::new(ManualClock::new(1_800_000_000_000));
    let options =
        Options { clock: Arc::clone(&clock) as _, background_work: false, ..Options::in_memory() };
    let service = Service::with(options, |server| server, Limits::default()).await;
    service.answer("CreateTable", &table("things")).await;
    let specification = json!({ "AttributeName": "ttl", "Enabled": true });
    let ttl = json!({ "TableName": "things", "TimeToLiveSpecification": specification });
    service.answer("UpdateTimeToLive", &ttl).await;
    for (name, seconds) in [("soon", "1800000010.75"), ("later", "1800000011.0000001")] {
        let item = json!({ "pk": { "S": name }, "ttl": { "N": seconds } });
        service.answer("PutItem", &json!({ "TableName": "things", "Item": item })).await;
    }
    let names = async || {
        let database = service.database.clone();
        let swept = tokio::task::spawn_blocking(move || database.run_background_work());
        swept.await.unwrap().unwrap();
        let scan = json!({ "TableName": "things", "ProjectionExpression": "pk" });
        let items = service.answer("Scan", &scan).await["Items"].clone();
        let mut names: Vec<_> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["pk"]["S"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    clock.advance(9_999);
    assert_eq!(names().await, ["later", "soon"]);
    clock.advance(1);
    assert_eq!(names().await, ["later"]);
    clock.advance(1_000);
    assert!(names().await.is_empty());
}
