//! `Idempotency-Key` on the routes of `/ops`, and `GET /ops/v1.0/requests` (R003-idem-1 to R003-idem-4,
//! CX-15).

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::http::sample::Got;
use crate::ops_world::{MINE, Ops};

const BODY: &str = r#"{"name":"once","environment":"live","scopes":["keys:read"]}"#;

async fn make(ops: &Ops, key: &str, body: &str) -> Got {
    let call = ops.call("POST /keys").bearer(&ops.admin).header("idempotency-key", key);
    call.header("content-type", "application/json").text(body).send().await
}

/// R003-idem-1: 64 requests with one key at once make one key; each answer is the first one, or says that
/// it is being worked on; and whoever asks later has the first answer byte for byte, its secret included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_make_one_key() {
    let ops = Arc::new(Ops::new().await);
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let ops = Arc::clone(&ops);
            tokio::spawn(async move { make(&ops, "the-same", BODY).await })
        })
        .collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    let made: Vec<&Got> = answers.iter().filter(|got| got.status == 201).collect();
    let first = made.iter().find(|got| got.header("idempotent-replayed").is_empty()).unwrap();
    for got in &answers {
        match got.status {
            201 => assert_eq!(got.body, first.body),
            409 => {
                assert_eq!(got.code(), "REQUEST_IN_PROGRESS");
                assert!(!got.header("retry-after").is_empty());
            }
            other => panic!("{other}: {got:?}"),
        }
    }
    for _ in 0..3 {
        let again = make(&ops, "the-same", BODY).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        assert_eq!(again.body, first.body);
        for name in ["location", "etag", "content-type"] {
            assert_eq!(again.header(name), first.header(name), "{name}");
        }
    }
    assert_eq!(ops.get("/keys", &ops.admin).await.json()["count"], 1);
    assert_eq!(ops.actions(MINE).await, ["API_KEY_CREATED"]);
    let other = make(&ops, "the-same", &BODY.replace("once", "twice")).await;
    assert_eq!((other.status, other.code().as_str()), (422, "IDEMPOTENCY_KEY_REUSED"));
}

/// R003-idem-2, R003-idem-4: what became of requests, without their answers, for a day.
#[tokio::test]
async fn requests_are_listed_without_their_answers() {
    let ops = Ops::new().await;
    let started = ops.now();
    let made = make(&ops, "first", BODY).await;
    ops.world.advance(Duration::from_millis(5));
    assert_eq!(make(&ops, "second", "{}").await.status, 400);
    let got = ops.get("/requests", &ops.member).await;
    assert_eq!(got.status, 200, "{got:?}");
    let first = json!({
        "idempotencyKey": "first", "method": "POST", "route": "/ops/v1.0/keys", "status": "completed",
        "responseStatus": 201, "createdAt": started.to_string(), "completedAt": started.to_string(),
    });
    let list = got.json();
    assert_eq!((&list["count"], &list["items"][1]), (&json!(2), &first));
    assert_eq!(list["items"][0]["responseStatus"], 400);
    let secret = made.json()["secret"].as_str().unwrap()[13..].to_owned();
    assert!(!String::from_utf8(got.body).unwrap().contains(&secret));
    let page = ops.get("/requests?limit=1", &ops.member).await.json();
    let token = page["nextToken"].as_str().unwrap();
    let next = ops.get(&format!("/requests?limit=1&nextToken={token}"), &ops.member).await.json();
    assert_eq!(next["items"][0], first);
    let other = ops.get(&format!("/requests?limit=1&nextToken={token}"), &ops.admin).await;
    assert_eq!(other.status, 400, "a token is its caller's");
    assert_eq!(ops.get("/requests", &ops.viewer).await.status, 403);
    assert_eq!(ops.get("/requests", &ops.stranger).await.json()["count"], 0);
    assert_eq!(ops.get("/requests?limit=x", &ops.member).await.fields(), ["limit"]);
    let root = ops.get(&format!("/requests?accountId={MINE}"), &ops.root).await.json();
    assert_eq!(root["count"], 2);
}
