//! `/ops/v1.0/webhooks` through the shell: what succeeds, what is refused, and who sees what.

use std::sync::Arc;
use std::time::Duration;

use audit::Query;
use kernel::Role;
use serde_json::{Value, json};
use webhooks::{ENDPOINTS_MAX, Outgoing, Posting, Reply, Sender};

use crate::http::sample::Got;
use crate::platform_world::{PlatformWorld, World};

const ENDPOINTS: &str = "/ops/v1.0/webhooks/endpoints";
const EVENTS: &str = "/ops/v1.0/webhooks/events";
const MINE: &str = "acc-mine";
const THEIRS: &str = "acc-theirs";
const NOBODYS: &str = "ep_01KA36Z000000000000000000A";

/// A world, and whoever administers the account `acc-mine` in it.
struct Stage {
    world: PlatformWorld,
    token: String,
}

/// Takes everything.
struct Takes;

impl Sender for Takes {
    fn post(&self, _: Outgoing) -> Posting<'_> {
        Box::pin(async { Ok(Reply { status: 200, ..Reply::default() }) })
    }
}

impl Stage {
    async fn new() -> Stage {
        let world = World::in_memory().unlimited().open().await;
        let token = world.token(Role::Admin, Some(MINE)).await;
        Stage { world, token }
    }

    async fn ask(&self, line: &str, body: Value) -> Got {
        self.ask_as(&self.token, line, body).await
    }

    async fn ask_as(&self, token: &str, line: &str, body: Value) -> Got {
        let call = self.world.call(line).bearer(token);
        if body.is_null() { call.send().await } else { call.json(&body).send().await }
    }

    async fn get(&self, path: &str) -> Value {
        let got = self.ask(&format!("GET {path}"), Value::Null).await;
        assert_eq!(got.status, 200, "{path}: {got:?}");
        got.json()
    }

    /// A new endpoint's id.
    async fn endpoint(&self) -> String {
        let body = json!({ "url": "https://hooks.example/in" });
        let got = self.ask(&format!("POST {ENDPOINTS}"), body).await;
        assert_eq!(got.status, 201, "{got:?}");
        got.json()["endpoint"]["endpointId"].as_str().unwrap().to_owned()
    }

    /// Delivers what is due.
    async fn deliver(&self) {
        let worker = self.world.platform.worker(Arc::new(Takes), Vec::new()).unwrap();
        worker.drain().await.unwrap();
    }

    /// What the audit log has of the account, oldest first.
    async fn recorded(&self) -> Vec<String> {
        let query = Query { account: Some(MINE.to_owned()), ..Query::default() };
        let page = self.world.platform.audit().list(&query, "", 1000, None).await.unwrap();
        page.items.into_iter().rev().map(|row| row.action).collect()
    }
}

