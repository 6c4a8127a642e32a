//! `/ops/v1.0/keys`: made, read, changed, rotated, disabled, revoked (R003-apikey-1, R003-apikey-3,
//! R003-audit-7, C3-07).

use std::time::Duration;

use serde_json::{Value, json};

use crate::http::sample::Got;
use crate::ops_world::{MINE, Ops, THEIRS, lasting};

fn new_key() -> Value {
    json!({ "name": "deploy", "environment": "live", "scopes": ["keys:read"] })
}

/// Deeper than a table can keep.
fn deep_object() -> Value {
    (0..40).fold(json!({}), |inner, _| json!({ "x": inner }))
}

fn relations(key: &Value) -> Vec<String> {
    key["_links"].as_object().unwrap().keys().cloned().collect()
}

/// R003-apikey-1: the secret is in the creating answer and nowhere else; the change is recorded and
/// told in the same transaction.
#[tokio::test]
async fn a_key_is_shown_once() {
    let ops = Ops::new().await;
    let body = json!({
        "name": "deploy", "environment": "live", "scopes": ["keys:read", "audit:*"],
        "expiresAt": "2100-01-01T00:00:00Z", "metadata": { "team": "blue" },
        "limit": { "requests": 10, "windowSeconds": 60 }, "usesLeft": 7,
    });
    let got = ops.send("POST /keys", &ops.admin, &body).await;
    assert_eq!((got.status, got.header("etag")), (201, "\"v1\""), "{got:?}");
    let mut made = got.json();
    let secret = made.as_object_mut().unwrap().remove("secret").unwrap();
    let secret = secret.as_str().unwrap().to_owned();
    let id = made["keyId"].as_str().unwrap().to_owned();
    let own = format!("/ops/v1.0/keys/{id}");
    assert_eq!(got.header("location"), own);
    let link = |end: &str| json!({ "href": format!("{own}{end}") });
    let expected = json!({
        "keyId": id, "accountId": MINE, "name": "deploy", "prefix": &secret[..13],
        "environment": "live", "scopes": ["audit:*", "keys:read"], "status": "active",
        "metadata": { "team": "blue" }, "limit": { "requests": 10, "windowSeconds": 60 },
        "usesLeft": 7, "createdAt": ops.now().to_string(), "createdBy": "admin@script.example",
        "expiresAt": "2100-01-01T00:00:00.000Z", "version": 1,
        "_links": { "self": link(""), "update": link(""), "rotate": link("/rotate"),
            "disable": link("/disable"), "revoke": link("/revoke") },
    });
    assert_eq!(made, expected);

    let read = ops.get(&format!("/keys/{id}"), &ops.admin).await;
    assert_eq!((read.status, read.header("etag"), read.json()), (200, "\"v1\"", expected.clone()));
    // A version is for If-Match: what is left of a key, and whether its time is over, change without it.
    let call = ops.call(&format!("GET /keys/{id}")).bearer(&ops.admin);
    assert_eq!(call.header("if-none-match", "\"v1\"").send().await.json(), expected);
    let listed = ops.get("/keys", &ops.admin).await;
    assert_eq!((listed.status, &listed.json()["items"]), (200, &json!([expected])));
    for table in ["api_keys", "audit_logs", "webhook_events", "idempotency_keys"] {
        let items = ops.items(&format!("platform/{table}")).await;
        assert!(!format!("{items:?}").contains(&secret[13..]), "{table}");
    }
    assert_eq!(ops.actions(MINE).await, ["API_KEY_CREATED"]);
    let told = format!("{:?}", ops.items("platform/webhook_events").await);
    assert!(told.contains("api_key.created"), "{told}");
}

