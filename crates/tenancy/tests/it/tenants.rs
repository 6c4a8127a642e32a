//! Tenants are made, shown, listed and changed.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tables::Environment;
use tenancy::Settings;

use crate::world::{World, new_tenant};

/// R002-1.1-1, R002-1.3-1, R002-2-1, R002-4.1-1, R002-6.4-1, R002-6.4b-1, R002-6.4b-2, R002-7.3-1,
/// R002-7.5-2, R002-5.8-8, R002-17C-1, C2-51.
#[tokio::test]
async fn a_new_tenant_is_pending_and_shown_whole() {
    let world = World::new().await;
    let got = world.root("POST /v1.0/tenants").json(&new_tenant("Acme Corporation")).send().await;
    let json = got.json();
    assert_eq!(got.status, 201);
    for (name, value) in [
        ("organizationName", json!("Acme Corporation")),
        ("contactEmail", json!("admin@acme.example")),
        ("environment", json!("dev")),
        ("status", json!("PENDING")),
        ("division", json!("Technology")),
        ("createdBy", json!("root@example.com")),
        ("version", json!(1)),
        ("parkReason", Value::Null),
        ("metadata", json!({ "industry": "Software", "size": 7 })),
    ] {
        assert_eq!(json[name], value, "{name}");
    }
    let id = got.text("tenantId");
    assert!(id.starts_with("tenant-") && id.len() == 43, "{id}");
    assert_eq!(got.header("location"), format!("/v1.0/tenants/{id}"));
    assert_eq!(got.header("etag"), "\"v1\"");
    assert_eq!(json["_links"]["self"]["href"], format!("/v1.0/tenants/{id}"));
    // A PENDING tenant cannot be parked, so nothing says that it can.
    assert!(got.links().contains("users") && !got.links().contains("park"), "{got:?}");
    assert_eq!(json["createdAt"], json["updatedAt"]);
}

/// R002-1.3-2, R002-2-2, R002-5.7-1, R002-6.4-3.
#[tokio::test]
async fn a_tenant_is_got_as_it_was_made() {
    let world = World::new().await;
    let made = world.root("POST /v1.0/tenants").json(&new_tenant("Acme")).send().await;
    let got = world.root(&format!("GET {}", made.header("location"))).send().await;
    assert_eq!((got.status, got.json()), (200, made.json()));
    assert_eq!(got.header("etag"), "\"v1\"");
}

/// R002-6.5b-5, R002-7.3-1, R002-17C-2, C2-15, C2-16, C2-26: a name is one, however it is written, and
/// stays reserved.
#[tokio::test]
async fn a_name_is_taken_once_and_for_good() {
    let world = World::new().await;
    let id = world.pending("Acme Corporation").await;
    for name in ["Acme Corporation", "ACME corporation", "  acme   Corporation "] {
        let got = world.root("POST /v1.0/tenants").json(&new_tenant(name)).send().await;
        assert_eq!(got.error(), (409, "CONFLICT".to_owned()), "{got:?}");
        assert_eq!(got.detail("reason"), "ORGANIZATION_EXISTS");
        let message = format!("Organization '{}' already exists", name.trim());
        assert_eq!(got.json()["error"]["message"], message);
    }
    let got = world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    assert_eq!(got.status, 200, "{got:?}");
    let got = world.root("POST /v1.0/tenants").json(&new_tenant("Acme Corporation")).send().await;
    assert_eq!(got.status, 409);
}

