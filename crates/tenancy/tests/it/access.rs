//! Who may do what: assignments decide, and what is not one's own does not exist.

use std::collections::BTreeSet;

use kernel::Role;
use serde_json::{Value, json};
use tables::Environment;
use tenancy::{ApiKeys, Settings};

use crate::world::{World, new_tenant};

/// Every kind of request on a tenant, with the roles that may (R002-6.4 to R002-6.8, R002-9.2, C2-33).
const REQUESTS: &[(&str, &str, &[&str])] = &[
    ("GET", "", &["Admin", "Operator", "Viewer"]),
    ("GET", "/lifecycle", &["Admin", "Operator", "Viewer"]),
    ("PUT", "", &["Admin"]),
    ("PATCH", "/status", &["Admin"]),
    ("POST", "/lifecycle/suspend", &["Admin"]),
    ("POST", "/lifecycle/resume", &["Admin"]),
    ("POST", "/lifecycle/park", &["Admin"]),
    ("POST", "/lifecycle/unpark", &["Admin"]),
    ("POST", "/park", &["Admin"]),
    ("POST", "/unpark", &["Admin"]),
    ("POST", "/lifecycle/callback", &["Admin"]),
    ("GET", "/events", &["Admin", "Operator"]),
    ("GET", "/users", &["Admin", "Operator"]),
    ("POST", "/users", &["Admin"]),
    ("GET", "/users/user-550e8400-e29b-41d4-a716-446655440000", &["Admin", "Operator"]),
    ("PATCH", "/users/user-550e8400-e29b-41d4-a716-446655440000", &["Admin"]),
    ("DELETE", "/users/user-550e8400-e29b-41d4-a716-446655440000", &["Admin"]),
    ("GET", "/divisions", &["Admin", "Operator"]),
    ("POST", "/divisions", &["Admin"]),
    ("GET", "/divisions/div-x", &["Admin", "Operator"]),
    ("PUT", "/divisions/div-x", &["Admin"]),
    ("DELETE", "/divisions/div-x", &["Admin"]),
    ("GET", "/divisions/div-x/groups", &["Admin", "Operator"]),
    ("POST", "/divisions/div-x/groups", &["Admin"]),
    ("GET", "/divisions/div-x/users", &["Admin", "Operator"]),
    ("POST", "/divisions/div-x/users", &["Admin"]),
    ("GET", "/divisions/div-x/groups/grp-x/teams", &["Admin", "Operator"]),
    ("POST", "/divisions/div-x/groups/grp-x/teams", &["Admin"]),
    ("GET", "/divisions/div-x/groups/grp-x/teams/team-x/users", &["Admin", "Operator"]),
    ("GET", "/invitations", &["Admin"]),
    ("POST", "/invitations", &["Admin"]),
    ("GET", "/invitations/inv-x", &["Admin"]),
    ("DELETE", "/invitations/inv-x", &["Admin"]),
    ("POST", "/invitations/inv-x/resend", &["Admin"]),
    ("POST", "/invitations/inv-x/revoke", &["Admin"]),
    ("GET", "/resources", &["Admin", "Operator"]),
    ("PUT", "/resources/bucket/x", &["Admin"]),
    ("DELETE", "/resources/bucket/y", &["Admin"]),
    ("DELETE", "?dryRun=true", &["Admin"]),
];

/// A body that passes the checks of a request.
fn body(method: &str, path: &str) -> Option<Value> {
    Some(match (method, path) {
        ("PUT", "") => json!({ "organizationName": "Acme", "contactEmail": "a@acme.example" }),
        ("PATCH", "/status") => json!({ "status": "PENDING" }),
        ("POST", "/lifecycle/park" | "/park") => json!({ "reason": "long enough for it" }),
        ("POST", "/lifecycle/callback") => json!({ "operationId": "op", "outcome": "failed" }),
        ("PATCH", _) => json!({ "role": "Viewer" }),
        ("POST", "/users" | "/invitations" | "/divisions/div-x/users") => {
            json!({ "email": "nobody@example.com", "role": "Viewer" })
        }
        ("POST" | "PUT", path) if path.starts_with("/divisions") => json!({ "name": "Name" }),
        _ => return None,
    })
}

