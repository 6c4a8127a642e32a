//! Many at once: what holds for one after the other holds for all together.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::world::{World, new_tenant};

/// Sends requests at once, each as a task of its own, and counts their statuses.
async fn at_once(world: &World, calls: Vec<(String, Option<Value>)>) -> BTreeMap<u16, usize> {
    let barrier = Arc::new(Barrier::new(calls.len()));
    let sent: Vec<_> = calls
        .iter()
        .map(|(line, body)| {
            let call = world.root(line);
            let call = if let Some(body) = body { call.json(body) } else { call };
            call.spawn(&barrier)
        })
        .collect();
    let mut counts = BTreeMap::new();
    for one in sent {
        *counts.entry(one.await.unwrap().status).or_default() += 1;
    }
    counts
}

/// R002-4.1-1, C2-15: 64 creates of one name are one tenant.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_creates_of_one_name_one_succeeds() {
    let world = World::new().await;
    let calls = vec![("POST /v1.0/tenants".to_owned(), Some(new_tenant("Acme"))); 64];
    let counts = at_once(&world, calls).await;
    assert_eq!(counts, BTreeMap::from([(201, 1), (409, 63)]));
    assert_eq!(world.root("GET /v1.0/tenants?limit=100").send().await.json()["count"], 1);
}

/// R002-7.5-5, C2-39, C2-59: 32 parks are one move, one event and one audit entry.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_32_parks_one_succeeds() {
    let world = World::new().await;
    // The moment between reading and writing is short: several rounds meet it.
    for round in 0..8 {
        let id = world.active(&format!("Acme {round}")).await;
        let body = json!({ "reason": "thirty-two at once" });
        let calls = vec![(format!("POST /v1.0/tenants/{id}/lifecycle/park"), Some(body)); 32];
        let counts = at_once(&world, calls).await;
        assert_eq!(counts, BTreeMap::from([(200, 1), (422, 31)]), "round {round}");
        let told = world.told(&id).await;
        assert_eq!(told.iter().filter(|(name, _)| name == "tenant.parked").count(), 1);
        let events = format!("GET /v1.0/tenants/{id}/events?eventType=TENANT_PARKED");
        assert_eq!(world.root(&events).send().await.json()["count"], 1);
        let log = format!("GET /ops/v1.0/audit?accountId={id}&limit=100");
        let log = world.root(&log).send().await;
        let text = String::from_utf8_lossy(&log.body).into_owned();
        assert_eq!(text.matches("\"action\":\"TENANT_PARKED\"").count(), 1, "{text}");
    }
}

/// Two last Admins are removed at once: one stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_two_last_admins_one_stays() {
    let world = World::new().await;
    for round in 0..5 {
        let id = world.active(&format!("Acme {round}")).await;
        let ada = world.person(&format!("ada{round}")).await;
        world.assign(&id, &ada, "Admin").await;
        let users = world.root(&format!("GET /v1.0/tenants/{id}/users")).send().await;
        let removals = users.all("userId").into_iter();
        let calls: Vec<_> = removals
            .map(|user| (format!("DELETE /v1.0/tenants/{id}/users/{user}"), None))
            .collect();
        assert_eq!(calls.len(), 2);
        let counts = at_once(&world, calls).await;
        assert_eq!(counts, BTreeMap::from([(204, 1), (422, 1)]), "round {round}");
        let users = world.root(&format!("GET /v1.0/tenants/{id}/users")).send().await;
        assert_eq!(users.json()["count"], 1);
    }
}

/// A team is filled and deleted at once: it never goes with somebody in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_division_is_filled_or_deleted_and_never_both() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for round in 0..10 {
        let divisions = format!("/v1.0/tenants/{id}/divisions");
        let body = json!({ "name": format!("Division {round}") });
        let made = world.root(&format!("POST {divisions}")).json(&body).send().await;
        let division = made.header("location").to_owned();
        let group = (format!("POST {division}/groups"), Some(json!({ "name": "Group" })));
        at_once(&world, vec![group, (format!("DELETE {division}"), None)]).await;
        let got = world.root(&format!("GET {division}")).send().await;
        match got.status {
            200 => assert_eq!(got.json()["children"], 1, "{got:?}"),
            status => {
                assert_eq!(status, 404);
                // Nothing of it is left below.
                let events = world.root(&format!("GET {division}/groups")).send().await;
                assert_eq!(events.status, 404);
            }
        }
    }
}

