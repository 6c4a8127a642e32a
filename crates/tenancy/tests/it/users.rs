//! Who is assigned to a tenant.

use serde_json::json;

use crate::world::World;

/// R002-2-9, R002-4.5-1, R002-4.5-2, R002-4.5-3, R002-5.8-2, R002-5.8-10, R002-5.8-11, R002-6.7-2, C2-26,
/// C2-48.
#[tokio::test]
async fn a_user_is_assigned_once() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let path = format!("POST /v1.0/tenants/{id}/users");
    let body = json!({ "email": "Ada@Example.com", "role": "Operator" });
    let got = world.root(&path).json(&body).send().await;
    let json = got.json();
    assert_eq!(got.status, 201, "{got:?}");
    for (name, value) in [
        ("tenantId", json!(id)),
        ("userId", json!(ada.user_id)),
        ("email", json!("ada@example.com")),
        ("role", json!("Operator")),
        ("assignedBy", json!("root@example.com")),
        ("active", json!(true)),
    ] {
        assert_eq!(json[name], value, "{name}");
    }
    let place = format!("/v1.0/tenants/{id}/users/{}", ada.user_id);
    assert_eq!(got.header("location"), place);
    let again = world.root(&path).json(&body).send().await;
    assert_eq!(again.error(), (409, "CONFLICT".to_owned()));
    assert_eq!(again.detail("reason"), "USER_ALREADY_ASSIGNED");
    let unknown = json!({ "email": "nobody@example.com", "role": "Viewer" });
    let got = world.root(&path).json(&unknown).send().await;
    assert_eq!(got.error(), (404, "USER_NOT_FOUND".to_owned()));
    assert!(got.text("").is_empty() && String::from_utf8_lossy(&got.body).contains("invit"));
    for wrong in [
        json!({ "email": "ada", "role": "Admin" }),
        json!({ "email": "ada@example.com", "role": "Owner" }),
        json!({ "email": "ada@example.com" }),
    ] {
        assert_eq!(world.root(&path).json(&wrong).send().await.status, 400, "{wrong}");
    }
}

/// C2-48: users are assigned to tenants that are ACTIVE.
#[tokio::test]
async fn only_an_active_tenant_takes_users() {
    let world = World::new().await;
    world.person("ada").await;
    for status in ["PENDING", "SUSPENDED", "PARKED", "DEPROVISIONED", "FAILED"] {
        let id = world.tenant_in(&format!("Tenant {status}"), status).await;
        let body = json!({ "email": "ada@example.com", "role": "Admin" });
        let got = world.root(&format!("POST /v1.0/tenants/{id}/users")).json(&body).send().await;
        assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()), "{status}");
        assert_eq!(got.detail("currentStatus"), status);
    }
}

/// C2-48: nor is anybody given a role there with which they can do more; with less, they are.
#[tokio::test]
async fn nobody_rises_in_a_tenant_that_is_not_active() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let (ada, bob) = (world.person("ada").await, world.person("bob").await);
    world.assign(&id, &ada, "Viewer").await;
    world.assign(&id, &bob, "Operator").await;
    let body = json!({ "reason": "Unpaid" });
    let path = format!("POST /v1.0/tenants/{id}/lifecycle/suspend");
    assert_eq!(world.root(&path).json(&body).send().await.status, 200);
    let give = |person: &str, role: &str| {
        let call = world.root(&format!("PATCH /v1.0/tenants/{id}/users/{person}"));
        let call = call.json(&json!({ "role": role }));
        async move { call.send().await }
    };
    for role in ["Operator", "Admin"] {
        let got = give(&ada.user_id, role).await;
        assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()), "{role}");
    }
    assert_eq!(give(&bob.user_id, "Viewer").await.status, 200);
}

