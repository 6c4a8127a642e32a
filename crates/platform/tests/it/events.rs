//! The outbox, dispatching, and publishers.

use std::sync::Arc;
use std::time::Duration;

use changes::Event;
use serde_json::{Value, json};
use store::Transaction;
use webhooks::events::{Message, PAYLOAD_BYTES_MAX, Publisher, Publishing};

use crate::webhook_world::{ACCOUNT, Bus, Scripted, World, set, status};

/// C2-39, R003-webhook-1: the event is in the transaction of the change: it fails with it and stays
/// with it.
#[tokio::test]
async fn an_event_is_told_if_and_only_if_its_change_is_made() {
    let world = World::new().await;
    let endpoint = world.endpoint("https://hooks.example/", None).await;
    let taken = world.endpoints.get(ACCOUNT, &endpoint.id).await.unwrap();
    let stale = world.endpoints.disable(ACCOUNT, &taken.id, "first").await.unwrap();
    let first = world.endpoints.disable(ACCOUNT, &taken.id, "second").await.unwrap();
    world.commit(first).await;
    let event = Event::new("tenant.parked", ACCOUNT, json!({}));
    let mut writes = world.outbox.writes(&event, world.now()).unwrap();
    writes.extend(stale.writes);
    let both = writes.into_iter().fold(Transaction::new(), Transaction::with);
    world.store.commit(both).await.unwrap_err();
    assert!(world.messages.list(ACCOUNT, "", 10, None).await.unwrap().items.is_empty());
    let id = world.emit("tenant.parked").await;
    let page = world.messages.list(ACCOUNT, "", 10, None).await.unwrap();
    assert_eq!(page.items.iter().map(|event| event.id.clone()).collect::<Vec<_>>(), [id]);
}

/// What is sent has id, type, timestamp, account and data, and is the same text at every attempt.
#[tokio::test]
async fn every_attempt_sends_the_same_envelope() {
    let world = World::new().await;
    world.endpoint("https://hooks.example/", None).await;
    let sender = Scripted::new(&world.clock, |_, nth| status(if nth == 1 { 500 } else { 200 }));
    let worker = world.worker(sender.clone());
    let id = world.emit("tenant.parked").await;
    worker.drain().await.unwrap();
    world.pass(Duration::from_secs(6));
    worker.drain().await.unwrap();
    let received = sender.received.lock().unwrap();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].1.body, received[1].1.body);
    let body: Value = serde_json::from_slice(&received[0].1.body).unwrap();
    let expected = json!({
        "id": id, "type": "tenant.parked", "timestamp": "2026-11-15T00:00:00.000Z",
        "account": ACCOUNT, "data": { "tenantId": "tenant-1" },
    });
    assert_eq!(body, expected);
}

/// Filters by type and by beginning; other accounts hear nothing; disabled endpoints neither.
#[tokio::test]
async fn an_event_goes_to_every_endpoint_that_wants_it_and_to_no_other() {
    let world = World::new().await;
    world.endpoint("https://all.example/", None).await;
    world.endpoint("https://tenants.example/", Some(&["tenant.*"])).await;
    world.endpoint("https://keys.example/", Some(&["api_key.revoked"])).await;
    let off = world.endpoint("https://off.example/", None).await;
    world.commit(world.endpoints.disable(ACCOUNT, &off.id, "asked").await.unwrap()).await;
    let sender = Scripted::new(&world.clock, |_, _| status(204));
    let worker = world.worker(sender.clone());
    world.emit("tenant.parked").await;
    worker.drain().await.unwrap();
    let other = Event::new("tenant.parked", "acc-2", json!({}));
    let writes = world.outbox.writes(&other, world.now()).unwrap();
    world
        .store
        .commit(writes.into_iter().fold(Transaction::new(), Transaction::with))
        .await
        .unwrap();
    worker.drain().await.unwrap();
    let urls = set(sender.received.lock().unwrap().iter().map(|(_, sent)| sent.url.clone()));
    let expected = ["https://all.example/", "https://tenants.example/"].map(str::to_owned);
    assert_eq!(urls, set(expected));
    assert_eq!(sender.received.lock().unwrap().len(), 2);
}

/// A publisher among many.
struct Numbered(String, Bus);

impl Publisher for Numbered {
    fn name(&self) -> &str {
        &self.0
    }

    fn publish<'a>(&'a self, message: &'a Message) -> Publishing<'a> {
        self.1.publish(message)
    }
}

/// A transaction has room for 100 actions; endpoints and publishers may be more.
#[tokio::test]
async fn more_receivers_than_a_transaction_holds_all_get_the_event() {
    let (mut world, bus) = (World::new().await, Bus::default());
    for number in 0..80 {
        world.publishers.push(Arc::new(Numbered(format!("bus{number}"), bus.clone())));
    }
    for number in 0..50 {
        world.endpoint(&format!("https://e{number}.example/"), None).await;
    }
    let sender = Scripted::new(&world.clock, |_, _| status(200));
    let worker = world.worker(sender.clone());
    world.emit("tenant.parked").await;
    worker.drain().await.unwrap();
    let urls = set(sender.received.lock().unwrap().iter().map(|(_, sent)| sent.url.clone()));
    assert_eq!((urls.len(), sender.received.lock().unwrap().len()), (50, 50));
    assert_eq!(bus.published.lock().unwrap().len(), 80);
}

/// C2-39, R002-8.3-1, R002-11.3-1: three quick tries, then the schedule; the message has the bus's
/// names.
#[tokio::test]
async fn publishers_are_tried_three_times_and_then_by_the_schedule() {
    let mut world = World::new().await;
    let bus = Bus::default();
    *bus.failures.lock().unwrap() = 4;
    world.publishers.push(Arc::new(bus.clone()));
    world.settings.publish_pause = Duration::from_millis(1);
    let worker = world.worker(Scripted::new(&world.clock, |_, _| status(200)));
    let event = Event::new("tenant.parked", ACCOUNT, json!({ "tenantId": "t", "reason": "r" }))
        .on_bus("bbws.tenant-management", "TENANT_PARKED");
    let writes = world.outbox.writes(&event, world.now()).unwrap();
    world
        .store
        .commit(writes.into_iter().fold(Transaction::new(), Transaction::with))
        .await
        .unwrap();
    worker.drain().await.unwrap();
    assert_eq!((*bus.tries.lock().unwrap(), bus.published.lock().unwrap().len()), (3, 0));
    world.pass(Duration::from_secs(6));
    worker.drain().await.unwrap();
    assert_eq!((*bus.tries.lock().unwrap(), bus.published.lock().unwrap().len()), (5, 1));
    let message = bus.published.lock().unwrap()[0].clone();
    let envelope = message.envelope("af-south-1");
    assert_eq!(envelope["version"], "0");
    assert_eq!(envelope["source"], "bbws.tenant-management");
    assert_eq!(envelope["detail-type"], "TENANT_PARKED");
    assert_eq!(envelope["time"], "2026-11-15T00:00:00.000Z");
    assert_eq!((&envelope["region"], &envelope["resources"]), (&json!("af-south-1"), &json!([])));
    let detail = json!({ "tenantId": "t", "reason": "r", "timestamp": "2026-11-15T00:00:00.000Z" });
    assert_eq!(envelope["detail"], detail);
}

#[tokio::test]
async fn an_event_that_is_too_large_is_refused_before_the_change() {
    let world = World::new().await;
    let data = json!({ "text": "x".repeat(PAYLOAD_BYTES_MAX) });
    let refused = world.outbox.writes(&Event::new("a.b", ACCOUNT, data), world.now());
    assert_eq!(refused.err().unwrap().code().status, 413);
}
