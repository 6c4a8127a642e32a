//! The form of errors, what is counted, and what the documentation says.

use limits::Policies;
use serde_json::json;
use tables::Environment;
use tenancy::Settings;

use crate::world::{World, new_tenant};

/// R002-6.5b-9, R002-11.1-1, R002-11.1-2, R002-11.2-1, CX-11.
#[tokio::test]
async fn errors_have_the_envelope() {
    let world = World::new().await;
    let id = "tenant-550e8400-e29b-41d4-a716-446655440000";
    let got = world.root(&format!("GET /v1.0/tenants/{id}")).send().await;
    let json = got.json();
    assert_eq!(json["error"]["code"], "TENANT_NOT_FOUND");
    assert_eq!(json["error"]["message"], format!("Tenant {id} not found"));
    assert_eq!(json["error"]["details"], json!({ "tenantId": id }));
    assert_eq!(json["requestId"], got.header("x-request-id"));
    assert!(json["timestamp"].is_string());
    assert_eq!(got.header("retry-after"), "", "nothing is won by asking again");
}

/// R002-6.5b-7, R002-6.5b-8: the codes exist with their statuses, and the
/// documentation names them on every route.
#[tokio::test]
async fn the_documentation_names_every_code() {
    let world = World::new().await;
    let document = world.shell.openapi();
    let text = document.to_string();
    for code in tenancy::CODES {
        assert!(text.contains(code.name), "{}", code.name);
    }
    let park = &document["paths"]["/v1.0/tenants/{tenantId}/lifecycle/park"]["post"];
    for status in ["200", "400", "401", "403", "404", "409", "422", "429", "500"] {
        assert!(park["responses"][status].is_object(), "{status}");
    }
    assert_eq!(document["paths"]["/v1.0/tenants/{tenantId}/park"]["post"]["deprecated"], true);
    assert_eq!(document["openapi"].as_str().unwrap().split('.').next(), Some("3"));
}

/// R002-6.5b-7, R002-9.4-3, R002-11.2-2, R002-12.4-1, CX-14: a hundred requests a second, then 429 and
/// when to come again.
#[tokio::test]
async fn more_than_a_hundred_requests_a_second_are_refused() {
    let settings = Settings::new(Environment::Dev);
    let world = World::under(settings, Policies::usual()).await;
    let mut admitted = 0;
    for _ in 0..120 {
        let got = world.root("GET /v1.0/tenants").send().await;
        match got.status {
            200 => admitted += 1,
            _ => {
                assert_eq!(got.error(), (429, "RATE_LIMITED".to_owned()));
                assert_ne!(got.header("retry-after"), "");
            }
        }
    }
    assert_eq!(admitted, 100);
    let limits = Policies::usual();
    for route in world.shell.routes().filter(|route| route.path.starts_with("/v1.0")) {
        let line = format!("{} {}", route.method, route.path);
        let policy = limits.find("tenants-user").unwrap();
        assert!(policy.covers(&line), "{line}");
    }
    let named = limits.iter().flat_map(|policy| &policy.routes);
    for named in named.filter(|named| named.contains(" /v1.0/") && !named.ends_with('*')) {
        let mut lines =
            world.shell.routes().map(|route| format!("{} {}", route.method, route.path));
        assert!(lines.any(|line| line == *named), "{named} is no route");
    }
    world.clock.advance(2_000);
    assert_eq!(world.root("GET /v1.0/tenants").send().await.status, 200);
}

/// R002-10.1-1 to R002-10.1-7, R002-7.3-1, R002-7.4-1.
#[tokio::test]
async fn what_happens_is_counted() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let step = |name: &str| {
        let call = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/{name}"));
        call.json(&json!({ "reason": "to be counted" })).send()
    };
    for (name, status) in [("park", 200), ("park", 422), ("unpark", 200), ("unpark", 422)] {
        assert_eq!(step(name).await.status, status, "{name}");
    }
    // A provisioner that fails counts as well, once however often it says so.
    for name in ["park", "unpark"] {
        let asked = step(name).await.json()["operation"]["operationId"].clone();
        let body = json!({ "operationId": asked, "outcome": "failed", "message": "no room" });
        for _ in 0..2 {
            let line = format!("POST /v1.0/tenants/{id}/lifecycle/callback");
            assert_eq!(world.root(&line).json(&body).send().await.status, 200, "{name}");
        }
    }
    world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    world.root("POST /v1.0/tenants").json(&new_tenant("Acme")).send().await;
    let text = world.metrics.text();
    for (name, count) in [
        ("TenantCreated_total{Environment=\"dev\"}", 1),
        ("TenantParked_total{Environment=\"dev\"}", 2),
        ("TenantUnparked_total{Environment=\"dev\"}", 2),
        ("TenantDeleted_total{Environment=\"dev\"}", 1),
        ("ParkFailures_total{Environment=\"dev\"}", 2),
        ("UnparkFailures_total{Environment=\"dev\"}", 2),
    ] {
        let line = format!("BBWS_TenantManagement_{name} {count}");
        assert!(text.contains(&line), "{line} is not in {text}");
    }
    let from = "FromStatus=\"PARKED\",ToStatus=\"PARKED\"";
    assert!(text.contains(from), "{text}");
}