/// R002-2-10, R002-2-11, R002-5.7-6, R002-6.7-1, R002-6.7-3, R002-6.7-4, C2-49.
#[tokio::test]
async fn users_are_listed_got_removed_and_assigned_again() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let mut people = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        let person = world.person(name).await;
        world.assign(&id, &person, "Viewer").await;
        people.push(person);
    }
    let list = format!("GET /v1.0/tenants/{id}/users?limit=100");
    let got = world.root(&list).send().await;
    assert_eq!(got.json()["count"], 4, "three, and who made the tenant: {got:?}");
    let one = format!("/v1.0/tenants/{id}/users/{}", people[1].user_id);
    assert_eq!(world.root(&format!("GET {one}")).send().await.text("email"), "bob@example.com");
    let got = world.root(&format!("DELETE {one}")).send().await;
    assert_eq!((got.status, got.body.len()), (204, 0));
    assert!(!world.root(&list).send().await.all("email").contains(&"bob@example.com".to_owned()));
    let gone = world.root(&format!("GET {one}")).send().await;
    assert_eq!(gone.error(), (404, "USER_NOT_FOUND".to_owned()));
    assert_eq!(world.root(&format!("DELETE {one}")).send().await.status, 404);
    // The item stays, inactive, and a new assignment makes it active again.
    let table = world.store.table("tenancy/bbws-tenants").unwrap();
    let access = table.access("get-assignment").unwrap().with("tenantId", &*id).unwrap();
    let access = access.with("userId", &*people[1].user_id).unwrap();
    let item: store::Raw = access.get().await.unwrap().unwrap();
    assert_eq!(item.0["active"], false.into());
    world.assign(&id, &people[1], "Operator").await;
    assert_eq!(world.root(&format!("GET {one}")).send().await.text("role"), "Operator");
}

/// R002-2-12, R002-5.7-5, R002-6.7-5: one's own tenants, or those that one administers.
#[tokio::test]
async fn somebodys_tenants_are_theirs_to_see() {
    let world = World::new().await;
    let (ada, bob, cyd) =
        (world.person("ada").await, world.person("bob").await, world.person("cyd").await);
    let (first, second) = (world.active("First").await, world.active("Second").await);
    world.assign(&first, &ada, "Viewer").await;
    world.assign(&second, &ada, "Operator").await;
    world.assign(&second, &bob, "Admin").await;
    let path = format!("GET /v1.0/users/{}/tenants", ada.user_id);
    for line in [path.as_str(), "GET /v1.0/users/me/tenants"] {
        let got = world.call(line).bearer(&ada.token).send().await;
        let mut ids = got.all("tenantId");
        ids.sort();
        let mut expected = vec![first.clone(), second.clone()];
        expected.sort();
        assert_eq!((got.status, ids), (200, expected), "{line}");
    }
    assert_eq!(world.root(&path).send().await.json()["count"], 2);
    let got = world.call(&path).bearer(&bob.token).send().await;
    assert_eq!(
        got.all("tenantId"),
        std::slice::from_ref(&second),
        "bob administers the second alone"
    );
    let got = world.call(&path).bearer(&cyd.token).send().await;
    assert_eq!(got.error(), (404, "USER_NOT_FOUND".to_owned()));
}

/// R002-6.7-5, R002-9.2-4: a page shows strangers neither that somebody has tenants nor how many.
#[tokio::test]
async fn strangers_do_not_learn_how_many_tenants_somebody_has() {
    let world = World::new().await;
    let (ada, bob, cyd) =
        (world.person("ada").await, world.person("bob").await, world.person("cyd").await);
    let mut ids = Vec::new();
    for name in ["First", "Second", "Third"] {
        let id = world.active(name).await;
        world.assign(&id, &ada, "Viewer").await;
        ids.push(id);
    }
    ids.sort();
    let last = ids.pop().unwrap();
    world.assign(&last, &bob, "Admin").await;
    let ask = async |user_id: &str, token: &str| {
        let path = format!("GET /v1.0/users/{user_id}/tenants?limit=1");
        world.call(&path).bearer(token).send().await
    };
    let unknown = "user-550e8400-e29b-41d4-a716-446655440000";
    let [got, nobody] = [ask(&ada.user_id, &cyd.token).await, ask(unknown, &cyd.token).await];
    assert_eq!(got.error(), (404, "USER_NOT_FOUND".to_owned()), "{got:?}");
    assert_eq!(got.error(), nobody.error());
    let got = ask(&ada.user_id, &bob.token).await;
    assert_eq!((got.status, got.all("tenantId")), (200, vec![last]), "{got:?}");
    assert_eq!(got.json()["nextToken"], serde_json::Value::Null);
}