/// C2-15. Names were compared by their small letters alone: `Straße` and `STRASSE`, or one word in two
/// forms of Unicode, were two organisations that looked the same.
#[tokio::test]
async fn a_name_is_one_in_every_form_of_unicode() {
    let world = World::new().await;
    for (name, same) in [
        ("Caf\u{e9} X", "Cafe\u{301} X"),
        ("Straße", "STRASSE"),
        ("\u{fb01}rm", "firm"),
        ("Race Ltd", "ＲＡＣＥ ltd"),
    ] {
        let id = world.pending(name).await;
        let got = world.root("POST /v1.0/tenants").json(&new_tenant(same)).send().await;
        assert_eq!(
            (got.status, got.detail("reason")),
            (409, json!("ORGANIZATION_EXISTS")),
            "{same}"
        );
        // It may call itself so, and is found by either.
        let body = json!({ "organizationName": same, "contactEmail": "a@acme.example" });
        let got = world.root(&format!("PUT /v1.0/tenants/{id}")).json(&body).send().await;
        assert_eq!((got.status, got.text("organizationName").as_str()), (200, same), "{got:?}");
    }
    let got = world.root("GET /v1.0/tenants?organizationName=stra%C3%9Fe").send().await;
    assert_eq!(got.all("organizationName"), ["STRASSE"]);
    // A name that becomes longer than a key may be is a name as any other.
    let long = "\u{fdfa}".repeat(100);
    for status in [201, 409] {
        let got = world.root("POST /v1.0/tenants").json(&new_tenant(&long)).send().await;
        assert_eq!(got.status, status, "{got:?}");
    }
}

/// Texts that are no names: each has something that breaks a line, or that nobody sees.
const UNSEEN: [&str; 12] = [
    "Evil\r\nBcc: spy@evil.example\r\n\r\nClick http://evil",
    "Nul\u{0}Nul",
    "Tab\tTab",
    "Line\u{2028}Line",
    "Next\u{85}Next",
    "x\u{200b}x",
    "right\u{202e}left",
    "\u{feff}Acme",
    "Ac\u{ad}me",
    "Ac\u{2060}me",
    "Acme\u{e0041}",
    "\u{fe0f}\u{fe0f}",
];

/// R002-5.8-3, C2-23. A line break in an organisation's name went into the mails of its invitations, and
/// wrote there whatever came after it.
#[tokio::test]
async fn names_are_visible_and_in_one_line() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for name in UNSEEN {
        let change = json!({ "organizationName": name, "contactEmail": "a@acme.example" });
        let mut division = new_tenant("Other");
        division["division"] = json!(name);
        let divisions = format!("POST /v1.0/tenants/{id}/divisions");
        for (line, body, field) in [
            ("POST /v1.0/tenants".to_owned(), new_tenant(name), "organizationName"),
            (format!("PUT /v1.0/tenants/{id}"), change, "organizationName"),
            ("POST /v1.0/tenants".to_owned(), division, "division"),
            (divisions, json!({ "name": name }), "name"),
        ] {
            let got = world.root(&line).json(&body).send().await;
            assert_eq!(got.error(), (400, "VALIDATION_ERROR".to_owned()), "{line} {name:?}");
            let errors = got.detail("errors");
            let one = errors.as_array().unwrap().iter().find(|one| one["field"] == field);
            let why = one.unwrap_or_else(|| panic!("{got:?}"))["message"].as_str().unwrap();
            assert!(why.contains("all of them visible"), "{name:?}: {why}");
        }
    }
    for name in
        ["  Ünïcode & Söhne (Pty) Ltd. ", "株式会社", "I \u{2764}\u{fe0f} it", "شركة", "x y"]
    {
        let got = world.root("POST /v1.0/tenants").json(&new_tenant(name)).send().await;
        assert_eq!((got.status, got.text("organizationName").as_str()), (201, name.trim()));
    }
}

/// What the server refuses, its documentation refuses: the pattern is whole, and the field's.
#[tokio::test]
async fn the_documentation_has_the_rule_for_names() {
    let world = World::new().await;
    let document = world.shell.openapi();
    let schemas = &document["components"]["schemas"];
    for (body, field, most) in [
        ("NewTenant", "organizationName", 100),
        ("NewTenant", "division", 50),
        ("TenantUpdate", "organizationName", 100),
        ("TenantUpdate", "externalId", 200),
        ("NodeBody", "name", 50),
    ] {
        let schema = &schemas[body]["properties"][field];
        let pattern = schema["pattern"].as_str().unwrap_or_else(|| panic!("{body} {schema}"));
        assert!(pattern.starts_with("^[^") && pattern.ends_with('$'), "{pattern}");
        assert!(pattern.contains(r"\u0000-\u001F") && pattern.contains(r"\u200B-\u200F"));
        assert_eq!(schema["maxLength"], most, "{body} {field}");
        assert!(schema["description"].is_string(), "{body} {field}");
    }
    let required = &schemas["NewTenant"]["required"];
    assert_eq!(*required, json!(["organizationName", "contactEmail", "environment"]));
    assert_eq!(schemas["NodeBody"]["required"], json!(["name"]));
}

