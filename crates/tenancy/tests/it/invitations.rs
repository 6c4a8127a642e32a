//! Invitations: single use, hashed, over on their own, bound to one address.

use std::time::Duration;

use limits::Policies;
use serde_json::json;
use tables::Environment;
use tenancy::Settings;

use crate::world::{Got, World};

/// Invites by mail, and gives the answer and the token in the mail.
async fn invite(world: &World, tenant: &str, email: &str, role: &str) -> (Got, String) {
    let path = format!("POST /v1.0/tenants/{tenant}/invitations");
    let got = world.root(&path).json(&json!({ "email": email, "role": role })).send().await;
    assert_eq!(got.status, 201, "{got:?}");
    (got, token(world, &email.to_lowercase()))
}

/// The token in the last mail to an address.
fn token(world: &World, email: &str) -> String {
    let mail = world.mails(email).pop().unwrap().replace("=\r\n", "");
    let start = mail.find("inv_").unwrap();
    mail[start..].split_whitespace().next().unwrap().to_owned()
}

async fn accept(world: &World, bearer: &str, token: &str) -> Got {
    let call = world.call("POST /v1.0/invitations/accept").bearer(bearer);
    call.json(&json!({ "token": token })).send().await
}

/// R002-6.8-1, R002-6.8-2, R002-6.8-3, C2-10.
#[tokio::test]
async fn an_invitation_is_mailed_listed_and_accepted_once() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let (made, token) = invite(&world, &id, "Ada@example.com", "Operator").await;
    assert_eq!(made.text("status"), "PENDING");
    assert!(
        !String::from_utf8_lossy(&made.body).contains(&token),
        "the token is in the mail alone"
    );
    let mail = world.mails(&ada.email).pop().unwrap();
    assert!(mail.contains("root@example.com invites you to Acme"), "{mail}");
    let list = world.root(&format!("GET /v1.0/tenants/{id}/invitations")).send().await;
    assert_eq!(
        (list.all("email"), list.all("status")),
        (vec![ada.email.clone()], vec!["PENDING".to_owned()])
    );
    let got = accept(&world, &ada.token, &token).await;
    assert_eq!((got.status, got.text("role").as_str()), (200, "Operator"), "{got:?}");
    let seen = world.call(&format!("GET /v1.0/tenants/{id}")).bearer(&ada.token).send().await;
    assert_eq!(seen.status, 200);
    let shown = world.root(&format!("GET {}", made.header("location"))).send().await;
    assert_eq!(
        (shown.text("status"), shown.text("acceptedBy")),
        ("ACCEPTED".to_owned(), ada.user_id.clone())
    );
    let again = accept(&world, &ada.token, &token).await;
    assert_eq!(again.error(), (422, "INVITATION_NOT_PENDING".to_owned()));
    // Of the token, only the hash is kept.
    let table = world.store.table("tenancy/bbws-tenants").unwrap();
    let access = table.access("get-invitation").unwrap().with("tenantId", &*id).unwrap();
    let access = access.with("invitationId", made.text("invitationId")).unwrap();
    let item: store::Raw = access.get().await.unwrap().unwrap();
    assert!(!format!("{item:?}").contains(&token));
}

/// C2-10: the token is for who has the address, and for nobody else.
#[tokio::test]
async fn somebody_elses_token_is_none() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let (ada, eve) = (world.person("ada").await, world.person("eve").await);
    let (made, token) = invite(&world, &id, &ada.email, "Admin").await;
    let got = accept(&world, &eve.token, &token).await;
    assert_eq!(got.error(), (404, "INVITATION_NOT_FOUND".to_owned()));
    let nonsense = accept(&world, &eve.token, "inv_nonsense").await;
    assert_eq!(got.json()["error"], nonsense.json()["error"], "the same for what does not exist");
    let call = world.call("POST /v1.0/invitations/accept").json(&json!({ "token": token }));
    assert_eq!(call.send().await.status, 401);
    // By its own path, too.
    let path = format!("POST {}/accept", made.header("location"));
    let body = json!({ "token": token });
    assert_eq!(world.call(&path).bearer(&eve.token).json(&body).send().await.status, 404);
    let wrong = json!({ "token": "inv_wrong" });
    assert_eq!(world.call(&path).bearer(&ada.token).json(&wrong).send().await.status, 404);
    assert_eq!(world.call(&path).bearer(&ada.token).json(&body).send().await.status, 200);
}

/// R002-6.8-5, C2-10: sending it again makes the token before worthless, and its end later.
#[tokio::test]
async fn sending_again_rotates_the_token() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let (made, first) = invite(&world, &id, &ada.email, "Viewer").await;
    world.clock.advance(60_000);
    let got = world.root(&format!("POST {}/resend", made.header("location"))).send().await;
    assert_eq!((got.status, got.json()["resendCount"].clone()), (200, json!(1)), "{got:?}");
    assert_ne!(got.text("expiresAt"), made.text("expiresAt"));
    let second = token(&world, &ada.email);
    assert_ne!(first, second);
    assert_eq!(accept(&world, &ada.token, &first).await.status, 404);
    assert_eq!(accept(&world, &ada.token, &second).await.status, 200);
    let got = world.root(&format!("POST {}/resend", made.header("location"))).send().await;
    assert_eq!(got.error(), (422, "INVITATION_NOT_PENDING".to_owned()));
}

