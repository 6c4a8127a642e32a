//! What others hear.

use serde_json::{Value, json};

use crate::world::World;

const REASON: &str = "Customer requested it";

/// R002-1.1-2, R002-7.5-3, R002-7.5-4, R002-7.5-7, R002-8.1-1, R002-8.2-1, R002-8.3-1, R002-8.3-2,
/// R002-8.3-3, C2-39, C2-40: facts go to the tenant's subscribers, requests to whoever operates.
#[tokio::test]
async fn every_move_is_told_as_a_fact_and_as_a_request() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for (step, body) in [
        ("park", Some(json!({ "reason": REASON }))),
        ("unpark", None),
        ("suspend", None),
        ("resume", None),
    ] {
        let call = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/{step}"));
        let call = if let Some(body) = &body { call.json(body) } else { call };
        world.clock.advance(1_000);
        assert_eq!(call.send().await.status, 200, "{step}");
    }
    world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    let told = world.told(&id).await;
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    for name in [
        "tenant.created",
        "tenant.activated",
        "tenant.provision.succeeded",
        "tenant.parked",
        "tenant.unparked",
        "tenant.suspended",
        "tenant.resumed",
        "tenant.deprovisioned",
    ] {
        assert_eq!(names.iter().filter(|one| **one == name).count(), 1, "{name} in {names:?}");
    }
    for (name, payload) in &told {
        let data = &payload["data"];
        assert_eq!(data["tenantId"], *id, "{name}");
        assert_eq!(data["actor"], "root@example.com", "{name}");
        assert!(data["timestamp"].is_string(), "{name}");
    }
    let data = |name: &str| {
        let found = told.iter().find(|(told, _)| told == name);
        found.map(|(_, payload)| payload["data"].clone()).unwrap()
    };
    assert_eq!(data("tenant.created")["status"], "PENDING");
    let parked = data("tenant.parked");
    assert_eq!(
        (&parked["reason"], &parked["parkedBy"]),
        (&json!(REASON), &json!("root@example.com"))
    );
    assert_eq!(data("tenant.unparked")["unparkedBy"], "root@example.com");
    let asked = world.told("platform").await;
    let of_tenant = |(name, payload): &(String, Value)| {
        (payload["data"]["tenantId"] == *id).then(|| (name.clone(), payload["data"].clone()))
    };
    let asked: Vec<_> = asked.iter().filter_map(of_tenant).collect();
    let mut names: Vec<&str> = asked.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let mut expected = ["provision", "park", "unpark", "suspend", "resume", "deprovision"]
        .map(|work| format!("tenant.{work}.requested"));
    expected.sort_unstable();
    assert_eq!(names, expected);
    let (_, request) = asked.iter().find(|(name, _)| name == "tenant.park.requested").unwrap();
    assert_eq!(request["callback"], format!("/v1.0/tenants/{id}/lifecycle/callback"));
    assert!(request["operationId"].as_str().unwrap().starts_with("op_"));
}

/// R002-8.3-1, R002-8.3-3: the names on an event bus are the document's.
#[tokio::test]
async fn the_names_on_a_bus_are_the_documents() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let park = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/park"));
    park.json(&json!({ "reason": REASON })).send().await;
    world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/unpark")).send().await;
    world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    let table = world.store.table("platform/webhook_events").unwrap();
    let access = table.access("list-events").unwrap().with("account_id", &*id).unwrap();
    let page: store::Page<store::Raw> = access.page("", 100, None).await.unwrap();
    let text = |item: &store::Raw, name: &str| match item.0.get(name) {
        Some(values::AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    let names: Vec<String> = page.items.iter().map(|item| text(item, "bus_detail_type")).collect();
    for name in ["TENANT_CREATED", "TENANT_PARKED", "TENANT_UNPARKED", "TENANT_DEPROVISIONED"] {
        assert!(names.contains(&name.to_owned()), "{name} is not in {names:?}");
    }
    assert!(page.items.iter().all(|item| text(item, "bus_source") == "bbws.tenant-management"));
}

/// R002-5.7-7: what happened, by type, actor and time, a page at a time.
#[tokio::test]
async fn history_is_filtered_and_paged() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let moment = |seconds: u64| platform::Moment::from_millis(1_900_000_000_000 + seconds * 1000);
    for second in 1..=4 {
        world.clock.advance(1_000);
        let step = if second % 2 == 1 { "suspend" } else { "resume" };
        let line = format!("POST /v1.0/tenants/{id}/lifecycle/{step}");
        assert_eq!(world.root(&line).send().await.status, 200);
    }
    let events = |query: String| {
        let call = world.root(&format!("GET /v1.0/tenants/{id}/events?{query}"));
        async move { call.send().await }
    };
    let all = events("limit=100".to_owned()).await.all("eventType");
    assert_eq!(
        all[..4],
        ["TENANT_RESUMED", "TENANT_SUSPENDED", "TENANT_RESUMED", "TENANT_SUSPENDED"]
    );
    assert_eq!(events("eventType=TENANT_SUSPENDED".to_owned()).await.json()["count"], 2);
    assert_eq!(events("actor=somebody".to_owned()).await.json()["count"], 0);
    let some = events(format!("from={}&to={}", moment(2), moment(3))).await;
    assert_eq!(some.all("eventType"), ["TENANT_SUSPENDED", "TENANT_RESUMED"]);
    let first = events("limit=2".to_owned()).await;
    let token = first.text("nextToken");
    let second = events(format!("limit=2&nextToken={token}")).await;
    assert_eq!([first.all("eventType"), second.all("eventType")].concat(), all[..4]);
    assert_eq!(events("from=yesterday".to_owned()).await.status, 400);
}