/// The identifier that a tenant has elsewhere is unique, and finds it; so does its name (R002-5.7-2,
/// R002-3.2-2).
#[tokio::test]
async fn an_external_id_is_unique_and_finds_its_tenant() {
    let world = World::new().await;
    let mut body = new_tenant("Acme");
    body["externalId"] = json!("crm-7");
    let made = world.root("POST /v1.0/tenants").json(&body).send().await;
    body["organizationName"] = json!("Another");
    let got = world.root("POST /v1.0/tenants").json(&body).send().await;
    assert_eq!((got.status, got.detail("reason")), (409, json!("EXTERNAL_ID_EXISTS")));
    for query in ["externalId=crm-7", "organizationName=ACME"] {
        let got = world.root(&format!("GET /v1.0/tenants?{query}")).send().await;
        assert_eq!(got.all("tenantId"), [made.text("tenantId")], "{query}");
    }
    // The name that was refused is still free.
    body["externalId"] = json!("crm-8");
    assert_eq!(world.root("POST /v1.0/tenants").json(&body).send().await.status, 201);
    let got = world.root("GET /v1.0/tenants?externalId=nobody").send().await;
    assert_eq!(got.json()["count"], 0);
}

/// R002-5.8-3, R002-5.8-4, R002-5.8-5, R002-5.8-6, R002-5.8-7, R002-6.5b-1, R002-7.3-1, C2-23: every
/// wrong field is named.
#[tokio::test]
async fn wrong_fields_are_all_named() {
    let world = World::new().await;
    let wrong = json!({
        "organizationName": "A", "contactEmail": "nobody", "environment": "test", "division": "D",
        "group": "x".repeat(51), "team": 7, "metadata": [], "status": "ACTIVE",
    });
    let got = world.root("POST /v1.0/tenants").json(&wrong).send().await;
    assert_eq!(got.error(), (400, "VALIDATION_ERROR".to_owned()));
    assert_eq!(got.json()["error"]["message"], "Request validation failed");
    let errors = got.detail("errors");
    let fields: BTreeSet<&str> =
        errors.as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    for field in [
        "organizationName",
        "contactEmail",
        "environment",
        "division",
        "group",
        "team",
        "metadata",
        "status",
    ] {
        assert!(fields.iter().any(|one| one.contains(field)), "{field} is not in {fields:?}");
    }
    for missing in ["organizationName", "contactEmail", "environment"] {
        let mut body = new_tenant("Acme");
        body.as_object_mut().unwrap().remove(missing);
        assert_eq!(world.root("POST /v1.0/tenants").json(&body).send().await.status, 400);
    }
    let long = json!("x".repeat(101));
    let mut body = new_tenant("Acme");
    body["organizationName"] = long;
    assert_eq!(world.root("POST /v1.0/tenants").json(&body).send().await.status, 400);
    body["organizationName"] = json!("  ");
    assert_eq!(world.root("POST /v1.0/tenants").json(&body).send().await.status, 400);
}

/// R002-6.5b-1: free fields that no table can hold are the caller's to correct, and no fault of ours.
#[tokio::test]
async fn free_fields_have_limits() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let deep = (0..33).fold(json!(1), |inner, _| json!({ "a": inner }));
    let [large, huge] = [16_384, 500_000].map(|bytes| json!({ "x": "y".repeat(bytes) }));
    let wrong = [json!({ "n": 1e200 }), json!({ "": 1 }), deep, large, huge];
    for (at, free) in wrong.iter().enumerate() {
        let mut made = new_tenant("Other");
        made["metadata"] = free.clone();
        let mut changed = json!({ "organizationName": "Acme", "contactEmail": "a@acme.example" });
        changed["metadata"] = free.clone();
        let resource = format!("PUT /v1.0/tenants/{id}/resources/bucket/data");
        for (line, body, field) in [
            ("POST /v1.0/tenants".to_owned(), made, "metadata"),
            (format!("PUT /v1.0/tenants/{id}"), changed, "metadata"),
            (resource, json!({ "attributes": free }), "attributes"),
        ] {
            let got = world.root(&line).json(&body).send().await;
            assert_eq!(got.error(), (400, "VALIDATION_ERROR".to_owned()), "{line} {at}: {got:?}");
            assert_eq!(got.detail("errors")[0]["field"], field, "{line}");
        }
    }
    let mut fine = new_tenant("Other");
    fine["metadata"] = json!({ "n": 1e125, "x": "y".repeat(16_000), "none": null });
    let got = world.root("POST /v1.0/tenants").json(&fine).send().await;
    assert_eq!((got.status, &got.json()["metadata"]), (201, &fine["metadata"]), "{got:?}");
}