/// R002-6.8-4, C2-06: both ways to take an invitation back leave it, REVOKED.
#[tokio::test]
async fn a_revoked_invitation_stays_and_opens_nothing() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    for (name, method, end) in [("ada", "DELETE", ""), ("bob", "POST", "/revoke")] {
        let person = world.person(name).await;
        let (made, token) = invite(&world, &id, &person.email, "Viewer").await;
        let path = format!("{method} {}{end}", made.header("location"));
        let got = world.root(&path).send().await;
        assert_eq!((got.status, got.text("status").as_str()), (200, "REVOKED"), "{got:?}");
        assert_eq!(got.text("revokedBy"), "root@example.com");
        assert_eq!(accept(&world, &person.token, &token).await.status, 422);
        assert_eq!(world.root(&path).send().await.status, 422);
        // The address is free again.
        invite(&world, &id, &person.email, "Viewer").await;
    }
}

/// C2-10: that an invitation is over shows when it is read, and it can be sent again.
#[tokio::test]
async fn an_invitation_is_over_after_its_time() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let (made, token) = invite(&world, &id, &ada.email, "Viewer").await;
    let path = made.header("location");
    let twice = json!({ "email": ada.email, "role": "Admin" });
    let again = world.root(&format!("POST /v1.0/tenants/{id}/invitations"));
    let got = again.json(&twice).send().await;
    assert_eq!((got.status, got.detail("reason")), (409, json!("INVITATION_PENDING")));
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    world.clock.advance(u64::try_from(week.as_millis()).unwrap());
    let admin = world.token("root", kernel::Role::PlatformAdmin).await;
    let shown = world.call(&format!("GET {path}")).bearer(&admin).send().await;
    assert_eq!(shown.text("status"), "EXPIRED", "{shown:?}");
    assert!(shown.links().contains("resend") && !shown.links().contains("revoke"));
    let bearer = "test ada viewer";
    let got = accept(&world, bearer, &token).await;
    assert_eq!(got.error(), (422, "INVITATION_NOT_PENDING".to_owned()), "{got:?}");
    assert_eq!(got.detail("status"), "EXPIRED");
    let got = world.call(&format!("POST {path}/resend")).bearer(&admin).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "PENDING"), "{got:?}");
    let got = accept(&world, bearer, &self::token(&world, &ada.email)).await;
    assert_eq!(got.status, 200, "somebody of another issuer accepts as well: {got:?}");
}

#[tokio::test]
async fn a_token_can_be_brought_otherwise_than_by_mail() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let before = world.mails(&ada.email).len();
    let body = json!({ "email": ada.email, "role": "Viewer", "sendEmail": false });
    let got = world.root(&format!("POST /v1.0/tenants/{id}/invitations")).json(&body).send().await;
    assert_eq!((got.status, world.mails(&ada.email).len()), (201, before));
    let shown = world.root(&format!("GET {}", got.header("location"))).send().await;
    assert!(shown.json().get("token").is_none(), "{shown:?}");
    assert_eq!(accept(&world, &ada.token, &got.text("token")).await.status, 200);
}

/// R002-4.5-3: who is assigned is not assigned again, nor invited.
#[tokio::test]
async fn who_is_assigned_is_not_invited() {
    let world = World::new().await;
    let (id, ada) = (world.active("Acme").await, world.person("ada").await);
    let (_, token) = invite(&world, &id, &ada.email, "Admin").await;
    world.assign(&id, &ada, "Viewer").await;
    let taken = (409, json!("USER_ALREADY_ASSIGNED"));
    let got = accept(&world, &ada.token, &token).await;
    assert_eq!((got.status, got.detail("reason")), taken);
    let bob = world.person("bob").await;
    world.assign(&id, &bob, "Viewer").await;
    let body = json!({ "email": "Bob@Example.com", "role": "Admin", "sendEmail": false });
    let path = format!("POST /v1.0/tenants/{id}/invitations");
    let got = world.root(&path).json(&body).send().await;
    assert_eq!((got.status, got.detail("reason")), taken, "{got:?}");
    // Who was removed may be invited.
    let bobs = format!("DELETE /v1.0/tenants/{id}/users/{}", bob.user_id);
    assert_eq!(world.root(&bobs).send().await.status, 204);
    assert_eq!(world.root(&path).json(&body).send().await.status, 201);
}

