//! `POST /ops/v1.0/keys/verify` and `/keys/report`: outcome codes in their order, nothing said of
//! others' keys, and a leaked key that is gone at once (R003-apikey-2, R003-audit-6).

use std::time::Duration;

use limits::{By, Policies, Policy};
use serde_json::{Value, json};
use values::{AttributeValue, Item};

use crate::ops_world::{MINE, Ops, lasting};
use crate::platform_world::World;

async fn made(ops: &Ops, more: &Value) -> (String, String) {
    let mut body = json!({ "name": "k", "environment": "live", "scopes": ["tenants:read"] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let made = ops.send("POST /keys", &ops.admin, &body).await.json();
    (made["keyId"].as_str().unwrap().to_owned(), made["secret"].as_str().unwrap().to_owned())
}

async fn code(ops: &Ops, question: Value) -> String {
    let got = ops.send("POST /keys/verify", &ops.admin, &question).await;
    assert_eq!(got.status, 200, "{got:?}");
    let answer = got.json();
    assert_eq!(answer["valid"], answer["code"] == "VALID");
    answer["code"].as_str().unwrap().to_owned()
}

/// R003-apikey-2: what is said of a key that is accepted.
#[tokio::test]
async fn a_key_is_verified() {
    let ops = Ops::new().await;
    let limit = json!({ "limit": { "requests": 5, "windowSeconds": 60 }, "metadata": { "a": 1 } });
    let (id, key) = made(&ops, &limit).await;
    let question = json!({ "key": key, "scopes": ["tenants:read"], "environment": "live" });
    let got = ops.send("POST /keys/verify", &ops.admin, &question).await.json();
    let seconds = got["rateLimit"]["resetSeconds"].as_u64().unwrap();
    assert!((1..=66).contains(&seconds), "{got}");
    let expected = json!({
        "valid": true, "code": "VALID", "keyId": id, "name": "k", "environment": "live",
        "scopes": ["tenants:read"], "metadata": { "a": 1 },
        "rateLimit": { "limit": 5, "remaining": 4, "resetSeconds": seconds },
    });
    assert_eq!(got, expected);
    // R003-audit-6: each attempt is recorded.
    assert!(ops.actions(MINE).await.contains(&"API_KEY_ACCEPTED".to_owned()));
}

/// The first thing that holds is what is said, in the documented order.
#[tokio::test]
async fn outcomes_come_in_their_order() {
    let ops = Ops::new().await;
    // Everything at once is wrong with this key; one after the other is put right.
    let wrong = json!({ "usesLeft": 1, "limit": { "requests": 1, "windowSeconds": 60 },
        "expiresAt": ops.now().after(Duration::from_secs(60)).to_string() });
    let (id, key) = made(&ops, &wrong).await;
    let ask = |environment: &str| {
        json!({ "key": key, "environment": environment,
        "scopes": ["tenants:write"], "cost": 2 })
    };
    let patch = async |body: Value| {
        let call = ops.call(&format!("PATCH /keys/{id}")).bearer(&ops.admin);
        let got = call.header("if-match", "*").json(&body).send().await;
        assert_eq!(got.status, 200, "{got:?}");
    };
    let act = async |verb: &str| {
        let call = ops.call(&format!("POST /keys/{id}/{verb}")).bearer(&ops.admin);
        assert_eq!(call.send().await.status, 200);
    };
    act("disable").await;
    ops.world.advance(Duration::from_secs(61));
    assert_eq!(code(&ops, ask("test")).await, "FORBIDDEN");
    assert_eq!(code(&ops, ask("live")).await, "DISABLED");
    act("enable").await;
    assert_eq!(code(&ops, ask("live")).await, "EXPIRED");
    patch(json!({ "expiresAt": null })).await;
    assert_eq!(code(&ops, ask("live")).await, "USAGE_EXCEEDED");
    patch(json!({ "usesLeft": 10 })).await;
    assert_eq!(code(&ops, ask("live")).await, "INSUFFICIENT_PERMISSIONS", "the limit's only one");
    assert_eq!(code(&ops, ask("live")).await, "RATE_LIMITED");
    patch(json!({ "limit": null })).await;
    assert_eq!(code(&ops, ask("live")).await, "INSUFFICIENT_PERMISSIONS");
    patch(json!({ "scopes": ["tenants:*"] })).await;
    assert_eq!(code(&ops, ask("live")).await, "VALID");
    let left = ops.get(&format!("/keys/{id}"), &ops.admin).await.json();
    assert_eq!(left["usesLeft"], 8, "only what was accepted was counted");
    ops.send(&format!("POST /keys/{id}/revoke"), &ops.admin, &json!({})).await;
    assert_eq!(code(&ops, ask("test")).await, "NOT_FOUND", "a revoked key is no key");
}

/// Whoever has a key that is used too often is told so, and when to come back.
#[tokio::test]
async fn a_key_that_is_used_too_often_is_told() {
    let ops = Ops::new().await;
    let limited =
        json!({ "limit": { "requests": 1, "windowSeconds": 60 }, "scopes": ["keys:read"] });
    let spent = json!({ "usesLeft": 1, "scopes": ["keys:read"] });
    for (kind, status, code) in [(limited, 429, "RATE_LIMITED"), (spent, 403, "FORBIDDEN")] {
        let (_, key) = made(&ops, &kind).await;
        let ask = async || ops.call("GET /keys").header("x-api-key", &key).send().await;
        assert_eq!(ask().await.status, 200);
        let got = ask().await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{kind}");
        assert_eq!(got.header("retry-after").is_empty(), status == 403);
    }
}

/// R003-rate-1: a key's own limit is told as any other, however the key comes, with every answer.
#[tokio::test]
async fn what_is_left_of_a_keys_own_limit_is_told() {
    let ops = Ops::new().await;
    for beside_a_token in [false, true] {
        let limited =
            json!({ "limit": { "requests": 2, "windowSeconds": 60 }, "scopes": ["keys:read"] });
        let (_, key) = made(&ops, &limited).await;
        for (status, left) in [(200, 1), (200, 0), (429, 0)] {
            let call = ops.call("GET /keys");
            let call = if beside_a_token {
                call.bearer(&ops.admin).header("x-api-key", &key)
            } else {
                call.bearer(&key)
            };
            let got = call.send().await;
            assert_eq!(got.status, status, "{got:?}");
            assert_eq!(got.headers.get_all("ratelimit").iter().count(), 1, "{got:?}");
            assert!(
                got.header("ratelimit").starts_with(&format!("\"api-key\";r={left};t=")),
                "{got:?}"
            );
            assert_eq!(got.header("ratelimit-policy"), "\"api-key\";q=2;w=60");
        }
    }
}

/// R003-audit-6: every attempt is recorded, but a stranger cannot fill the log, nor keep those who
/// have a key from using it.
#[tokio::test]
async fn texts_that_are_no_key_are_counted() {
    let ops = Ops::of(World::in_memory()).await;
    let (_, key) = made(&ops, &json!({ "scopes": ["keys:read"] })).await;
    let ask = async |key: &str, n: u8| {
        ops.call("GET /keys").from([198, 51, 100, n]).header("x-api-key", key).send().await
    };
    for _ in 0..60 {
        let got = ask("nonsense", 1).await;
        assert_eq!(got.status, 401);
        assert!(got.header("ratelimit-policy").contains("\"refused-keys\";q=60"), "{got:?}");
    }
    let got = ask("nonsense", 1).await;
    assert_eq!((got.status, got.code().as_str()), (429, "RATE_LIMITED"));
    assert!(got.header("ratelimit").starts_with("\"refused-keys\";r=0"), "{got:?}");
    assert!(!got.header("retry-after").is_empty());
    assert_eq!(ask("nonsense", 2).await.status, 401, "another network");
    assert_eq!(ask(&key, 1).await.status, 200, "a key is a key, wherever it comes from");
    for _ in 0..6 {
        assert_eq!(ask("nonsense", 1).await.status, 429);
    }
    let recorded = ops.actions("anonymous").await;
    // Those that were too many are there as a number.
    assert_eq!(ops.world.platform.later().counted(), 7);
    assert_eq!(recorded.iter().filter(|action| *action == "ATTEMPTS_COUNTED").count(), 1);
    let rows = ops.items("platform/audit_logs").await;
    assert!(format!("{rows:?}").contains(r#"\"attempts\":7"#), "{rows:?}");
    // The others are there one by one, those of one network together.
    let refused = rows.iter().filter(|item| item.get("account_id") == Some(&"anonymous".into()));
    let refused = refused.filter(|item| item.get("action") == Some(&"API_KEY_REFUSED".into()));
    let attempts = |item: &Item| {
        let AttributeValue::S(details) = &item["details"] else { return 0 };
        let details: Value = serde_json::from_str(details).unwrap();
        details["attempts"].as_u64().unwrap_or(1)
    };
    assert_eq!(refused.map(attempts).sum::<u64>(), 61);
}

/// R003-rate-1: how many wrong keys a network may send is a limit as the others are: listed, looked at,
/// forgiven, and configured.
#[tokio::test]
async fn the_limit_of_refused_keys_is_one_of_the_limits() {
    let ops = Ops::of(World::in_memory()).await;
    let address = [198, 51, 100, 1];
    let ask = async || {
        ops.call("GET /keys").from(address).header("x-api-key", "nonsense").send().await.status
    };
    assert_eq!(ask().await, 401);
    let listed = ops.get("/limits", &ops.root).await.json();
    let listed = listed["items"].as_array().unwrap().iter();
    let found = listed.filter(|item| item["policy"] == "refused-keys").collect::<Vec<&Value>>();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["by"], &found[0]["limit"]), (&json!("refused_key"), &json!(60)));
    let path = "/limits/refused-keys/address%3A198.51.100.1";
    let state = ops.get(path, &ops.root).await.json();
    assert_eq!(state["remaining"], 50, "a block was taken: {state}");
    let few = Policy::new("few-wrong-keys", 1, 60, By::RefusedKey);
    ops.world.platform.limiter().replace_policies(Policies::new(vec![few]).unwrap());
    assert_eq!((ask().await, ask().await), (401, 429));
    let path = path.replace("refused-keys", "few-wrong-keys");
    let reset = ops.call(&format!("DELETE {path}")).bearer(&ops.root).send().await;
    assert_eq!(reset.status, 204, "{reset:?}");
    assert_eq!((ask().await, ask().await), (401, 429));
    let got = ops.get("/keys", &ops.admin).await;
    assert_eq!(got.status, 200, "only refused keys are counted");
}

/// Of another account's key, of a revoked one, of one that was never made and of nonsense, the same is
/// said; and another account's uses are not spent by asking.
#[tokio::test]
async fn others_keys_are_not_found() {
    let ops = Ops::new().await;
    let (id, key) = made(&ops, &json!({ "usesLeft": 1 })).await;
    let (revoked_id, revoked) = made(&ops, &json!({})).await;
    ops.send(&format!("POST /keys/{revoked_id}/revoke"), &ops.admin, &json!({})).await;
    let unknown = format!("plk_live_{}", "0".repeat(49));
    for text in [key.as_str(), &revoked, &unknown, "nonsense"] {
        let got = ops.send("POST /keys/verify", &ops.stranger, &json!({ "key": text })).await;
        assert_eq!(
            (got.status, lasting(&got)),
            (200, json!({ "valid": false, "code": "NOT_FOUND" }))
        );
    }
    let got = ops.get(&format!("/keys/{id}"), &ops.admin).await.json();
    assert_eq!(got["usesLeft"], 1);
    assert_eq!(code(&ops, json!({ "key": key })).await, "VALID");
    let got = ops
        .send(&format!("POST /keys/verify?accountId={MINE}"), &ops.root, &json!({ "key": key }))
        .await;
    assert_eq!(got.json()["code"], "USAGE_EXCEEDED");
    let got = ops.send("POST /keys/verify", &ops.viewer, &json!({ "key": key })).await;
    assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
    // An answer is never repeated: it could outlive a revocation.
    let call = ops.call("POST /keys/verify").bearer(&ops.admin).header("idempotency-key", "again");
    let got = call.json(&json!({ "key": revoked })).send().await;
    assert_eq!(got.header("idempotent-replayed"), "");
    let seen = ops.get("/requests", &ops.admin).await.json();
    assert_eq!(seen["count"], 0);
}

/// Whoever holds a secret can report it, without any credential: the key fails on the next request, its
/// owner learns where it was found, and the answer tells nothing.
#[tokio::test]
async fn a_reported_key_is_gone() {
    let ops = Ops::new().await;
    let (id, key) = made(&ops, &json!({ "scopes": ["keys:read"] })).await;
    let report = async |body: &Value| ops.call("POST /keys/report").json(body).send().await;
    assert_eq!(ops.get("/keys", &key).await.status, 200);
    let body = json!({ "key": key, "foundAt": "https://example.com/paste/7" });
    let unknown = json!({ "key": format!("plk_live_{}", "0".repeat(49)) });
    let answers = [
        report(&body).await,
        report(&body).await,
        report(&unknown).await,
        report(&json!({ "key": "nonsense" })).await,
    ];
    for got in &answers {
        assert_eq!((got.status, got.body.len()), (202, 0), "{got:?}");
        let names = |headers: &::http::HeaderMap| headers.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&got.headers), names(&answers[0].headers));
    }
    assert_eq!(ops.get("/keys", &key).await.status, 401);
    let shown = ops.get(&format!("/keys/{id}"), &ops.admin).await.json();
    assert_eq!((&shown["status"], &shown["revokedBy"]), (&json!("revoked"), &json!("anonymous")));
    let log = ops.get("/audit?action=API_KEY_REVOKED", &ops.admin).await.json();
    assert_eq!(log["count"], 1, "reported twice, revoked once");
    assert_eq!(log["items"][0]["details"]["found_at"], "https://example.com/paste/7");
    let told = format!("{:?}", ops.items("platform/webhook_events").await);
    assert!(told.contains("api_key.leaked") && !told.contains(&key[13..]), "{told}");
    for body in [
        json!({}),
        json!({ "key": 7 }),
        json!({ "key": "x".repeat(201) }),
        json!({ "key": "" }),
        json!({ "key": "x", "foundAt": "" }),
        json!({ "key": "x", "who": "me" }),
    ] {
        let got = report(&body).await;
        assert_eq!((got.status, got.code().as_str()), (400, "VALIDATION_ERROR"), "{body}");
        assert!(!String::from_utf8(got.body).unwrap().contains("xxxx"), "nothing is repeated");
    }
}
