//! Events on EventBridge and SNS as moto has them. `tests/publishers/run` starts moto, makes a bus and
//! a topic, each with a queue behind it, and looks into the queues afterwards.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use amazon::{Connection, Credentials, EventBus, Topic};
use kernel::Moment;
use serde_json::json;
use webhooks::events::{Message, Publisher};

fn connection() -> Option<Connection> {
    Some(Connection {
        endpoint: Some(std::env::var("PLINTH_TEST_MOTO_ENDPOINT").ok()?),
        region: Some("af-south-1".to_owned()),
        profile: None,
        credentials: Some(Credentials::new("test", "test", None, None, "test")),
    })
}

fn message() -> Message {
    Message {
        id: "evt_01KA36Z000000000000000000A".to_owned(),
        event_type: "tenant.parked".to_owned(),
        account_id: "acc-1".to_owned(),
        time: Moment::parse("2026-11-15T00:00:00Z").unwrap(),
        source: "bbws.tenant-management".to_owned(),
        detail_type: "TENANT_PARKED".to_owned(),
        detail: json!({ "tenantId": "tenant-1", "reason": "unpaid" }),
    }
}

/// R002-8.3-1.
#[tokio::test]
async fn an_event_reaches_the_bus() {
    let Some(connection) = connection() else { return };
    let bus = EventBus::connect(&connection, "plinth-events").await;
    bus.publish(&message()).await.unwrap();
}

#[tokio::test]
async fn an_event_reaches_the_topic() {
    let Some(connection) = connection() else { return };
    let topic = Topic::connect(&connection, &std::env::var("PLINTH_TEST_TOPIC").unwrap()).await;
    topic.publish(&message()).await.unwrap();
}

/// A publisher that cannot be reached says so, in words for the attempt's record.
#[tokio::test]
async fn what_is_not_there_is_an_error() {
    let Some(connection) = connection() else { return };
    let topic = Topic::connect(&connection, "arn:aws:sns:af-south-1:123456789012:none").await;
    let error = topic.publish(&message()).await.unwrap_err();
    assert!(error.contains("NotFound"), "{error}");
    let away = Connection { endpoint: Some("http://127.0.0.1:9".to_owned()), ..connection };
    let bus = EventBus::connect(&away, "plinth-events").await;
    bus.publish(&message()).await.unwrap_err();
}