/// R002-6.3-1, R002-6.5b-2, R002-6.5b-3, R002-6.5b-4, R002-9.1-2, R002-9.2-1, R002-9.2-2, R002-9.2-3,
/// R002-9.2-4, R002-9.2-6, R002-11.1-2, C2-33, C2-35, R002-6.6-1 to R002-6.8-5: every request by every kind
/// of caller.
#[tokio::test]
async fn every_request_by_every_kind_of_caller() {
    let world = World::new().await;
    let tenant = world.active("Acme").await;
    let other = world.active("Other").await;
    let mut cast = Vec::new();
    for role in ["Admin", "Operator", "Viewer"] {
        let person = world.person(&role.to_lowercase()).await;
        world.assign(&tenant, &person, role).await;
        cast.push((role, person.token));
    }
    cast.push(("Stranger", world.person("stranger").await.token));
    // A token that says so is no assignment.
    cast.push(("Stranger", "test eve admin".to_owned()));
    cast.push(("Stranger", world.token("wandering", Role::Operator).await));
    let mut tried = 0;
    for (method, path, roles) in REQUESTS {
        for (role, token) in &cast {
            let mut refusals = Vec::new();
            for id in [&tenant, &other, &"tenant-550e8400-e29b-41d4-a716-446655440000".to_owned()] {
                let call = world.call(&format!("{method} /v1.0/tenants/{id}{path}")).bearer(token);
                let call = match body(method, path) {
                    Some(body) => call.json(&body),
                    None => call,
                };
                let got = call.send().await;
                tried += 1;
                let place = format!("{method} {path} as {role} on {id}: {got:?}");
                let is_here = **id == tenant && *role != "Stranger";
                match (is_here, roles.contains(role)) {
                    (true, true) => assert!(!matches!(got.status, 401 | 403 | 500), "{place}"),
                    (true, false) => {
                        assert_eq!(got.error(), (403, "FORBIDDEN".to_owned()), "{place}")
                    }
                    (false, _) => {
                        assert_eq!(got.error(), (404, "TENANT_NOT_FOUND".to_owned()), "{place}");
                        assert_eq!(got.detail("tenantId"), **id, "{place}");
                        let text = got.json()["error"].to_string();
                        refusals.push(text.replace(id.as_str(), "ID"));
                    }
                }
            }
            assert!(refusals.windows(2).all(|pair| pair[0] == pair[1]), "{refusals:?}");
        }
        let call = world.call(&format!("{method} /v1.0/tenants/{tenant}{path}"));
        let got = call.send().await;
        assert_eq!(got.error(), (401, "UNAUTHORIZED".to_owned()), "{method} {path}");
        let call = world.call(&format!("{method} /v1.0/tenants/{tenant}{path}")).bearer("nonsense");
        assert_eq!(call.send().await.status, 401, "{method} {path}");
    }
    assert_eq!(tried, REQUESTS.len() * cast.len() * 3);
}

/// R002-6.4-1, R002-9.2-1, R002-9.2-2, R002-9.2-3, C2-32: who may make tenants, and that they see theirs.
#[tokio::test]
async fn operators_make_tenants_and_see_their_own() {
    let world = World::new().await;
    world.active("Not theirs").await;
    let operator = world.token("op", Role::Operator).await;
    let viewer = world.token("vi", Role::Viewer).await;
    let person = world.person("ada").await.token;
    for token in [&viewer, &person] {
        let call = world.call("POST /v1.0/tenants").bearer(token);
        let got = call.json(&new_tenant("Acme")).send().await;
        assert_eq!(got.error(), (403, "FORBIDDEN".to_owned()));
    }
    let made = world.call("POST /v1.0/tenants").bearer(&operator).json(&new_tenant("Acme"));
    let made = made.send().await;
    assert_eq!((made.status, made.text("createdBy").as_str()), (201, "op@example.com"), "{made:?}");
    let path = made.header("location");
    assert_eq!(world.call(&format!("GET {path}")).bearer(&operator).send().await.status, 200);
    let got = world.call("GET /v1.0/tenants").bearer(&operator).send().await;
    assert_eq!(got.all("organizationName"), ["Acme"]);
    let got = world.call(&format!("DELETE {path}")).bearer(&operator).send().await;
    assert_eq!(got.status, 403);
    let got = world.call("GET /v1.0/tenants").bearer(&viewer).send().await;
    assert_eq!((got.status, got.json()["count"].clone()), (200, json!(0)));
}