/// R002-6.7-4, C2-10, C2-49: who is removed does not come back with an invitation from before.
#[tokio::test]
async fn removing_somebody_revokes_their_invitation() {
    let world = World::new().await;
    let (id, bob) = (world.active("Acme").await, world.person("bob").await);
    let (made, token) = invite(&world, &id, &bob.email, "Admin").await;
    world.assign(&id, &bob, "Viewer").await;
    // Somebody of another issuer, whom the directory does not know, invites themselves.
    let eve = "test eve viewer";
    let (_, first) = invite(&world, &id, "eve@example.com", "Admin").await;
    let eve_id = accept(&world, eve, &first).await.text("userId");
    let (_, second) = invite(&world, &id, "eve@example.com", "Admin").await;
    for (bearer, user, token) in [(&*bob.token, &bob.user_id, token), (eve, &eve_id, second)] {
        let remove = format!("DELETE /v1.0/tenants/{id}/users/{user}");
        assert_eq!(world.root(&remove).send().await.status, 204);
        let got = accept(&world, bearer, &token).await;
        assert_eq!(got.error(), (422, "INVITATION_NOT_PENDING".to_owned()), "{got:?}");
        let seen = world.call(&format!("GET /v1.0/tenants/{id}")).bearer(bearer).send().await;
        assert_eq!(seen.status, 404, "{seen:?}");
    }
    let shown = world.root(&format!("GET {}", made.header("location"))).send().await;
    assert_eq!(
        (&*shown.text("status"), &*shown.text("revokedBy")),
        ("REVOKED", "root@example.com")
    );
    // It is told as every revocation is.
    let events = world.root(&format!("GET /v1.0/tenants/{id}/events?limit=100")).send().await;
    let count = |wanted: &str| events.all("eventType").iter().filter(|one| *one == wanted).count();
    assert_eq!((count("USER_REMOVED"), count("INVITATION_REVOKED")), (2, 2), "{events:?}");
    let told = world.told(&id).await;
    assert!(told.iter().any(|(name, _)| name == "tenant.invitation_revoked"), "{told:?}");
    let audit = format!("GET /ops/v1.0/audit?accountId={id}&action=INVITATION_REVOKED");
    assert_eq!(world.root(&audit).send().await.json()["count"], 2);
    // The address is free again.
    invite(&world, &id, &bob.email, "Viewer").await;
}

/// R002-9.4-3, CX-14: an Admin cannot flood a mailbox, nor a tenant the world.
#[tokio::test]
async fn invitations_are_mailed_sparingly() {
    let settings = Settings::new(Environment::Dev);
    let world = World::under(settings, Policies::usual()).await;
    let (id, other) = (world.active("Acme").await, world.active("Other").await);
    let ask = async |tenant: &str, email: &str, is_mailed: bool| {
        let body = json!({ "email": email, "role": "Viewer", "sendEmail": is_mailed });
        let path = format!("POST /v1.0/tenants/{tenant}/invitations");
        world.root(&path).json(&body).send().await
    };
    let refused = |got: &Got, policy: &str| {
        assert_eq!(got.error(), (429, "RATE_LIMITED".to_owned()), "{got:?}");
        assert_eq!(got.detail("policy"), policy);
        assert!(got.header("retry-after").parse::<u64>().unwrap() > 0);
    };
    // Two invitations and three resends, whichever tenant they are of.
    let victim = "victim@example.com";
    let made = ask(&id, victim, true).await;
    let resend = format!("POST {}/resend", made.header("location"));
    for _ in 0..3 {
        assert_eq!(world.root(&resend).send().await.status, 200);
    }
    let revoke = format!("DELETE {}", made.header("location"));
    assert_eq!(ask(&other, victim, true).await.status, 201);
    refused(&world.root(&resend).send().await, "invitation-target");
    assert_eq!(world.root(&revoke).send().await.status, 200);
    refused(&ask(&id, "Victim@Example.com", true).await, "invitation-target");
    assert_eq!(world.mails(victim).len(), 5);
    // What is not mailed floods nobody.
    assert_eq!(ask(&id, victim, false).await.status, 201);
    // Four of the tenant's hundred went to the victim, and the two refusals were not counted.
    for n in 4..100 {
        world.clock.advance(1_000);
        let got = ask(&id, &format!("user{n}@example.com"), true).await;
        assert_eq!(got.status, 201, "{n}: {got:?}");
    }
    refused(&ask(&id, "one-more@example.com", true).await, "invitation-tenant");
    assert_eq!(ask(&other, "one-more@example.com", true).await.status, 201);
}

#[tokio::test]
async fn only_an_active_tenant_invites() {
    let world = World::new().await;
    let id = world.pending("Acme").await;
    let body = json!({ "email": "ada@example.com", "role": "Viewer" });
    let got = world.root(&format!("POST /v1.0/tenants/{id}/invitations")).json(&body).send().await;
    assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()));
    for wrong in ["inv-x", "inv-550e8400-e29b-41d4-a716-446655440000"] {
        let got = world.root(&format!("GET /v1.0/tenants/{id}/invitations/{wrong}")).send().await;
        assert_eq!(got.error(), (404, "INVITATION_NOT_FOUND".to_owned()));
    }
}