/// The last Admin is neither removed nor demoted (R002-6.7-4, and what best products do).
#[tokio::test]
async fn the_last_admin_stays() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let users = format!("/v1.0/tenants/{id}/users");
    let ada = world.person("ada").await;
    world.assign(&id, &ada, "Admin").await;
    // Who made the tenant is an Admin, too.
    let got = world.root(&format!("GET {users}")).send().await;
    let json = got.json();
    let root =
        json["items"].as_array().unwrap().iter().find(|one| one["email"] == "root@example.com");
    let root = root.unwrap()["userId"].as_str().unwrap().to_owned();
    assert_eq!(world.root(&format!("DELETE {users}/{root}")).send().await.status, 204);
    let got = world.root(&format!("DELETE {users}/{}", ada.user_id)).send().await;
    assert_eq!(got.error(), (422, "LAST_ADMIN".to_owned()));
    let demote = json!({ "role": "Viewer" });
    let patch = format!("PATCH {users}/{}", ada.user_id);
    let got = world.root(&patch).json(&demote).send().await;
    assert_eq!(got.error(), (422, "LAST_ADMIN".to_owned()));
    let bob = world.person("bob").await;
    world.assign(&id, &bob, "Viewer").await;
    let promote = json!({ "role": "Admin" });
    let got = world.root(&format!("PATCH {users}/{}", bob.user_id)).json(&promote).send().await;
    assert_eq!((got.status, got.text("role").as_str()), (200, "Admin"), "{got:?}");
    assert_eq!(world.root(&patch).json(&demote).send().await.text("role"), "Viewer");
    let shown = world.call(&format!("GET {users}")).bearer(&ada.token).send().await;
    assert_eq!(shown.status, 403, "a role that was taken away is gone at once: {shown:?}");
    let events = world.root(&format!("GET /v1.0/tenants/{id}/events?limit=100")).send().await;
    for event in ["USER_ASSIGNED", "USER_REMOVED", "USER_ROLE_CHANGED"] {
        assert!(events.all("eventType").contains(&event.to_owned()), "{event}");
    }
}

/// C2-07, C2-49: whoever has as many roles in the hierarchy as one may have, and an invitation besides,
/// is removed in one transaction all the same.
#[tokio::test]
async fn somebody_with_every_role_is_removed() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let body = json!({ "email": ada.email, "role": "Viewer" });
    let invited = world.root(&format!("POST /v1.0/tenants/{id}/invitations")).json(&body);
    assert_eq!(invited.send().await.status, 201);
    world.assign(&id, &ada, "Admin").await;
    for n in 0..40 {
        let path = format!("POST /v1.0/tenants/{id}/divisions");
        let division = json!({ "name": format!("Division {n}") });
        let made = world.root(&path).json(&division).send().await;
        let users = format!("POST {}/users", made.header("location"));
        let got = world.root(&users).json(&body).send().await;
        assert_eq!(got.status, 201, "{n}: {got:?}");
    }
    let remove = format!("DELETE /v1.0/tenants/{id}/users/{}", ada.user_id);
    let got = world.root(&remove).header("idempotency-key", "once").send().await;
    assert_eq!(got.status, 204, "{got:?}");
}

/// A version for a change that takes none is refused, not passed over: whoever sends one relies on it.
#[tokio::test]
async fn a_version_that_is_not_looked_at_is_refused() {
    let world = World::new().await;
    let tenant = world.active("Acme").await;
    let ada = world.person("ada").await;
    world.assign(&tenant, &ada, "Admin").await;
    let user = format!("/v1.0/tenants/{tenant}/users/{}", ada.user_id);
    let role = json!({ "role": "Viewer" });
    for (line, body) in [
        (format!("PATCH {user}"), Some(&role)),
        (format!("DELETE {user}"), None),
        (format!("PUT /v1.0/tenants/{tenant}/resources/bucket/b"), Some(&json!({}))),
    ] {
        let call = world.root(&line).header("if-match", "\"v1\"");
        let got = if let Some(body) = body { call.json(body) } else { call }.send().await;
        assert_eq!(got.error(), (400, "VALIDATION_ERROR".to_owned()), "{line}");
        assert_eq!(got.detail("errors")[0]["field"], "If-Match", "{line}");
    }
    assert_eq!(
        world.root(&format!("GET {user}")).header("if-match", "\"v9\"").send().await.status,
        200
    );
}