/// An invitation is accepted ten times at once: one of them counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_invitation_is_accepted_once() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let body = json!({ "email": ada.email, "role": "Admin", "sendEmail": false });
    let got = world.root(&format!("POST /v1.0/tenants/{id}/invitations")).json(&body).send().await;
    let token = json!({ "token": got.text("token") });
    let barrier = Arc::new(Barrier::new(10));
    let accept = |_| {
        let call = world.call("POST /v1.0/invitations/accept").bearer(&ada.token).json(&token);
        call.spawn(&barrier)
    };
    let mut statuses = Vec::new();
    for one in (0..10).map(accept).collect::<Vec<_>>() {
        statuses.push(one.await.unwrap().status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    let users = world.root(&format!("GET /v1.0/tenants/{id}/users")).send().await;
    assert_eq!(users.json()["count"], 2);
}

/// C2-59. Two PUTs of a tenant met, neither with If-Match, and the one that came second got 409: it was
/// told of a version that it had never asked about.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_without_if_match_is_made_to_whatever_is_there() {
    let world = World::new().await;
    for round in 0..6 {
        let id = world.active(&format!("Acme {round}")).await;
        let path = format!("/v1.0/tenants/{id}");
        // Half of them rename it to the same, half to something of their own.
        let body = |at: usize| {
            let name = format!("Acme {round} as {}", if at.is_multiple_of(2) { 0 } else { at });
            json!({ "organizationName": name, "contactEmail": format!("{at}@acme.example") })
        };
        let calls = (0..8).map(|at| (format!("PUT {path}"), Some(body(at)))).collect();
        let counts = at_once(&world, calls).await;
        assert_eq!(counts, BTreeMap::from([(200, 8)]), "round {round}");
        let got = world.root(&format!("GET {path}")).send().await;
        assert_eq!(got.json()["version"], 10, "one creation, one activation, eight changes");
        // Who asks about a version is told of it.
        let name = got.text("organizationName");
        let same = json!({ "organizationName": name, "contactEmail": "a@acme.example" });
        let barrier = Arc::new(Barrier::new(8));
        let sent: Vec<_> = (0..8)
            .map(|_| {
                let call = world.root(&format!("PUT {path}")).header("if-match", "\"v10\"");
                call.json(&same).spawn(&barrier)
            })
            .collect();
        let mut statuses = Vec::new();
        for one in sent {
            statuses.push(one.await.unwrap().status);
        }
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
        // Every name but the last is free again.
        for at in [0, 1, 3, 5, 7] {
            let name = format!("acme {round} AS {at}");
            let is_own = got.text("organizationName").to_lowercase() == name.to_lowercase();
            let made = world.root("POST /v1.0/tenants").json(&new_tenant(&name)).send().await;
            assert_eq!(made.status, if is_own { 409 } else { 201 }, "{name}: {made:?}");
        }
    }
}

/// C2-30, C2-59. Of twelve who said at once that a tenant uses something, eleven got 409; and so did who
/// said at once that it uses it no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_resource_is_registered_and_released_by_many_at_once() {
    let world = World::new().await;
    for round in 0..4 {
        let id = world.active(&format!("Acme {round}")).await;
        let path = format!("/v1.0/tenants/{id}/resources/bucket/data");
        let body = Some(json!({ "attributes": { "region": "af-south-1" } }));
        let counts = at_once(&world, vec![(format!("PUT {path}"), body); 12]).await;
        assert_eq!(counts, BTreeMap::from([(200, 11), (201, 1)]), "round {round}");
        let plan = format!("DELETE /v1.0/tenants/{id}?dryRun=true");
        assert_eq!(world.root(&plan).send().await.json()["activeResources"], 1);
        let counts = at_once(&world, vec![(format!("DELETE {path}"), None); 12]).await;
        assert_eq!(counts, BTreeMap::from([(200, 12)]), "round {round}");
        assert_eq!(world.root(&plan).send().await.json()["activeResources"], 0);
    }
}