fn texts(json: &Value, member: &str) -> Vec<String> {
    let items = json["items"].as_array().unwrap();
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

/// Who administers the platform has to name an account: links that do not would lead nowhere.
#[tokio::test]
async fn links_name_the_account_that_the_request_did() {
    let stage = Stage::new().await;
    let root = stage.world.token(Role::PlatformAdmin, None).await;
    let ask = async |line: &str, body: Value| {
        stage.world.call(line).bearer(&root).json(&body).send().await
    };
    let body = json!({ "url": "https://hooks.example/in" });
    let made = ask(&format!("POST {ENDPOINTS}?accountId={MINE}"), body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let shown = ask(&format!("GET {}", made.header("location")), Value::Null).await;
    assert_eq!(shown.status, 200, "{shown:?}");
    let links = shown.json()["_links"].as_object().unwrap().clone();
    for name in ["self", "deliveries"] {
        let got = ask(&format!("GET {}", links[name]["href"].as_str().unwrap()), Value::Null).await;
        assert_eq!(got.status, 200, "{name}: {got:?}");
    }
}

/// R of reliability.md: an endpoint's life, with its secret shown at its making and its rotation only,
/// every step recorded and told.
#[tokio::test]
async fn an_endpoint_is_made_changed_and_deleted() {
    let stage = Stage::new().await;
    let body = json!({
        "url": "https://hooks.example/in", "description": "billing",
        "eventTypes": ["tenant.*"], "throttleRate": 10
    });
    let made = stage.ask(&format!("POST {ENDPOINTS}"), body).await;
    assert_eq!((made.status, made.header("etag")), (201, "\"v1\""));
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_"));
    let id = made.json()["endpoint"]["endpointId"].as_str().unwrap().to_owned();
    let path = format!("{ENDPOINTS}/{id}");
    assert_eq!(made.header("location"), path);

    let read = stage.ask(&format!("GET {path}"), Value::Null).await;
    assert!(!String::from_utf8_lossy(&read.body).contains(&secret), "shown once");
    assert_eq!(read.json()["health"]["circuit"], "closed");
    let links = read.json()["_links"].clone();
    assert_eq!(links["disable"]["href"], format!("{path}/disable"));
    assert!(links["enable"].is_null(), "it is enabled");

    let body = json!({ "description": null, "throttleRate": 20 });
    let changed = stage.ask(&format!("PATCH {path}"), body).await;
    assert_eq!((changed.status, changed.header("etag")), (200, "\"v2\""));
    assert!(changed.json()["description"].is_null());
    assert_eq!(changed.json()["throttleRate"], 20);
    assert_eq!(changed.json()["eventTypes"], json!(["tenant.*"]), "what is absent stays");

    let rotated = stage.ask(&format!("POST {path}/rotate"), json!({})).await;
    assert_ne!(rotated.json()["secret"].as_str().unwrap(), secret);
    let body = json!({ "secretKind": "ed25519" });
    let rotated = stage.ask(&format!("POST {path}/rotate"), body).await.json();
    assert!(rotated["secret"].is_null(), "the private half is shown to nobody");
    assert!(rotated["endpoint"]["publicKey"].as_str().unwrap().starts_with("whpk_"));

    let off = stage.ask(&format!("POST {path}/disable"), Value::Null).await.json();
    let replay = json!({ "from": "2026-01-31T12:00:00Z", "to": "2026-02-01T12:00:00Z" });
    for (send, body) in [("test", Value::Null), ("replay", replay)] {
        let got = stage.ask(&format!("POST {path}/{send}"), body).await;
        assert_eq!((got.status, got.code().as_str()), (409, "CONFLICT"), "{send}: {got:?}");
    }
    assert_eq!(
        (&off["enabled"], &off["disabledReason"]),
        (&json!(false), &json!("it was disabled by request"))
    );
    assert!(off["_links"]["test"].is_null() && off["_links"]["enable"].is_object());
    let on = stage.ask(&format!("POST {path}/enable"), Value::Null).await.json();
    assert_eq!(on["enabled"], true);
    assert_eq!(stage.ask(&format!("DELETE {path}"), Value::Null).await.status, 204);
    assert_eq!(stage.ask(&format!("GET {path}"), Value::Null).await.status, 404);
    let actions = [
        "CREATED",
        "UPDATED",
        "SECRET_ROTATED",
        "SECRET_ROTATED",
        "DISABLED",
        "ENABLED",
        "DELETED",
    ];
    assert_eq!(stage.recorded().await, actions.map(|action| format!("WEBHOOK_ENDPOINT_{action}")));
    let told = texts(&stage.get(&format!("{EVENTS}?limit=100")).await, "eventType");
    assert_eq!(told.len(), 7, "{told:?}");
}

/// If-Match: another version is refused, and the change of whoever came first stays.
#[tokio::test]
async fn a_change_of_another_version_is_refused() {
    let stage = Stage::new().await;
    let path = format!("{ENDPOINTS}/{}", stage.endpoint().await);
    for (method, suffix) in
        [("PATCH", ""), ("DELETE", ""), ("POST", "/enable"), ("POST", "/disable")]
    {
        let line = format!("{method} {path}{suffix}");
        let call = stage.world.call(&line).bearer(&stage.token).header("if-match", "\"v9\"");
        let call = if method == "PATCH" { call.json(&json!({ "throttleRate": 1 })) } else { call };
        let got = call.send().await;
        assert_eq!((got.status, got.code().as_str()), (412, "PRECONDITION_FAILED"), "{line}");
    }
    let line = format!("PATCH {path}");
    let call = stage.world.call(&line).bearer(&stage.token).header("if-match", "\"v1\"");
    let got = call.json(&json!({ "throttleRate": 1 })).send().await;
    assert_eq!((got.status, got.header("etag")), (200, "\"v2\""));
}

/// Everything that is wrong is named, and nothing of it is stored.
#[tokio::test]
async fn bad_input_is_refused_with_each_field_named() {
    let stage = Stage::new().await;
    let id = stage.endpoint().await;
    let post = format!("POST {ENDPOINTS}");
    let long = "x".repeat(501);
    for (body, field) in [
        (json!({}), "url"),
        (json!({ "url": 7 }), "url"),
        (json!({ "url": "http://hooks.example/" }), "url"),
        (json!({ "url": "https://127.0.0.1/" }), "url"),
        (json!({ "url": "https://metadata.internal/" }), "url"),
        (json!({ "url": "https://hooks.example:22/" }), "url"),
        (json!({ "url": "https://hooks.example/", "description": long }), "description"),
        (json!({ "url": "https://hooks.example/", "eventTypes": [] }), "eventTypes"),
        (json!({ "url": "https://hooks.example/", "eventTypes": ["a b"] }), "eventTypes"),
        (json!({ "url": "https://hooks.example/", "throttleRate": 0 }), "throttleRate"),
        (json!({ "url": "https://hooks.example/", "throttleRate": 1001 }), "throttleRate"),
        (json!({ "url": "https://hooks.example/", "secret": "whsec_short" }), "secret"),
        (json!({ "url": "https://hooks.example/", "secretKind": "rsa" }), "secretKind"),
        (
            json!({ "url": "https://hooks.example/", "secretKind": "hmac", "secret": "whsec_x" }),
            "secretKind",
        ),
        (json!({ "url": "https://hooks.example/", "colour": "red" }), "colour"),
    ] {
        let got = stage.ask(&post, body.clone()).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{body}: {got:?}");
    }
    for (line, body, field) in [
        (format!("GET {ENDPOINTS}/nonsense"), Value::Null, "endpointId"),
        (format!("GET {EVENTS}/nonsense"), Value::Null, "eventId"),
        (format!("GET {ENDPOINTS}?limit=101"), Value::Null, "limit"),
        (format!("GET {ENDPOINTS}?nextToken=nonsense"), Value::Null, "nextToken"),
        (format!("GET {ENDPOINTS}?colour=red"), Value::Null, "colour"),
        (format!("GET {ENDPOINTS}/{id}/missing"), Value::Null, "since"),
        (format!("GET {ENDPOINTS}/{id}/missing?since=yesterday"), Value::Null, "since"),
        (format!("PATCH {ENDPOINTS}/{id}"), json!({ "url": "https://10.0.0.1/" }), "url"),
        (format!("POST {ENDPOINTS}/{id}/replay"), json!({ "to": "2026-11-15T00:00:00Z" }), "from"),
        (
            format!("POST {ENDPOINTS}/{id}/replay"),
            json!({ "from": "2026-11-16T00:00:00Z", "to": "2026-11-15T00:00:00Z" }),
            "to",
        ),
        (format!("POST {EVENTS}/evt_1/resend"), json!({ "endpointId": "x" }), "endpointId"),
    ] {
        let got = stage.ask(&line, body).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{line}: {got:?}");
    }
    assert_eq!(stage.ask(&format!("PUT {ENDPOINTS}/{id}"), json!({})).await.status, 405);
    let call = stage.world.call(&post).bearer(&stage.token).header("content-type", "text/plain");
    assert_eq!(call.text("url=x").send().await.status, 415);
    assert_eq!(texts(&stage.get(ENDPOINTS).await, "endpointId"), [id]);
    assert_eq!(stage.recorded().await.len(), 1);
}

/// What is another account's answers as what does not exist, by id and by name of the account; who
/// administers the platform sees both.
#[tokio::test]
async fn what_is_anothers_is_as_if_it_did_not_exist() {
    let stage = Stage::new().await;
    let theirs = stage.world.token(Role::Admin, Some(THEIRS)).await;
    let mine = stage.endpoint().await;
    stage.deliver().await;
    let event = texts(&stage.get(EVENTS).await, "eventId").remove(0);
    let range = json!({ "from": "2020-01-01T00:00:00Z", "to": "2030-01-01T00:00:00Z" });
    let lines = [
        ("GET", "endpoints/{endpoint}", Value::Null),
        ("PATCH", "endpoints/{endpoint}", json!({ "throttleRate": 5 })),
        ("DELETE", "endpoints/{endpoint}", Value::Null),
        ("POST", "endpoints/{endpoint}/rotate", json!({})),
        ("POST", "endpoints/{endpoint}/enable", Value::Null),
        ("POST", "endpoints/{endpoint}/disable", Value::Null),
        ("POST", "endpoints/{endpoint}/test", Value::Null),
        ("POST", "endpoints/{endpoint}/replay", range),
        ("GET", "endpoints/{endpoint}/deliveries", Value::Null),
        ("GET", "endpoints/{endpoint}/missing?since=2026-01-01T00:00:00Z", Value::Null),
        ("GET", "events/{event}", Value::Null),
        ("GET", "events/{event}/attempts", Value::Null),
        ("POST", "events/{event}/resend", json!({ "endpointId": mine })),
    ];
    for (method, path, body) in lines {
        let line = |endpoint: &str, event: &str| {
            // No id has braces; two letters alone stand in one of some fifty ids.
            let path = path.replace("{endpoint}", endpoint).replace("{event}", event);
            format!("{method} /ops/v1.0/webhooks/{path}")
        };
        let other = stage.ask_as(&theirs, &line(&mine, &event), body.clone()).await;
        let none = stage
            .ask_as(&theirs, &line(NOBODYS, "evt_01KA36Z000000000000000000A"), body.clone())
            .await;
        let join = if path.contains('?') { '&' } else { '?' };
        let named = format!("{}{join}accountId={MINE}", line(&mine, &event));
        let named = stage.ask_as(&theirs, &named, body).await;
        assert_eq!((other.status, none.status, named.status), (404, 404, 404), "{path}");
        assert_eq!(plain(&other), plain(&none), "{path}");
        assert_eq!(plain(&named), plain(&none), "{path}");
    }
    let root = stage.world.token(Role::PlatformAdmin, None).await;
    for path in [format!("{ENDPOINTS}/{mine}"), format!("{EVENTS}/{event}")] {
        let got = stage.ask_as(&root, &format!("GET {path}?accountId={MINE}"), Value::Null).await;
        assert_eq!(got.status, 200, "{got:?}");
    }
    // Nothing of it changed anything.
    assert_eq!(stage.recorded().await, ["WEBHOOK_ENDPOINT_CREATED"]);
}

/// An error without what differs from request to request.
fn plain(got: &Got) -> Value {
    let mut json = got.json();
    let members = json.as_object_mut().unwrap();
    members.remove("requestId");
    members.remove("timestamp");
    if let Some(error) = members.get_mut("error").and_then(Value::as_object_mut) {
        error.remove("requestId");
        error.remove("timestamp");
    }
    json
}

/// A role and a key's scope say who may: a viewer reads and changes nothing.
#[tokio::test]
async fn who_may_only_read_is_offered_no_changes() {
    let stage = Stage::new().await;
    let id = stage.endpoint().await;
    let viewer = stage.world.token(Role::Viewer, Some(MINE)).await;
    let key = stage.world.key(MINE, &["webhooks:read"]).await;
    for credential in [viewer, key] {
        let line = format!("GET {ENDPOINTS}/{id}");
        let read = stage.ask_as(&credential, &line, Value::Null).await.json();
        let links: Vec<&String> = read["_links"].as_object().unwrap().keys().collect();
        assert_eq!(links, ["deliveries", "missing", "self"]);
        let line = format!("POST {ENDPOINTS}/{id}/disable");
        assert_eq!(stage.ask_as(&credential, &line, Value::Null).await.status, 403);
    }
}

/// A test is for one endpoint: another one does not miss it.
#[tokio::test]
async fn a_test_of_one_endpoint_is_not_owed_to_another() {
    let stage = Stage::new().await;
    let [id, other] = [stage.endpoint().await, stage.endpoint().await];
    assert_eq!(stage.ask(&format!("POST {ENDPOINTS}/{id}/test"), Value::Null).await.status, 202);
    let missing = async |id: &str| {
        let path = format!("{ENDPOINTS}/{id}/missing?since=2020-01-01T00:00:00Z");
        texts(&stage.get(&path).await, "eventType")
    };
    assert_eq!(missing(&other).await, ["webhook_endpoint.created"; 2]);
    let range = json!({ "from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z" });
    let replayed = stage.ask(&format!("POST {ENDPOINTS}/{other}/replay"), range).await.json();
    assert_eq!(replayed["eventIds"].as_array().unwrap().len(), 2, "{replayed}");
}

/// Test event, resend of one, "missing since" with pages, replay of a range; each recorded.
#[tokio::test]
async fn events_are_tested_found_missing_and_sent_again() {
    let stage = Stage::new().await;
    let id = stage.endpoint().await;
    stage.deliver().await;
    let sent = stage.ask(&format!("POST {ENDPOINTS}/{id}/test"), Value::Null).await;
    assert_eq!(sent.status, 202);
    let test = sent.json()["eventId"].as_str().unwrap().to_owned();
    stage.deliver().await;
    let attempts = stage.get(&format!("{EVENTS}/{test}/attempts")).await;
    assert_eq!(
        (&attempts["count"], &attempts["items"][0]["outcome"]),
        (&json!(1), &json!("success"))
    );
    let path = format!("{EVENTS}/{test}/attempts?endpointId={id}");
    assert_eq!(stage.get(&path).await, attempts);

    stage.world.advance(Duration::from_secs(1));
    let since = stage.world.platform.now();
    stage.ask(&format!("POST {ENDPOINTS}/{id}/disable"), Value::Null).await;
    for rate in 1..=60 {
        let body = json!({ "throttleRate": rate });
        assert_eq!(stage.ask(&format!("PATCH {ENDPOINTS}/{id}"), body).await.status, 200);
        stage.world.advance(Duration::from_millis(10));
    }
    stage.deliver().await;
    stage.ask(&format!("PATCH {ENDPOINTS}/{id}"), json!({ "throttleRate": null })).await;
    stage.ask(&format!("POST {ENDPOINTS}/{id}/enable"), Value::Null).await;
    let now = stage.world.platform.now();
    let path = format!("{ENDPOINTS}/{id}/missing?since={since}");
    let first = stage.get(&path).await;
    assert_eq!(first["count"], 50);
    let next = first["_links"]["next"]["href"].as_str().unwrap().to_owned();
    let rest = stage.get(&next).await;
    let missing = [texts(&first, "eventId"), texts(&rest, "eventId")].concat();
    assert_eq!(missing.len(), 63, "disabled, changed 61 times, enabled");

    let (mut replayed, mut token) = (Vec::new(), Value::Null);
    loop {
        let mut body = json!({ "from": since.to_string(), "to": now.to_string() });
        if !token.is_null() {
            body["nextToken"] = token.clone();
        }
        let got = stage.ask(&format!("POST {ENDPOINTS}/{id}/replay"), body).await;
        assert_eq!(got.status, 202, "{got:?}");
        let json = got.json();
        replayed.extend(
            json["eventIds"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()),
        );
        token = json["nextToken"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(replayed, missing);
    stage.deliver().await;
    assert_eq!(stage.get(&path).await["count"], 0, "nothing is missing any more");

    let body = json!({ "endpointId": id });
    let sent = stage.ask(&format!("POST {EVENTS}/{test}/resend"), body).await;
    assert_eq!(sent.status, 202, "{sent:?}");
    stage.deliver().await;
    assert_eq!(stage.get(&format!("{EVENTS}/{test}/attempts")).await["count"], 2);
    let page = stage.get(&format!("{ENDPOINTS}/{id}/deliveries?limit=100")).await;
    assert!(page["items"].as_array().unwrap().iter().all(|one| one["status"] == "delivered"));
    let recorded = stage.recorded().await;
    let count = |action: &str| recorded.iter().filter(|one| *one == action).count();
    assert_eq!(count("WEBHOOK_TEST_SENT"), 1);
    assert_eq!(count("WEBHOOK_EVENTS_REPLAYED"), 2);
    assert_eq!(count("WEBHOOK_EVENT_RESENT"), 1);
}

/// A request that is repeated with its Idempotency-Key makes one endpoint and shows the same secret.
#[tokio::test]
async fn a_repeated_request_makes_one_endpoint() {
    let stage = Stage::new().await;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let line = format!("POST {ENDPOINTS}");
        let call = stage.world.call(&line).bearer(&stage.token).header("idempotency-key", "once");
        answers.push(call.json(&json!({ "url": "https://hooks.example/" })).send().await);
    }
    assert_eq!(answers[0].body, answers[1].body);
    assert_eq!(answers[1].header("idempotent-replayed"), "true");
    assert_eq!(stage.get(ENDPOINTS).await["count"], 1);
}

/// The owner of an account finds in their messages, and in their mailbox, that an endpoint is gone.
#[tokio::test]
async fn an_owner_is_told_of_trouble_by_message_and_mail() {
    struct Gone;
    impl Sender for Gone {
        fn post(&self, _: Outgoing) -> Posting<'_> {
            Box::pin(async { Ok(Reply { status: 410, ..Reply::default() }) })
        }
    }
    let world = World::in_memory().unlimited().open().await;
    let ada = world.person("ada").await;
    let call = world.call(&format!("POST {ENDPOINTS}")).bearer(&ada.access_token);
    let made = call.json(&json!({ "url": "https://hooks.example/gone" })).send().await;
    assert_eq!(made.status, 201, "{made:?}");
    let before = world.mails(&ada.email).len();
    let worker = world.platform.worker(Arc::new(Gone), Vec::new()).unwrap();
    worker.drain().await.unwrap();
    let page =
        world.platform.identity().notifications().list(&ada.user_id, 100, None).await.unwrap();
    let told: Vec<_> = page.items.iter().filter(|one| one.subject.contains("webhook")).collect();
    assert_eq!(told.len(), 1, "{:?}", page.items);
    assert!(told[0].message.contains("https://hooks.example/gone"), "{:?}", told[0]);
    let mails = world.mails(&ada.email);
    assert_eq!(mails.len(), before + 1);
    assert!(mails.last().unwrap().contains("A webhook endpoint was disabled"));
}

/// An account has 50 endpoints at most, however many are made at one moment, and room again after one
/// is deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_room_for_fifty_endpoints() {
    let stage = Arc::new(Stage::new().await);
    let line = format!("POST {ENDPOINTS}");
    let one = || json!({ "url": "https://hooks.example/in" });
    for _ in 0..ENDPOINTS_MAX - 5 {
        stage.endpoint().await;
    }
    let mut makers = tokio::task::JoinSet::new();
    for _ in 0..24 {
        let (stage, line, body) = (Arc::clone(&stage), line.clone(), one());
        makers.spawn(async move { stage.ask(&line, body).await });
    }
    let answers = makers.join_all().await;
    let made: Vec<&Got> = answers.iter().filter(|got| got.status == 201).collect();
    assert_eq!(made.len(), 5);
    for got in answers.iter().filter(|got| got.status != 201) {
        let json = got.json();
        let said = json["error"]["message"].as_str().unwrap();
        assert!(got.status == 409 && said.contains("at most 50"), "{got:?}");
    }
    let page = stage.get(&format!("{ENDPOINTS}?limit=100")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 50);
    let json = made[0].json();
    let id = json["endpoint"]["endpointId"].as_str().unwrap();
    assert_eq!(stage.ask(&format!("DELETE {ENDPOINTS}/{id}"), Value::Null).await.status, 204);
    stage.endpoint().await;
    assert_eq!(stage.ask(&line, one()).await.status, 409);
    // Others have room of their own.
    let theirs = stage.world.token(Role::Admin, Some(THEIRS)).await;
    assert_eq!(stage.ask_as(&theirs, &line, one()).await.status, 201);
}
