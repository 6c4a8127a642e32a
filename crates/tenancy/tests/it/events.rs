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
    let moment = |seconds: u64| kernel::Moment::from_millis(1_900_000_000_000 + seconds * 1000);
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
    let backwards = events(format!("from={}&to={}", moment(3), moment(2))).await;
    assert_eq!(backwards.error(), (400, "VALIDATION_ERROR".to_owned()), "{backwards:?}");
    assert_eq!(backwards.detail("errors")[0]["field"], "to");
}

/// Does something of every kind with a tenant, so that every event is told. Gives the tenant's id.
async fn a_whole_life(world: &World) -> String {
    let id = world.pending("Life").await;
    let (ada, bob) = (world.person("ada").await, world.person("bob").await);
    let steps = [
        ("PATCH", "/status", Some(json!({ "status": "FAILED" }))),
        ("PATCH", "/status", Some(json!({ "status": "PENDING" }))),
        ("PATCH", "/status", Some(json!({ "status": "ACTIVE" }))),
        ("PUT", "", Some(json!({ "organizationName": "Life 2", "contactEmail": "a@b.example" }))),
        ("POST", "/users", Some(json!({ "email": ada.email, "role": "Viewer" }))),
        ("PUT", "/resources/bucket/data", None),
        ("DELETE", "/resources/bucket/data", None),
    ];
    for (method, path, body) in steps {
        let call = world.root(&format!("{method} /v1.0/tenants/{id}{path}"));
        let call = if let Some(body) = &body { call.json(body) } else { call };
        let got = call.send().await;
        assert!(got.status < 300, "{method} {path}: {got:?}");
    }
    let one = format!("/v1.0/tenants/{id}/users/{}", ada.user_id);
    world.root(&format!("PATCH {one}")).json(&json!({ "role": "Operator" })).send().await;
    let mut place = format!("/v1.0/tenants/{id}");
    let mut places = Vec::new();
    for level in ["divisions", "groups", "teams"] {
        let made = world.root(&format!("POST {place}/{level}")).json(&json!({ "name": "Name" }));
        place = made.send().await.header("location").to_owned();
        world.root(&format!("PUT {place}")).json(&json!({ "name": "Other" })).send().await;
        places.push(place.clone());
    }
    let member = json!({ "email": ada.email, "role": "Admin" });
    world.root(&format!("POST {place}/users")).json(&member).send().await;
    world.root(&format!("DELETE {place}/users/{}", ada.user_id)).send().await;
    for place in places.iter().rev() {
        assert_eq!(world.root(&format!("DELETE {place}")).send().await.status, 204);
    }
    world.root(&format!("DELETE {one}")).send().await;
    let invitations = format!("POST /v1.0/tenants/{id}/invitations");
    let invite = json!({ "email": bob.email, "role": "Viewer", "sendEmail": false });
    let made = world.root(&invitations).json(&invite).send().await;
    world.root(&format!("POST {}/resend", made.header("location"))).send().await;
    world.root(&format!("POST {}/revoke", made.header("location"))).send().await;
    let token =
        json!({ "token": world.root(&invitations).json(&invite).send().await.text("token") });
    let accept = world.call("POST /v1.0/invitations/accept").bearer(&bob.token).json(&token);
    assert_eq!(accept.send().await.status, 200);
    for (step, outcome) in [
        ("suspend", "succeeded"),
        ("resume", "failed"),
        ("park", "succeeded"),
        ("unpark", "succeeded"),
    ] {
        let call = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/{step}"));
        let got = call.json(&json!({ "reason": "for the test of events" })).send().await;
        let operation = got.json()["operation"]["operationId"].clone();
        let body = json!({ "operationId": operation, "outcome": outcome, "message": "so it is" });
        let call = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/callback"));
        assert_eq!(call.json(&body).send().await.status, 200, "{step}");
    }
    assert_eq!(world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await.status, 200);
    id
}

/// C2-40: every event has what its schema says, and nothing else; and every schema is of an event.
#[tokio::test]
async fn every_event_is_as_its_schema_says() {
    let world = World::new().await;
    let id = a_whole_life(&world).await;
    let mut told = world.told(&id).await;
    told.extend(world.told("platform").await);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events/tenancy.schema.json");
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schemas = document["$defs"].as_object().unwrap();
    let told: Vec<_> = told.iter().filter(|(name, _)| name.starts_with("tenant.")).collect();
    for (name, payload) in &told {
        let schema = schemas.get(name).unwrap_or_else(|| panic!("{name} has no schema"));
        let data = payload["data"].as_object().unwrap();
        for required in schema["required"].as_array().unwrap() {
            assert!(data.contains_key(required.as_str().unwrap()), "{name}: {required} {data:?}");
        }
        let known = schema["properties"].as_object().unwrap();
        let strange = data.keys().find(|key| !known.contains_key(*key));
        assert_eq!(strange, None, "{name}");
    }
    // What became of the rest is told in the same way, and cannot all happen in one life.
    let rare = [
        "tenant.suspend.failed",
        "tenant.resume.succeeded",
        "tenant.park.failed",
        "tenant.unpark.failed",
        "tenant.deprovision.succeeded",
        "tenant.deprovision.failed",
    ];
    for name in schemas.keys().filter(|name| !rare.contains(&name.as_str())) {
        assert!(told.iter().any(|(one, _)| one == name), "{name} was not told");
    }
}