/// C2-59. The same in the hierarchy: who renamed a division to what another had just called it got 409,
/// once for its version and once for the name, which was its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_division_is_renamed_by_many_at_once() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for round in 0..6 {
        let body = json!({ "name": format!("Division {round}") });
        let made = world.root(&format!("POST /v1.0/tenants/{id}/divisions")).json(&body);
        let division = made.send().await.header("location").to_owned();
        let body = json!({ "name": format!("Renamed {round}"), "description": "by one of eight" });
        let counts = at_once(&world, vec![(format!("PUT {division}"), Some(body)); 8]).await;
        assert_eq!(counts, BTreeMap::from([(200, 8)]), "round {round}");
        // Renamed and deleted: whichever comes first, no name is left behind.
        let body = json!({ "name": format!("Last {round}") });
        let put = (format!("PUT {division}"), Some(body.clone()));
        let counts = at_once(&world, vec![put, (format!("DELETE {division}"), None)]).await;
        assert_eq!(counts.get(&204), Some(&1), "{counts:?}");
        let made = world.root(&format!("POST /v1.0/tenants/{id}/divisions")).json(&body);
        assert_eq!(made.send().await.status, 201, "round {round}");
    }
}

/// C2-07. Somebody new to a tenant was given roles in several divisions at once: one of them made the
/// assignment, the others got 409.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn somebody_new_is_given_many_roles_at_once() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let mut divisions = Vec::new();
    for at in 0..6 {
        let body = json!({ "name": format!("Division {at}") });
        let made = world.root(&format!("POST /v1.0/tenants/{id}/divisions")).json(&body);
        divisions.push(made.send().await.header("location").to_owned());
    }
    for round in 0..3 {
        let ada = world.person(&format!("ada{round}")).await;
        let body = json!({ "email": ada.email, "role": "Operator" });
        let add = |path: &String| (format!("POST {path}/users"), Some(body.clone()));
        let counts = at_once(&world, divisions.iter().map(add).collect()).await;
        assert_eq!(counts, BTreeMap::from([(201, 6)]), "round {round}");
        let remove = |path: &String| (format!("DELETE {path}/users/{}", ada.user_id), None);
        let counts = at_once(&world, divisions.iter().map(remove).collect()).await;
        assert_eq!(counts, BTreeMap::from([(204, 6)]), "round {round}");
    }
}

/// C2-06, C2-10. An invitation was sent again or revoked by several at once: all but one got 409, and
/// nobody had asked for a version.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_invitation_is_resent_and_revoked_by_many_at_once() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for round in 0..4 {
        let body = json!({ "email": format!("ada{round}@example.com"), "role": "Viewer" });
        let made = world.root(&format!("POST /v1.0/tenants/{id}/invitations")).json(&body);
        let path = made.send().await.header("location").to_owned();
        let counts = at_once(&world, vec![(format!("POST {path}/resend"), None); 4]).await;
        assert_eq!(counts, BTreeMap::from([(200, 4)]), "round {round}");
        assert_eq!(world.mails(&format!("ada{round}@example.com")).len(), 5);
        let counts = at_once(&world, vec![(format!("POST {path}/revoke"), None); 4]).await;
        assert_eq!(counts, BTreeMap::from([(200, 1), (422, 3)]), "round {round}");
    }
}

/// C2-47, C2-59. A provisioner calls back while somebody changes the tenant: it got 409, and had to
/// guess that it was to repeat.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_back_is_heard_while_the_tenant_changes() {
    let world = World::new().await;
    for round in 0..6 {
        let id = world.active(&format!("Acme {round}")).await;
        let body = json!({ "reason": "to be called back" });
        let park = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/park")).json(&body);
        let operation = park.send().await.json()["operation"]["operationId"].clone();
        let told = json!({ "operationId": operation, "outcome": "succeeded" });
        let change = json!({
            "organizationName": format!("Acme {round}"), "contactEmail": "a@acme.example",
        });
        let call_back = (format!("POST /v1.0/tenants/{id}/lifecycle/callback"), Some(told));
        let change = (format!("PUT /v1.0/tenants/{id}"), Some(change));
        let calls = [vec![call_back; 3], vec![change; 3]].concat();
        let counts = at_once(&world, calls).await;
        assert_eq!(counts, BTreeMap::from([(200, 6)]), "round {round}");
        let heard = world.told(&id).await;
        assert_eq!(heard.iter().filter(|(name, _)| name == "tenant.park.succeeded").count(), 1);
    }
}
