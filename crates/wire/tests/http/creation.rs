//! Tables that take a while to be created and deleted, as on AWS, if that is asked for (rule 65).

use std::sync::Arc;
use std::time::Duration;

use database::Options;
use database::clock::ManualClock;
use serde_json::{Value, json};
use wire::http::Limits;

use super::{Service, table};

const NOT_FOUND: (&str, &str) = ("ResourceNotFoundException", "Requested resource not found");

async fn start(creation: Duration) -> (Service, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1_800_000_000_000));
    let options = Options {
        clock: Arc::clone(&clock) as _,
        table_creation_time: creation,
        ..Options::in_memory()
    };
    let service = Service::with(options, |server| server, Limits::default()).await;
    let created = service.answer("CreateTable", &table("things")).await;
    assert_eq!(created["TableDescription"]["TableStatus"], "CREATING");
    (service, clock)
}

fn requests() -> Vec<(&'static str, Value)> {
    let (key, name) = (json!({ "pk": { "S": "a" } }), "things");
    vec![
        ("PutItem", json!({ "TableName": name, "Item": key })),
        ("GetItem", json!({ "TableName": name, "Key": key })),
        ("UpdateItem", json!({ "TableName": name, "Key": key, "UpdateExpression": "REMOVE a" })),
        ("Scan", json!({ "TableName": name })),
        ("BatchGetItem", json!({ "RequestItems": { name: { "Keys": [key] } } })),
        (
            "TransactWriteItems",
            json!({ "TransactItems": [{ "Put": { "TableName": name, "Item": key } }] }),
        ),
        ("ExecuteStatement", json!({ "Statement": "SELECT * FROM things" })),
    ]
}

async fn refused(service: &Service, operation: &str, body: &Value) -> (String, String) {
    service.refusal(operation, body).await
}

#[tokio::test]
async fn a_new_table_cannot_be_used_until_its_time_has_passed() {
    let (service, clock) = start(Duration::from_millis(500)).await;
    for (operation, body) in requests() {
        let (kind, message) = refused(&service, operation, &body).await;
        assert_eq!((kind.as_str(), message.as_str()), NOT_FOUND, "{operation}");
    }
    let update = json!({ "TableName": "things", "DeletionProtectionEnabled": true });
    for (operation, body) in
        [("UpdateTable", update), ("DeleteTable", json!({ "TableName": "things" }))]
    {
        let (kind, message) = refused(&service, operation, &body).await;
        assert_eq!(kind, "ResourceInUseException", "{operation}");
        assert!(message.ends_with("Table is being created: things"), "{message}");
    }
    let (kind, message) = refused(&service, "CreateTable", &table("things")).await;
    assert_eq!(
        (kind.as_str(), message.as_str()),
        ("ResourceInUseException", "Table already exists: things")
    );
    clock.advance(499);
    assert_eq!(refused(&service, "Scan", &json!({ "TableName": "things" })).await.0, NOT_FOUND.0);
    clock.advance(1);
    for (operation, body) in requests() {
        service.answer(operation, &body).await;
    }
}

#[tokio::test]
async fn describe_table_ends_the_creation() {
    let (service, _clock) = start(Duration::from_secs(3600)).await;
    let scan = json!({ "TableName": "things" });
    assert_eq!(refused(&service, "Scan", &scan).await.0, NOT_FOUND.0);
    let described = service.answer("DescribeTable", &scan).await;
    assert_eq!(described["Table"]["TableStatus"], "ACTIVE");
    service.answer("Scan", &scan).await;
}

#[tokio::test]
async fn a_deleted_table_keeps_its_name_until_its_time_has_passed_or_it_is_described() {
    let (service, clock) = start(Duration::from_millis(500)).await;
    let name = json!({ "TableName": "things" });
    for is_described in [false, true] {
        service.answer("DescribeTable", &name).await;
        service.answer("DeleteTable", &name).await;
        assert_eq!(refused(&service, "Scan", &name).await.0, NOT_FOUND.0);
        for (operation, body) in [("CreateTable", table("things")), ("DeleteTable", name.clone())] {
            let (kind, message) = refused(&service, operation, &body).await;
            assert_eq!(kind, "ResourceInUseException", "{operation}");
            assert!(message.ends_with("Table is being deleted: things"), "{message}");
        }
        if is_described {
            let (kind, _) = refused(&service, "DescribeTable", &name).await;
            assert_eq!(kind, "ResourceNotFoundException");
        } else {
            clock.advance(500);
        }
        service.answer("CreateTable", &table("things")).await;
    }
}

#[tokio::test]
async fn without_the_setting_a_table_can_be_used_at_once() {
    let (service, _clock) = start(Duration::ZERO).await;
    for (operation, body) in requests() {
        service.answer(operation, &body).await;
    }
    service.answer("DeleteTable", &json!({ "TableName": "things" })).await;
    service.answer("CreateTable", &table("things")).await;
}
