//! `/ops/v1.0/audit`: read, verified, exported, kept; whoever reads it is in it (R003-audit-2,
//! R003-audit-5, R003-audit-10 to R003-audit-14).

use std::time::Duration;

use audit::{PublicKey, verify_lines};
use kernel::Role;
use serde_json::{Value, json};
use values::AttributeValue;

use crate::ops_world::{MINE, Ops, THEIRS};

fn actions(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect()
}

/// R003-audit-5: an event in full, and that it was read.
#[tokio::test]
async fn events_are_listed_and_reading_is_recorded() {
    let ops = Ops::new().await;
    let (id, _) = ops.make_key(&["keys:read"]).await;
    let got = ops.get("/audit", &ops.auditor).await;
    assert_eq!(got.status, 200, "{got:?}");
    let mut event = got.json()["items"][0].clone();
    let members = event.as_object_mut().unwrap();
    for name in ["eventId", "requestId", "traceId", "hash", "previousHash"] {
        let text = members.remove(name).unwrap();
        assert!(!text.as_str().unwrap().is_empty(), "{name}");
    }
    let actor = members.remove("actor").unwrap();
    assert_eq!((&actor["type"], &actor["name"]), (&json!("user"), &json!("admin@script.example")));
    let after = members.remove("after").unwrap();
    assert_eq!((&after["api_key_id"], &after["name"]), (&json!(id), &json!("a key")));
    let now = ops.now().to_string();
    let expected = json!({
        "accountId": MINE, "sequence": 1, "timestamp": now, "occurredAt": now, "type": "APIKEY",
        "action": "API_KEY_CREATED", "outcome": "success", "ipAddress": "192.0.2.1",
        "resource": { "type": "api_key", "id": id },
    });
    assert_eq!(event, expected);
    let read = ops.get("/audit?limit=1", &ops.auditor).await.json();
    assert_eq!(actions(&read), ["AUDIT_LOG_READ"]);
    assert_eq!(read["items"][0]["actor"]["name"], "auditor@script.example");
}