/// C2-55: a deployment keeps the tenants of its own environment, unless it is told to keep all.
#[tokio::test]
async fn the_environment_is_the_deployments_own() {
    let strict = Settings { is_multi_environment: false, ..Settings::new(Environment::Dev) };
    let world = World::with(strict).await;
    let mut body = new_tenant("Acme");
    body["environment"] = json!("prod");
    let got = world.root("POST /v1.0/tenants").json(&body).send().await;
    assert_eq!(got.status, 400, "{got:?}");
    let world = World::new().await;
    assert_eq!(world.root("POST /v1.0/tenants").json(&body).send().await.status, 201);
}

/// R002-1.3-4, R002-2-3, R002-6.4-4, C2-19, C2-59.
#[tokio::test]
async fn a_tenant_is_replaced_by_version_and_with_audit() {
    let world = World::new().await;
    let id = world.pending("Acme").await;
    let path = format!("PUT /v1.0/tenants/{id}");
    let body = json!({ "organizationName": "Acme Two", "contactEmail": "two@acme.example" });
    world.clock.advance(1_000);
    let got = world.root(&path).header("if-match", "\"v1\"").json(&body).send().await;
    assert_eq!((got.status, got.json()["version"].clone()), (200, json!(2)), "{got:?}");
    assert_eq!((got.text("organizationName").as_str(), got.header("etag")), ("Acme Two", "\"v2\""));
    // What was left out is gone.
    assert_eq!((&got.json()["division"], &got.json()["metadata"]), (&Value::Null, &Value::Null));
    let stale = world.root(&path).header("if-match", "\"v1\"").json(&body).send().await;
    assert_eq!(stale.error(), (409, "CONFLICT".to_owned()));
    assert_eq!(stale.detail("reason"), "VERSION_MISMATCH");
    // The old name is free, the new one taken.
    assert_eq!(world.pending("Acme").await.len(), 43);
    let got = world.root("POST /v1.0/tenants").json(&new_tenant("acme two")).send().await;
    assert_eq!(got.status, 409);
    let got = world.root(&format!("GET /v1.0/tenants/{id}/events")).send().await;
    assert_eq!(got.all("eventType"), ["TENANT_UPDATED", "TENANT_CREATED"]);
    let changed = &got.json()["items"][0]["details"]["changed"];
    assert_eq!(*changed, json!(["organizationName", "contactEmail", "division", "metadata"]));
    // It is in the platform's audit log, too.
    let got = world.root(&format!("GET /ops/v1.0/audit?accountId={id}")).send().await;
    assert!(String::from_utf8_lossy(&got.body).contains("TENANT_UPDATED"), "{got:?}");
}

#[tokio::test]
async fn what_cannot_change_is_refused() {
    let world = World::new().await;
    let id = world.pending("Acme").await;
    let path = format!("PUT /v1.0/tenants/{id}");
    for (name, value) in [("environment", "prod"), ("customerId", "c-1")] {
        let mut body = json!({ "organizationName": "Acme", "contactEmail": "a@acme.example" });
        body[name] = json!(value);
        assert_eq!(world.root(&path).json(&body).send().await.status, 400, "{name}");
    }
    world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    let body = json!({ "organizationName": "Acme", "contactEmail": "a@acme.example" });
    let got = world.root(&path).json(&body).send().await;
    assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()));
}