/// R003-apikey-1: what is left out stays, what is null goes, and nobody overwrites what they have not
/// seen.
#[tokio::test]
async fn a_change_takes_the_version_that_was_read() {
    let ops = Ops::new().await;
    let body = json!({ "name": "deploy", "environment": "test", "scopes": ["keys:read"],
        "expiresAt": "2100-01-01T00:00:00Z", "limit": { "requests": 1, "windowSeconds": 1 } });
    let made = ops.send("POST /keys", &ops.admin, &body).await.json();
    let line = format!("PATCH /keys/{}", made["keyId"].as_str().unwrap());
    let change = async |tag: &str, body: &Value| {
        let call = ops.call(&line).bearer(&ops.admin).json(body);
        if tag.is_empty() { call.send().await } else { call.header("if-match", tag).send().await }
    };
    let renamed = json!({ "name": "renamed", "expiresAt": null });
    for (tag, status, code) in [
        ("", 428, "PRECONDITION_REQUIRED"),
        ("\"v2\"", 412, "PRECONDITION_FAILED"),
        ("W/\"v1\"", 412, "PRECONDITION_FAILED"),
        ("v1", 400, "VALIDATION_ERROR"),
    ] {
        let got = change(tag, &renamed).await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{tag}");
        if status == 412 {
            assert_eq!(got.json()["error"]["details"]["currentETag"], "\"v1\"");
        }
    }
    let got = change("\"v1\"", &renamed).await;
    assert_eq!((got.status, got.header("etag")), (200, "\"v2\""), "{got:?}");
    let key = got.json();
    assert_eq!((&key["name"], key.get("expiresAt")), (&json!("renamed"), None));
    assert_eq!(key["limit"], json!({ "requests": 1, "windowSeconds": 1 }), "left out");
    assert_eq!(change("\"v1\"", &renamed).await.status, 412, "the version has moved on");
    let got = change("\"v2\"", &json!({ "limit": null, "scopes": ["*"], "usesLeft": 3 })).await;
    let key = got.json();
    assert_eq!(
        (key.get("limit"), &key["scopes"], &key["usesLeft"]),
        (None, &json!(["*"]), &json!(3))
    );
    let got = change("*", &json!({})).await;
    assert_eq!((got.status, got.fields()), (400, vec!["body".to_owned()]));
    let noted = change("*", &json!({ "metadata": { "team": "blue" } })).await.json();
    assert_eq!(noted["metadata"], json!({ "team": "blue" }));
    let forgotten = change("*", &json!({ "metadata": null })).await.json();
    assert_eq!(forgotten["metadata"], json!({}));
    for name in ["name", "scopes"] {
        let got = change("*", &json!({ name: null, "usesLeft": 5 })).await;
        assert_eq!((got.status, got.fields()), (400, vec![name.to_owned()]), "a key has {name}");
    }
}

/// Two changes of the same version at the same time: one is made, the other is refused as if it had
/// come later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_changes_at_once_one_is_refused() {
    let ops = Ops::new().await;
    let (id, _) = ops.make_key(&["keys:read"]).await;
    let line = format!("PATCH /keys/{id}");
    let change = |name: String| {
        let call = ops.call(&line).bearer(&ops.admin).header("if-match", "\"v1\"");
        call.json(&json!({ "name": name })).send()
    };
    let all = futures_util::future::join_all((0..8).map(|at| change(format!("name {at}")))).await;
    let mut statuses: Vec<u16> = all.iter().map(|got| got.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
    assert_eq!(ops.actions(MINE).await, ["API_KEY_CREATED", "API_KEY_UPDATED"]);
}

/// R003-apikey-3, C3-07: through the whole pipeline, a key fails on the very next request after it was
/// disabled or revoked, works again once enabled, and never again once revoked.
#[tokio::test]
async fn a_revoked_key_fails_on_the_next_request() {
    let ops = Ops::new().await;
    let (id, secret) = ops.make_key(&["keys:read"]).await;
    let works = async || ops.call("GET /keys").header("x-api-key", &secret).send().await.status;
    let act = async |verb: &str, body: Option<Value>| -> Got {
        let call = ops.call(&format!("POST /keys/{id}/{verb}")).bearer(&ops.admin);
        match body {
            Some(body) => call.json(&body).send().await,
            None => call.send().await,
        }
    };
    assert_eq!(works().await, 200);
    let got = act("disable", None).await;
    assert_eq!((got.status, got.header("etag")), (200, "\"v2\""));
    assert_eq!(got.json()["status"], "disabled");
    assert_eq!(got.json()["disabledBy"], "admin@script.example");
    assert_eq!(relations(&got.json()), ["enable", "revoke", "self", "update"]);
    assert_eq!(works().await, 401);
    let got = act("enable", None).await;
    assert_eq!((got.status, &got.json()["status"]), (200, &json!("active")));
    assert_eq!(works().await, 200);
    let stale = ops.call(&format!("POST /keys/{id}/revoke")).bearer(&ops.admin);
    let stale = stale.header("if-match", "\"v1\"").json(&json!({})).send().await;
    assert_eq!(stale.status, 412);
    let got = act("revoke", Some(json!({ "reason": "the laptop is gone" }))).await;
    assert_eq!((got.status, &got.json()["status"]), (200, &json!("revoked")));
    assert_eq!(got.json()["revokedBecause"], "the laptop is gone");
    assert_eq!(relations(&got.json()), ["self"]);
    assert_eq!(works().await, 401);
    for (verb, body) in [
        ("enable", None),
        ("disable", None),
        ("revoke", Some(json!({}))),
        ("rotate", Some(json!({}))),
    ] {
        let got = act(verb, body).await;
        assert_eq!((got.status, got.code().as_str()), (409, "CONFLICT"), "{verb}");
    }
    assert_eq!(works().await, 401);
    let made = ["API_KEY_CREATED", "API_KEY_DISABLED", "API_KEY_ENABLED", "API_KEY_REVOKED"];
    let actions = ops.actions(MINE).await;
    let changes: Vec<&String> =
        actions.iter().filter(|action| made.contains(&action.as_str())).collect();
    assert_eq!(changes, made.iter().collect::<Vec<_>>());
}