/// R003-audit-10, R003-audit-11: by kind, action, actor, resource, outcome and time, in pages.
#[tokio::test]
async fn events_are_found() {
    let ops = Ops::new().await;
    let (id, _) = ops.make_key(&["keys:read"]).await;
    ops.world.advance(Duration::from_secs(10));
    let later = ops.now();
    let (_, secret) = ops.make_key(&["keys:read"]).await;
    ops.get("/keys", &secret).await;
    ops.world.platform.later().flush().await.unwrap();
    let find = async |query: &str| {
        let got = ops.get(&format!("/audit?{query}"), &ops.owner).await;
        assert_eq!(got.status, 200, "{got:?}");
        got.json()
    };
    let made = "API_KEY_CREATED";
    assert_eq!(actions(&find("type=APIKEY").await), [made, made]);
    assert_eq!(actions(&find("type=AUTH&outcome=success").await), ["API_KEY_ACCEPTED"]);
    assert!(actions(&find("type=AUTH&outcome=failure").await).is_empty());
    assert_eq!(actions(&find(&format!("resource={id}")).await), [made]);
    assert_eq!(actions(&find(&format!("type=APIKEY&from={later}")).await), [made]);
    let before = find(&format!("type=APIKEY&to={later}&from=2001-01-01T00:00:00Z")).await;
    assert_eq!(actions(&before), [made, made], "bounds are included");
    assert_eq!(actions(&find(&format!("action={made}&resourceType=api_key")).await), [made, made]);
    let actor = find(&format!("action={made}&limit=1")).await["items"][0]["actor"]["id"].clone();
    let actor = actor.as_str().unwrap().to_owned();
    assert_eq!(actions(&find(&format!("type=APIKEY&actor={actor}")).await), [made, made]);
    assert!(actions(&find("actor=nobody").await).is_empty());
    let first = find("type=APIKEY&limit=1").await;
    let next = first["_links"]["next"]["href"].as_str().unwrap();
    let second = ops.get(next.strip_prefix("/ops/v1.0").unwrap(), &ops.owner).await.json();
    assert_eq!(second["items"][0]["resource"]["id"], id);
    for (query, field) in [
        ("type=apikey", "type"),
        ("outcome=maybe", "outcome"),
        ("from=yesterday", "from"),
        ("to=7", "to"),
        ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("type=APIKEY&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("limit=0", "limit"),
        ("nextToken=x", "nextToken"),
        ("accountid=x", "accountid"),
    ] {
        let got = ops.get(&format!("/audit?{query}"), &ops.owner).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{query}");
    }
}

/// R003-audit-14: across accounts, for those who may read everywhere, by kind.
#[tokio::test]
async fn all_accounts_are_read_by_kind() {
    let ops = Ops::new().await;
    ops.make_key(&["keys:read"]).await;
    let body = json!({ "name": "k", "environment": "live", "scopes": ["keys:read"] });
    ops.send("POST /keys", &ops.stranger, &body).await;
    let everywhere = ops.world.token(Role::Auditor, None).await;
    for bearer in [&ops.root, &everywhere] {
        let got = ops.get("/audit?accountId=*&type=APIKEY", bearer).await.json();
        assert_eq!(got["count"], 2, "{got}");
        let got = ops.get("/audit?accountId=*", bearer).await;
        assert_eq!((got.status, got.fields()), (400, vec!["type".to_owned()]));
        let got = ops.get("/audit?type=APIKEY", bearer).await;
        assert_eq!((got.status, got.fields()), (400, vec!["accountId".to_owned()]));
        let got = ops.get(&format!("/audit?accountId={THEIRS}"), bearer).await;
        assert_eq!(got.status, 200);
    }
    assert_eq!(ops.get("/audit?accountId=*&type=APIKEY", &ops.auditor).await.status, 404);
    for bearer in [&ops.viewer, &ops.member] {
        assert_eq!(ops.get("/audit", bearer).await.status, 403);
    }
    let own = ops.get("/audit?accountId=platform", &ops.root).await.json();
    assert!(actions(&own).contains(&"AUDIT_LOG_READ"), "{own}");
}

/// R003-audit-2: what is proven, and what is named once somebody has changed an event behind the log's
/// back.
#[tokio::test]
async fn tampering_is_named() {
    let ops = Ops::new().await;
    for _ in 0..3 {
        ops.make_key(&["keys:read"]).await;
    }
    let got = ops.get("/audit/verify", &ops.auditor).await;
    let proven = json!({ "accountId": MINE, "valid": true, "entries": 3, "checkpoints": 0,
        "sealedThrough": 0 });
    assert_eq!((got.status, got.json()), (200, proven));
    let second = |item: &&values::Item| {
        item.get("account_id") == Some(&AttributeValue::from(MINE))
            && item.get("sequence") == Some(&AttributeValue::from(2_i64))
    };
    let items = ops.items("platform/audit_logs").await;
    let genuine = items.iter().find(second).unwrap().clone();
    let mut forged = genuine.clone();
    forged.insert("actor_id", AttributeValue::from("somebody-else"));
    ops.forge(forged).await;
    let got = ops.get("/audit/verify", &ops.auditor).await.json();
    assert_eq!((&got["valid"], &got["entries"]), (&json!(false), &json!(0)));
    let bad = &got["firstBad"];
    assert_eq!((&bad["place"], &bad["sequence"]), (&json!("event_view"), &json!(2)), "{bad}");
    let AttributeValue::S(id) = &genuine["event_id"] else { panic!("{genuine:?}") };
    assert_eq!(bad["eventId"], *id);
    assert!(bad["message"].as_str().unwrap().contains("event 2"), "{bad}");
    // The platform's own log has it.
    let own = ops.get("/audit?accountId=platform&action=AUDIT_LOG_BROKEN", &ops.root).await.json();
    assert_eq!(own["items"][0]["resource"]["id"], MINE);
    ops.forge(genuine).await;
    assert_eq!(ops.get("/audit/verify", &ops.auditor).await.json()["valid"], true);
    assert_eq!(ops.get("/audit/verify", &ops.viewer).await.status, 403);
    assert_eq!(ops.get("/audit/verify?deep=1", &ops.auditor).await.fields(), ["deep"]);
}

/// R003-audit-12: an export is the whole log, verified anywhere with the public key alone, and recorded.
#[tokio::test]
async fn an_export_is_verified_elsewhere() {
    let ops = Ops::new().await;
    // More than one piece.
    for at in 0..5 {
        let entries = vec![audit::Entry::new("AUTH", "LOGIN", MINE); 45];
        let origin = audit::Origin::system("test");
        ops.world.platform.audit().record(&entries, &origin).await.unwrap();
        ops.world.advance(Duration::from_millis(at));
    }
    let got = ops.get("/audit/export?format=jsonl", &ops.auditor).await;
    assert_eq!((got.status, got.header("content-type")), (200, "application/x-ndjson"));
    assert_eq!(got.header("plinth-export-events"), "226");
    assert!(got.header("content-disposition").ends_with(".jsonl\""), "{got:?}");
    let keys = ops.call("GET /audit/public-keys").send().await.json();
    let keys: Vec<PublicKey> = keys["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| PublicKey::parse(key["publicKey"].as_str().unwrap()).unwrap())
        .collect();
    let text = String::from_utf8(got.body).unwrap();
    let report = verify_lines(text.lines(), &keys, ops.now());
    assert_eq!((report.first_bad, report.entries), (None, 226));
    let cut: Vec<&str> = text.lines().take(100).collect();
    assert!(!verify_lines(cut, &keys, ops.now()).is_good(), "a part proves nothing");

    let got = ops.get("/audit/export?format=csv", &ops.owner).await;
    assert_eq!((got.status, got.header("content-type")), (200, "text/csv; charset=utf-8"));
    let text = String::from_utf8(got.body).unwrap();
    assert_eq!(text.lines().count(), 1 + 227, "a heading, and the first export too");
    let found = ops.get("/audit?action=AUDIT_LOG_EXPORTED", &ops.owner).await.json();
    assert_eq!(found["count"], 2);
    assert_eq!(found["items"][0]["details"], json!({ "format": "csv" }));
    let got = ops.get("/audit/export?format=pdf", &ops.owner).await;
    assert_eq!((got.status, got.fields()), (400, vec!["format".to_owned()]));
    assert_eq!(ops.get("/audit/export", &ops.viewer).await.status, 403);
    let documented = ops.world.call("GET /docs/openapi.json").send().await.json();
    let answer = &documented["paths"]["/ops/v1.0/audit/export"]["get"]["responses"]["200"];
    let media: Vec<_> = answer["content"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(media, ["application/x-ndjson", "text/csv"]);
}

/// An export of a period has what happened then, in both forms, and is not taken for the whole.
#[tokio::test]
async fn an_export_of_a_period_has_what_happened_then() {
    const MINUTES: [&str; 4] = ["MINUTE_0", "MINUTE_1", "MINUTE_2", "MINUTE_3"];
    let ops = Ops::new().await;
    let mut moments = Vec::new();
    for minute in MINUTES {
        ops.world.advance(Duration::from_secs(60));
        let entry = audit::Entry::new("AUTH", minute, MINE);
        let origin = audit::Origin::system("test");
        ops.world.platform.audit().record(&[entry], &origin).await.unwrap();
        moments.push(ops.now());
    }
    let (from, to) = (moments[1], moments[2]);
    for format in ["jsonl", "csv"] {
        let path = format!("/audit/export?format={format}&from={from}&to={to}");
        let got = ops.get(&path, &ops.owner).await;
        assert_eq!((got.status, got.header("plinth-export-events")), (200, ""));
        let text = String::from_utf8(got.body).unwrap();
        let has: Vec<_> = MINUTES.into_iter().filter(|minute| text.contains(minute)).collect();
        assert_eq!(has, MINUTES[1..3], "{text}");
        if format == "jsonl" {
            let bad = verify_lines(text.lines(), &[], ops.now()).first_bad.unwrap();
            assert!(bad.to_string().contains("of a period"), "{bad}");
        }
    }
    let found = ops.get("/audit?action=AUDIT_LOG_EXPORTED", &ops.owner).await.json();
    let (from_text, to_text) = (from.to_string(), to.to_string());
    let expected = json!({ "format": "csv", "from": from_text, "to": to_text });
    assert_eq!(found["items"][0]["details"], expected);
    let got = ops.get(&format!("/audit/export?from={to}&to={from}"), &ops.owner).await;
    assert_eq!((got.status, got.fields()), (400, vec!["to".to_owned()]));
}

/// R003-audit-12, R003-audit-13: retention by the owner alone, hold by the platform alone, sealed and
/// recorded.
#[tokio::test]
async fn a_log_is_kept_and_held() {
    let ops = Ops::new().await;
    ops.make_key(&["keys:read"]).await;
    let got = ops.get("/audit/retention", &ops.auditor).await;
    let own = json!({ "href": "/ops/v1.0/audit/retention" });
    let usual = json!({ "accountId": MINE, "retentionDays": 90, "_links": { "self": own } });
    assert_eq!((got.status, got.json()), (200, usual));
    let days = json!({ "retentionDays": 365 });
    for bearer in [&ops.admin, &ops.auditor] {
        assert_eq!(ops.send("PUT /audit/retention", bearer, &days).await.status, 403);
    }
    for bearer in [&ops.owner, &ops.admin, &ops.auditor] {
        assert_eq!(ops.send("PUT /audit/hold", bearer, &json!({ "held": true })).await.status, 403);
    }
    let got = ops.send("PUT /audit/retention", &ops.owner, &days).await;
    assert_eq!((got.status, &got.json()["retentionDays"]), (200, &json!(365)), "{got:?}");
    let hold = json!({ "held": true, "reason": "case 7" });
    let line = format!("PUT /audit/hold?accountId={MINE}");
    let held = ops.send(&line, &ops.root, &hold).await;
    let since = ops.now().to_string();
    assert_eq!((held.status, &held.json()["heldSince"]), (200, &json!(since)), "{held:?}");
    ops.world.advance(Duration::from_secs(60));
    let again = ops.send(&line, &ops.root, &hold).await;
    assert_eq!(again.json()["heldSince"], since, "it began when it began");
    let expiring = async || {
        let items = ops.items("platform/audit_logs").await;
        items
            .iter()
            .filter(|item| item.contains_key("ttl") && item.contains_key("event_id"))
            .count()
    };
    assert_eq!(expiring().await, 0);
    let lifted = ops.send("PUT /audit/hold", &ops.owner, &json!({ "held": false })).await;
    assert_eq!(lifted.status, 403, "not by whom it is about");
    let free = ops.send(&line, &ops.root, &json!({ "held": false })).await;
    assert_eq!((free.status, free.json().get("heldSince")), (200, None));
    assert!(expiring().await > 0, "what is sealed may expire");
    let sealed = ops.get("/audit/checkpoints?limit=1", &ops.auditor).await.json();
    assert_eq!(
        (&sealed["items"][0]["number"], &sealed["items"][0]["retentionDays"]),
        (&json!(1), &json!(365))
    );
    assert!(sealed["nextToken"].is_string(), "each rule was sealed");
    let rules: Vec<String> = ops.actions(MINE).await;
    assert_eq!(
        rules,
        [
            "API_KEY_CREATED",
            "AUDIT_RETENTION_CHANGED",
            "AUDIT_HOLD_SET",
            "AUDIT_HOLD_SET",
            "AUDIT_HOLD_LIFTED"
        ]
    );
    let found = ops.get("/audit?action=AUDIT_HOLD_SET", &ops.auditor).await.json();
    assert_eq!(found["items"][0]["details"]["reason"], "case 7");
    assert_eq!(ops.get("/audit/verify", &ops.auditor).await.json()["valid"], true);
    let told = format!("{:?}", ops.items("platform/webhook_events").await);
    assert!(told.contains("audit.retention_changed"), "{told}");
}

/// R003-audit-13: a rule that is none is refused, and the field named.
#[tokio::test]
async fn rules_that_are_none_are_refused() {
    let ops = Ops::new().await;
    let line = format!("PUT /audit/hold?accountId={MINE}");
    for (line, body, field) in [
        ("PUT /audit/retention", json!({ "retentionDays": 0 }), "retentionDays"),
        ("PUT /audit/retention", json!({ "retentionDays": 36_501 }), "retentionDays"),
        ("PUT /audit/retention", json!({ "retentionDays": "long" }), "retentionDays"),
        ("PUT /audit/retention", json!({}), "retentionDays"),
        (&*line, json!({ "held": "yes" }), "held"),
        (&*line, json!({ "held": true, "until": "2030" }), "until"),
    ] {
        let bearer = if field == "retentionDays" { &ops.owner } else { &ops.root };
        let got = ops.send(line, bearer, &body).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{body}");
    }
}

/// While the end of a log is forged its account's changes fail, and it can still be read and verified:
/// who looks is then recorded in the platform's log.
#[tokio::test]
async fn a_forged_end_can_be_looked_at() {
    let ops = Ops::new().await;
    ops.make_key(&["keys:read"]).await;
    forge_head(&ops).await;
    let body = json!({ "name": "k", "environment": "live", "scopes": ["keys:read"] });
    let got = ops.send("POST /keys", &ops.admin, &body).await;
    assert_eq!((got.status, got.code().as_str()), (500, "INTERNAL_ERROR"));
    let got = ops.get("/audit/verify", &ops.auditor).await.json();
    assert_eq!(got["firstBad"]["place"], "head", "{got}");
    let got = ops.get("/audit", &ops.auditor).await;
    assert_eq!((got.status, actions(&got.json())), (200, vec!["API_KEY_CREATED"]));
    let own = ops.get("/audit?accountId=platform", &ops.root).await.json();
    assert_eq!(actions(&own), ["AUDIT_LOG_READ", "AUDIT_LOG_BROKEN"]);
    assert_eq!(own["items"][0]["details"]["account"], MINE);
}

/// R003-audit-2: after somebody has looked, the log goes on, linked to what was there; and that its end
/// was forged is reported ever after.
#[tokio::test]
async fn a_log_with_a_forged_end_goes_on() {
    let ops = Ops::new().await;
    ops.make_key(&["keys:read"]).await;
    let line = format!("POST /audit/reseal?accountId={MINE}");
    let reason = json!({ "reason": "a restore went wrong" });
    let got = ops.send(&line, &ops.root, &reason).await;
    assert_eq!((got.status, got.code().as_str()), (409, "CONFLICT"), "a sound log is left alone");
    let nobodys = ops.send("POST /audit/reseal?accountId=acc-none", &ops.root, &reason).await;
    assert_eq!(nobodys.status, 409);
    for bearer in [&ops.owner, &ops.auditor] {
        let got = ops.send("POST /audit/reseal", bearer, &reason).await;
        assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
    }
    let got = ops.send(&line, &ops.root, &json!({ "reason": "" })).await;
    assert_eq!((got.status, got.fields()), (400, vec!["reason".to_owned()]));

    forge_head(&ops).await;
    let body = json!({ "name": "k", "environment": "live", "scopes": ["keys:read"] });
    assert_eq!(ops.send("POST /keys", &ops.admin, &body).await.status, 500);
    let got = ops.send(&line, &ops.root, &reason).await;
    let found = "the end of the chain: its mark is not ours: it was changed";
    let expected = json!({ "accountId": MINE, "found": found, "sequence": 2 });
    assert_eq!((got.status, got.json()), (200, expected));
    assert_eq!(ops.send("POST /keys", &ops.admin, &body).await.status, 201, "it goes on");
    for entries in [3, 4] {
        let got = ops.get("/audit/verify", &ops.auditor).await.json();
        assert_eq!((&got["valid"], got.get("firstBad")), (&json!(false), None), "{got}");
        assert_eq!(got["entries"], entries, "what is new is proven, and so is what was");
        assert_eq!((&got["breaks"][0]["sequence"], &got["breaks"][1]), (&json!(2), &Value::Null));
        assert!(got["breaks"][0]["message"].as_str().unwrap().contains(found), "{got}");
    }
    let own = ops.get("/audit?accountId=platform", &ops.root).await.json();
    assert_eq!(actions(&own), ["AUDIT_CHAIN_RESEALED"]);
    assert_eq!(own["items"][0]["resource"]["id"], MINE);
    assert_eq!(own["items"][0]["details"]["found"], found);
    let got = ops.get("/audit/verify?accountId=platform", &ops.root).await.json();
    assert_eq!(got["valid"], true, "the platform's own log is whole: {got}");
    let got = ops.send(&line, &ops.root, &reason).await;
    assert_eq!(got.status, 409, "once is enough");
}

/// Whoever cut the newest events off and put an older end back stays found out: the missing events are
/// named after the log went on, too.
#[tokio::test]
async fn what_was_cut_off_stays_missing() {
    let ops = Ops::new().await;
    for _ in 0..3 {
        ops.make_key(&["keys:read"]).await;
    }
    ops.world.platform.audit().seal(MINE).await.unwrap();
    let items = ops.items("platform/audit_logs").await;
    for item in items {
        let of_mine = item.get("PK") == Some(&AttributeValue::from(format!("ACCOUNT#{MINE}")));
        let is_third = item.get("sequence") == Some(&AttributeValue::from(3_i64));
        if of_mine && is_third {
            ops.erase(&item).await;
        }
    }
    let got = ops.get("/audit/verify", &ops.auditor).await.json();
    assert_eq!(got["firstBad"]["place"], "head", "the end is gone as well: {got}");
    let line = format!("POST /audit/reseal?accountId={MINE}");
    let got = ops.send(&line, &ops.root, &json!({ "reason": "we looked" })).await;
    assert_eq!((got.status, &got.json()["sequence"]), (200, &json!(4)), "{got:?}");
    ops.make_key(&["keys:read"]).await;
    let got = ops.get("/audit/verify", &ops.auditor).await.json();
    assert_eq!(
        (&got["firstBad"]["place"], &got["firstBad"]["sequence"]),
        (&json!("entry"), &json!(3))
    );
}

/// Changes the end of the account's chain behind the log's back.
async fn forge_head(ops: &Ops) {
    let is_head = |item: &&values::Item| {
        item.get("PK") == Some(&AttributeValue::from(format!("ACCOUNT#{MINE}")))
            && item.get("SK") == Some(&AttributeValue::from("HEAD"))
    };
    let items = ops.items("platform/audit_logs").await;
    let mut head = items.iter().find(is_head).unwrap().clone();
    head.insert("retention_days", AttributeValue::from(1_i64));
    head.insert("mac", AttributeValue::from("0".repeat(64)));
    ops.forge(head).await;
}