/// C2-32, C2-57: tokens of another issuer may tell no address. Who makes a tenant with one is assigned to
/// it as anybody is, and can be removed again.
#[tokio::test]
async fn who_makes_a_tenant_without_an_address_sees_it() {
    let world = World::new().await;
    let operator = "test nameless operator";
    let made = world.call("POST /v1.0/tenants").bearer(operator).json(&new_tenant("Acme"));
    let made = made.send().await;
    assert_eq!((made.status, made.text("createdBy").as_str()), (201, "pool|nameless"), "{made:?}");
    let path = made.header("location");
    assert_eq!(world.call(&format!("GET {path}")).bearer(operator).send().await.status, 200);
    let users = world.root(&format!("GET {path}/users")).send().await.json()["items"].clone();
    assert_eq!((&users[0]["role"], users[0].get("email")), (&json!("Operator"), None), "{users}");
    let user = users[0]["userId"].as_str().unwrap();
    assert_eq!(world.root(&format!("DELETE {path}/users/{user}")).send().await.status, 204);
    assert_eq!(world.call(&format!("GET {path}")).bearer(operator).send().await.status, 404);
}

/// R002-9.2-5, C2-34: who administers a customer sees its tenants, page by page, and those they are
/// assigned to besides.
#[tokio::test]
async fn a_customers_admin_sees_the_customers_tenants() {
    let world = World::new().await;
    let admin = "test carla admin customer-7";
    let mut theirs = BTreeSet::new();
    for number in 0..5 {
        let call = world.call("POST /v1.0/tenants").bearer(admin);
        let made = call.json(&new_tenant(&format!("Theirs {number}"))).send().await;
        assert_eq!(
            (made.status, made.text("customerId").as_str()),
            (201, "customer-7"),
            "{made:?}"
        );
        theirs.insert(made.text("tenantId"));
    }
    let mut other = new_tenant("Somebody else's");
    other["customerId"] = json!("customer-8");
    let call = world.call("POST /v1.0/tenants").bearer(admin).json(&other);
    assert_eq!(call.send().await.error().0, 403);
    let made = world.root("POST /v1.0/tenants").json(&other).send().await;
    let foreign = made.header("location").to_owned();
    assert_eq!(world.call(&format!("GET {foreign}")).bearer(admin).send().await.status, 404);
    // Another of the customer's admins, who made none of them.
    let second = "test dora admin customer-7";
    let assigned = world.active("Assigned").await;
    world.person("dora").await;
    let invited = json!({ "email": "dora@example.com", "role": "Viewer", "sendEmail": false });
    let path = format!("POST /v1.0/tenants/{assigned}/invitations");
    let token = world.root(&path).json(&invited).send().await.text("token");
    let accept = world.call("POST /v1.0/invitations/accept").bearer(second);
    assert_eq!(accept.json(&json!({ "token": token })).send().await.status, 200);
    theirs.insert(assigned);
    for limit in [2, 5, 100] {
        let mut seen = Vec::new();
        let mut path = format!("/v1.0/tenants?limit={limit}");
        loop {
            let got = world.call(&format!("GET {path}")).bearer(second).send().await;
            assert_eq!(got.status, 200, "{got:?}");
            seen.extend(got.all("tenantId"));
            match got.json()["_links"]["next"]["href"].as_str() {
                Some(next) => path = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(seen.len(), theirs.len(), "{limit}: each once");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), theirs, "{limit}");
    }
    // Of the customer, but no admin.
    let fred = "test fred viewer customer-7";
    assert_eq!(world.call("GET /v1.0/tenants").bearer(fred).send().await.json()["count"], 0);
    for id in &theirs {
        let got = world.call(&format!("GET /v1.0/tenants/{id}")).bearer(fred).send().await;
        assert_eq!(got.error(), (404, "TENANT_NOT_FOUND".to_owned()));
    }
}