/// A successor has the same settings and another secret; the old key works for as long as was said.
#[tokio::test]
async fn a_rotated_key_works_for_its_grace() {
    let ops = Ops::new().await;
    let (id, old) = ops.make_key(&["keys:read"]).await;
    let line = format!("POST /keys/{id}/rotate");
    let got = ops.send(&line, &ops.admin, &json!({ "graceSeconds": 600 })).await;
    assert_eq!((got.status, got.header("etag")), (201, "\"v1\""), "{got:?}");
    let made = got.json();
    let (next, new) = (made["keyId"].as_str().unwrap(), made["secret"].as_str().unwrap());
    assert_eq!(got.header("location"), format!("/ops/v1.0/keys/{next}"));
    assert_eq!((&made["rotatedFrom"], &made["scopes"]), (&json!(id), &json!(["keys:read"])));
    let before = ops.get(&format!("/keys/{id}"), &ops.admin).await.json();
    assert_eq!(before["rotatedTo"], next);
    assert_eq!(relations(&before), ["disable", "revoke", "self", "successor", "update"]);
    let works =
        async |key: &str| ops.call("GET /keys").header("x-api-key", key).send().await.status;
    assert_eq!((works(&old).await, works(new).await), (200, 200));
    ops.world.advance(Duration::from_secs(600));
    assert_eq!((works(&old).await, works(new).await), (401, 200));
    let got = ops.send(&line, &ops.admin, &json!({})).await;
    assert_eq!((got.status, got.code().as_str()), (409, "CONFLICT"));
    let got = ops.send(&line, &ops.admin, &json!({ "graceSeconds": 86_401 })).await;
    assert_eq!((got.status, got.fields()), (400, vec!["graceSeconds".to_owned()]));
}