/// R002-1.3-3, R002-2-4, R002-5.7-3, R002-5.7-4, R002-6.4-2, R002-6.4b-3, R002-6.4b-4, C2-14, C2-50.
#[tokio::test]
async fn lists_have_pages_filters_and_links() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for number in 0..7 {
        world.clock.advance(1_000);
        let status = if number % 2 == 0 { "ACTIVE" } else { "PENDING" };
        ids.push(world.tenant_in(&format!("Tenant {number}"), status).await);
    }
    ids.reverse();
    // A number with a plus sign was taken as the number.
    for wrong in ["%2B5", "5.0", "0", "101", "x"] {
        let got = world.root(&format!("GET /v1.0/tenants?limit={wrong}")).send().await;
        assert_eq!(got.status, 400, "{wrong}");
    }
    let mut path = "/v1.0/tenants?limit=3".to_owned();
    let mut seen = Vec::new();
    loop {
        let got = world.root(&format!("GET {path}")).send().await;
        assert_eq!(got.status, 200, "{got:?}");
        let json = got.json();
        assert_eq!(json["count"].as_u64().unwrap() as usize, got.all("tenantId").len());
        assert_eq!(json["_links"]["self"]["href"], path);
        seen.extend(got.all("tenantId"));
        match json["_links"]["next"]["href"].as_str() {
            Some(next) => path = next.to_owned(),
            None => {
                assert_eq!(json["nextToken"], Value::Null);
                break;
            }
        }
    }
    assert_eq!(seen, ids, "newest first, each once");
    let active: Vec<_> = ids.iter().step_by(2).cloned().collect();
    let got = world.root("GET /v1.0/tenants?status=ACTIVE").send().await;
    let found: BTreeSet<_> = got.all("tenantId").into_iter().collect();
    assert_eq!(found, active.iter().cloned().collect());
    let got = world.root("GET /v1.0/tenants?environment=dev&limit=100").send().await;
    assert_eq!(got.all("tenantId"), ids);
    let got = world.root("GET /v1.0/tenants?environment=prod").send().await;
    assert_eq!(
        (got.json()["count"].clone(), got.json()["nextToken"].clone()),
        (json!(0), json!(null))
    );
    let got = world.root("GET /v1.0/tenants?environment=dev&status=ACTIVE&limit=2").send().await;
    assert_eq!(got.json()["count"], 2);
    assert!(got.json()["items"][0]["_links"]["self"]["href"].is_string());
    for wrong in ["limit=0", "limit=101", "status=NEW", "environment=x", "nextToken=x", "colour=1"]
    {
        let got = world.root(&format!("GET /v1.0/tenants?{wrong}")).send().await;
        assert_eq!(got.status, 400, "{wrong}: {got:?}");
    }
}

/// CX-15, C2-39: the same request again is one tenant.
#[tokio::test]
async fn a_repeated_create_is_one_tenant() {
    let world = World::new().await;
    let create = || {
        let call = world.root("POST /v1.0/tenants").header("idempotency-key", "create-acme-1");
        call.json(&new_tenant("Acme")).send()
    };
    let (first, second) = (create().await, create().await);
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.json(), second.json());
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!(world.root("GET /v1.0/tenants").send().await.json()["count"], 1);
}

/// R002-5.6-1, C2-37: history is kept for as long as is configured, and for ever without that.
#[tokio::test]
async fn history_is_kept_as_long_as_configured() {
    let kept = Some(Duration::from_secs(24 * 60 * 60));
    let world =
        World::with(Settings { history_retention: kept, ..Settings::new(Environment::Dev) }).await;
    let id = world.pending("Acme").await;
    let path = format!("GET /v1.0/tenants/{id}/events");
    assert_eq!(world.root(&path).send().await.json()["count"], 1);
    let table = world.store.table("tenancy/bbws-tenants").unwrap();
    let access = table.access("list-events").unwrap().with("tenantId", id).unwrap();
    let access = access.with("from", "0").unwrap().with("to", "9999~").unwrap();
    let event: store::Raw = access.first().await.unwrap().unwrap();
    let values::AttributeValue::N(ttl) = &event.0["ttl"] else { panic!("{event:?}") };
    assert_eq!(ttl.to_string(), (1_900_000_000 + 24 * 60 * 60).to_string());
}
