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