/// What is another account's answers as what does not exist, byte for byte but for the request; whoever
/// administers the platform sees both.
#[tokio::test]
async fn anothers_key_does_not_exist() {
    let ops = Ops::new().await;
    let (id, _) = ops.make_key(&["keys:read"]).await;
    let missing = "key_00000000000000000000000000";
    let requests = [
        ("GET", "", None),
        ("PATCH", "", Some(json!({ "name": "mine now" }))),
        ("POST", "/rotate", Some(json!({}))),
        ("POST", "/disable", None),
        ("POST", "/enable", None),
        ("POST", "/revoke", Some(json!({}))),
    ];
    for (method, end, body) in &requests {
        let ask = async |id: &str, query: &str| {
            let line = format!("{method} /keys/{id}{end}{query}");
            let call = ops.call(&line).bearer(&ops.stranger).header("if-match", "*");
            match body {
                Some(body) => call.json(body).send().await,
                None => call.send().await,
            }
        };
        let mine = format!("?accountId={MINE}");
        for query in ["", &mine] {
            let (theirs, none) = (ask(&id, query).await, ask(missing, query).await);
            assert_eq!((theirs.status, none.status), (404, 404), "{method} {end}");
            assert_eq!(lasting(&theirs), lasting(&none), "{method} {end}");
        }
    }
    for line in
        ["/keys", "/requests", "/audit", "/audit/verify", "/audit/export", "/audit/retention"]
    {
        let got = ops.get(&format!("{line}?accountId={MINE}"), &ops.stranger).await;
        let none = ops.get(&format!("{line}?accountId=acc-none"), &ops.stranger).await;
        assert_eq!((got.status, none.status), (404, 404), "{line}");
        assert_eq!(lasting(&got), lasting(&none), "{line}");
    }
    let got = ops.send(&format!("POST /keys?accountId={MINE}"), &ops.stranger, &new_key()).await;
    assert_eq!(got.status, 404);
    assert_eq!(ops.actions(MINE).await, ["API_KEY_CREATED"], "nothing was done");

    for query in ["", &format!("?accountId={MINE}")] {
        assert_eq!(ops.get(&format!("/keys/{id}{query}"), &ops.root).await.status, 200);
    }
    let elsewhere = format!("/keys/{id}?accountId={THEIRS}");
    assert_eq!(ops.get(&elsewhere, &ops.root).await.status, 404);
    let got = ops.get("/keys", &ops.root).await;
    assert_eq!((got.status, got.fields()), (400, vec!["accountId".to_owned()]));
    let got = ops.send(&format!("POST /keys?accountId={MINE}"), &ops.root, &new_key()).await;
    assert_eq!((got.status, &got.json()["accountId"]), (201, &json!(MINE)));
}

/// Roles and scopes: a viewer sees and is offered nothing, a key does what its scopes say, and nobody
/// gives away what they do not have.
#[tokio::test]
async fn nobody_does_or_gives_more_than_they_may() {
    let ops = Ops::new().await;
    let (id, _) = ops.make_key(&["keys:read", "audit:read"]).await;
    let seen = ops.get(&format!("/keys/{id}"), &ops.viewer).await;
    assert_eq!((seen.status, relations(&seen.json())), (200, vec!["self".to_owned()]));
    for bearer in [&ops.viewer, &ops.member, &ops.auditor] {
        let got = ops.send("POST /keys", bearer, &new_key()).await;
        assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
        assert_eq!(got.json()["error"]["details"]["permission"], "keys:write");
    }
    let got = ops.call("POST /keys").json(&new_key()).send().await;
    assert_eq!((got.status, got.code().as_str()), (401, "UNAUTHORIZED"));

    let (maker_id, maker) = ops.make_key(&["keys:*"]).await;
    let scoped = |scopes: &[&str]| json!({ "name": "n", "environment": "test", "scopes": scopes });
    assert_eq!(ops.send("POST /keys", &maker, &scoped(&["keys:read"])).await.status, 201);
    for scopes in [&["*"][..], &["audit:read"], &["keys:read", "limits:read"]] {
        let got = ops.send("POST /keys", &maker, &scoped(scopes)).await;
        assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"), "{scopes:?}");
    }
    // Neither by changing a key nor by taking the place of a greater one.
    let call = ops.call(&format!("PATCH /keys/{maker_id}")).bearer(&maker).header("if-match", "*");
    assert_eq!(call.json(&json!({ "scopes": ["*"] })).send().await.status, 403);
    let greater = ops.get(&format!("/keys/{id}"), &maker).await.json();
    assert!(!relations(&greater).contains(&"rotate".to_owned()), "{greater}");
    let got = ops.send(&format!("POST /keys/{id}/rotate"), &maker, &json!({})).await;
    assert_eq!(got.status, 403);
}