/// C2-57, R002-9.4-2: programs act by keys, as far as scopes reach; a key of the platform's own account
/// is a provisioner's.
#[tokio::test]
async fn keys_reach_as_far_as_their_scopes() {
    let world = World::new().await;
    let (tenant, other) = (world.pending("Acme").await, world.pending("Other").await);
    let key = world.key(&tenant, &["tenants:read"]).await;
    let get = |id: &str, key: &str| {
        let call = world.call(&format!("GET /v1.0/tenants/{id}")).header("x-api-key", key);
        async move { call.send().await.status }
    };
    assert_eq!((get(&tenant, &key).await, get(&other, &key).await), (200, 404));
    let list = world.call("GET /v1.0/tenants").header("x-api-key", &key).send().await;
    assert_eq!(list.all("tenantId"), std::slice::from_ref(&tenant));
    let call = world.call(&format!("DELETE /v1.0/tenants/{tenant}")).header("x-api-key", &key);
    assert_eq!(call.send().await.error().0, 403);
    let scopes = ["tenants:read", "tenants:provision", "tenants:create"];
    let provisioner = world.key("platform", &scopes).await;
    assert_eq!((get(&tenant, &provisioner).await, get(&other, &provisioner).await), (200, 200));
    let show = world.root(&format!("GET /v1.0/tenants/{other}/lifecycle")).send().await;
    let body =
        json!({ "operationId": show.json()["operation"]["operationId"], "outcome": "succeeded" });
    let call = world.call(&format!("POST /v1.0/tenants/{other}/lifecycle/callback"));
    let got = call.header("x-api-key", &provisioner).json(&body).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "ACTIVE"), "{got:?}");
    let call = world.call("POST /v1.0/tenants").header("x-api-key", &provisioner);
    let made = call.json(&new_tenant("By a program")).send().await;
    assert_eq!(made.status, 201, "{made:?}");
    assert!(made.text("createdBy").starts_with("key_"), "a program has no email: {made:?}");
}

/// C2-57: by whatever way a tenant is given up or set going, it takes the same scope.
#[tokio::test]
async fn a_state_takes_the_scope_of_the_way_that_leads_there() {
    let world = World::new().await;
    let (active, pending) = (world.active("Acme").await, world.pending("Other").await);
    let ask = |key: &str, id: &str, status: &str| {
        let call = world.call(&format!("PATCH /v1.0/tenants/{id}/status"));
        let call = call.header("x-api-key", key).json(&json!({ "status": status }));
        async move { call.send().await }
    };
    let narrow = world.key(&active, &["lifecycle:write"]).await;
    let got = ask(&narrow, &active, "DEPROVISIONED").await;
    assert_eq!((got.error().0, got.detail("permission")), (403, json!("tenants:write")));
    assert_eq!(ask(&narrow, &active, "SUSPENDED").await.status, 200);
    let wide = world.key(&active, &["lifecycle:write", "tenants:write"]).await;
    assert_eq!(ask(&wide, &active, "DEPROVISIONED").await.status, 200);
    let narrow = world.key(&pending, &["lifecycle:write"]).await;
    assert_eq!(ask(&narrow, &pending, "ACTIVE").await.error().0, 403);
    let wide = world.key(&pending, &["lifecycle:write", "tenants:provision"]).await;
    assert_eq!(ask(&wide, &pending, "ACTIVE").await.status, 200);
}

/// R002-6.3-2, R002-9.4-2, C2-56, C2-60: with keys required, every request has a token and a key, and
/// both must allow it.
#[tokio::test]
async fn a_key_is_needed_beside_the_token_where_it_is_required() {
    let settings = Settings { api_keys: ApiKeys::Required, ..Settings::new(Environment::Dev) };
    let world = World::with(settings).await;
    let key = world.key("gateway", &["tenants:*"]).await;
    let narrow = world.key("gateway", &["tenants:read"]).await;
    let create = |key: Option<&str>| {
        let call = world.root("POST /v1.0/tenants").json(&new_tenant("Acme"));
        let call = if let Some(key) = key { call.header("x-api-key", key) } else { call };
        async move { call.send().await }
    };
    assert_eq!(create(None).await.error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(create(Some("unknown")).await.error(), (401, "UNAUTHORIZED".to_owned()));
    let got = create(Some(&narrow)).await;
    assert_eq!((got.error().0, got.detail("scope")), (403, json!("tenants:create")));
    let alone = world.call("GET /v1.0/tenants").header("x-api-key", &key).send().await;
    assert_eq!(alone.error(), (401, "UNAUTHORIZED".to_owned()));
    let twice = world.call("GET /v1.0/tenants").bearer(&key).header("x-api-key", &key);
    assert_eq!(twice.send().await.error(), (401, "UNAUTHORIZED".to_owned()), "a key, twice");
    assert_eq!(create(Some(&key)).await.status, 201);
    // Other services ask for no such thing.
    assert_eq!(world.root("GET /ops/v1.0/keys?accountId=gateway").send().await.status, 200);
    let strict = [Environment::Sit, Environment::Prod].map(|one| Settings::new(one).api_keys);
    assert_eq!(strict, [ApiKeys::Required; 2], "as the document is written");
}