/// Every class of bad input is refused with the fields it is in.
#[tokio::test]
async fn bad_input_is_named() {
    let ops = Ops::new().await;
    let long = "x".repeat(101);
    let with = |name: &str, value: Value| {
        let mut body = new_key();
        body[name] = value;
        body
    };
    let cases = [
        (json!({}), vec!["environment", "name", "scopes"]),
        (json!([]), vec!["body"]),
        (with("name", json!(7)), vec!["name"]),
        (with("name", json!("")), vec!["name"]),
        (with("name", json!(" ")), vec!["name"]),
        (with("name", json!("two\r\nlines")), vec!["name"]),
        (with("name", json!(long)), vec!["name"]),
        (with("environment", json!("staging")), vec!["environment"]),
        (with("scopes", json!([])), vec!["scopes"]),
        (with("scopes", json!(["no spaces"])), vec!["scopes"]),
        (with("scopes", json!([7])), vec!["scopes[0]"]),
        (with("scopes", Value::Null), vec!["scopes"]),
        (with("expiresAt", json!("tomorrow")), vec!["expiresAt"]),
        (with("expiresAt", json!("2001-01-01T00:00:00Z")), vec!["expiresAt"]),
        (with("metadata", json!("text")), vec!["metadata"]),
        (with("metadata", json!({ "x": "y".repeat(5000) })), vec!["metadata"]),
        (with("metadata", json!({ "x": 1e200 })), vec!["metadata"]),
        (with("metadata", deep_object()), vec!["metadata"]),
        (
            with("limit", json!({ "requests": 0, "windowSeconds": 0 })),
            vec!["limit.requests", "limit.windowSeconds"],
        ),
        (with("limit", json!({ "requests": 1 })), vec!["limit.windowSeconds"]),
        (with("usesLeft", json!(-1)), vec!["usesLeft"]),
        (with("usesLeft", json!(0.5)), vec!["usesLeft"]),
        (with("secret", json!("plk_live_mine")), vec!["secret"]),
    ];
    for (body, fields) in &cases {
        let got = ops.send("POST /keys", &ops.admin, body).await;
        let mut named = got.fields();
        named.sort();
        assert_eq!(
            (got.status, named.iter().map(String::as_str).collect::<Vec<_>>()),
            (400, fields.clone()),
            "{body}"
        );
    }
    let raw = async |body: &str, kind: &'static str| {
        let call = ops.call("POST /keys").bearer(&ops.admin).header("content-type", kind);
        call.text(body).send().await.status
    };
    assert_eq!(raw("{\"name\":", "application/json").await, 400);
    assert_eq!(raw("{\"name\":\"a\",\"name\":\"b\"}", "application/json").await, 400);
    assert_eq!(raw(&new_key().to_string(), "text/plain").await, 415);
    assert_eq!(raw(&"x".repeat(2 << 20), "application/json").await, 413);
    assert_eq!(ops.call("DELETE /keys").bearer(&ops.admin).send().await.status, 405);
    assert!(ops.actions(MINE).await.is_empty(), "nothing was done");
}

/// A query string too is refused with the field that is wrong.
#[tokio::test]
async fn bad_queries_are_named() {
    let ops = Ops::new().await;
    for (path, field) in [
        ("/keys?limit=0", "limit"),
        ("/keys?limit=101", "limit"),
        ("/keys?limit=ten", "limit"),
        ("/keys?limit=1&limit=2", "limit"),
        ("/keys?colour=blue", "colour"),
        ("/keys?nextToken=nonsense", "nextToken"),
        ("/keys?accountId=", "accountId"),
        ("/keys?accountId=a%00b", "accountId"),
        ("/keys?accountId=a%23b", "accountId"),
        ("/keys?accountId=..", "accountId"),
    ] {
        let got = ops.get(path, &ops.admin).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{path}");
    }
}

/// A list goes on where it was, for the account whose list it is.
#[tokio::test]
async fn lists_come_in_pages() {
    let ops = Ops::new().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.insert(0, ops.make_key(&["keys:read"]).await.0);
        ops.world.advance(Duration::from_millis(2));
    }
    let (mut path, mut seen, mut pages) = ("/keys?limit=2".to_owned(), Vec::new(), 0);
    loop {
        let page = ops.get(&path, &ops.admin).await.json();
        let items = page["items"].as_array().unwrap();
        seen.extend(items.iter().map(|key| key["keyId"].as_str().unwrap().to_owned()));
        assert_eq!(page["count"], items.len());
        pages += 1;
        let Some(next) = page["_links"]["next"]["href"].as_str() else { break };
        path = next.strip_prefix("/ops/v1.0").unwrap().to_owned();
    }
    assert_eq!((seen, pages), (made, 3));
    let first = ops.get("/keys?limit=2", &ops.admin).await.json();
    let token = first["nextToken"].as_str().unwrap();
    let other = ops.get(&format!("/keys?limit=2&nextToken={token}"), &ops.stranger).await;
    assert_eq!((other.status, other.fields()), (400, vec!["nextToken".to_owned()]));
}
