//! The state machine, by every way to ask.

use serde_json::{Value, json};
use tenancy::{MOVES, Status, Way};

use crate::world::{Got, World};

const REASON: &str = "Customer requested it for cost reduction";

/// Asks for a move by a way.
async fn ask(world: &World, id: &str, way: Way, to: Status) -> Got {
    let reason = json!({ "reason": REASON });
    let call = match way {
        Way::Status => {
            let body = json!({ "status": to.as_str(), "reason": REASON });
            world.root(&format!("PATCH /v1.0/tenants/{id}/status")).json(&body)
        }
        Way::Suspend => world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/suspend")),
        Way::Resume => world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/resume")),
        Way::Park => world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/park")).json(&reason),
        Way::Unpark => world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/unpark")),
        Way::Delete => world.root(&format!("DELETE /v1.0/tenants/{id}")),
        Way::Callback => {
            let show = world.root(&format!("GET /v1.0/tenants/{id}/lifecycle")).send().await;
            let operation = show.json()["operation"]["operationId"].clone();
            let outcome = if to == Status::Active { "succeeded" } else { "failed" };
            let body = json!({ "operationId": operation, "outcome": outcome, "message": "done" });
            world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/callback")).json(&body)
        }
    };
    call.send().await
}

/// Where a way leads, whatever the state; every state for PATCH.
fn ends(way: Way) -> Vec<Status> {
    match way {
        Way::Status => Status::ALL.to_vec(),
        Way::Suspend => vec![Status::Suspended],
        Way::Resume | Way::Unpark => vec![Status::Active],
        Way::Park => vec![Status::Parked],
        Way::Delete => vec![Status::Deprovisioned],
        Way::Callback => vec![Status::Active, Status::Failed],
    }
}

/// R002-5.8-1, R002-7.5-1, R002-2-13, R002-1.3-6, R002-6.5b-6, R002-6.5b-10, R002-11.1-3, C2-02, C2-03,
/// C2-20, C2-24, C2-29: 6 × 6 states by every way, against the table.
#[tokio::test]
async fn every_move_is_as_the_table_says() {
    let world = World::new().await;
    let ways = [Way::Status, Way::Suspend, Way::Resume, Way::Park, Way::Unpark, Way::Delete];
    let mut cells = 0;
    for from in Status::ALL {
        for way in ways {
            for to in ends(way) {
                cells += 1;
                let id = world.tenant_in(&format!("Cell {cells}"), from.as_str()).await;
                let got = ask(&world, &id, way, to).await;
                let expected = MOVES.iter().any(|step| step.is_from(from, way) && step.to == to);
                let place = format!("{from} to {to} by {way:?}: {got:?}");
                if expected {
                    assert_eq!((got.status, got.text("status")), (200, to.to_string()), "{place}");
                    continue;
                }
                assert_eq!(got.error(), (422, "INVALID_STATUS_TRANSITION".to_owned()), "{place}");
                assert_eq!(got.detail("currentStatus"), from.as_str(), "{place}");
                assert_eq!(got.detail("requestedStatus"), to.as_str(), "{place}");
                let allowed: Vec<&str> = from.allowed().map(Status::as_str).collect();
                assert_eq!(got.detail("allowedTransitions"), json!(allowed), "{place}");
                let shown = world.root(&format!("GET /v1.0/tenants/{id}")).send().await;
                assert_eq!(shown.text("status"), from.as_str(), "{place}");
            }
        }
    }
    assert_eq!(cells, 6 * (6 + 5));
}

/// R002-1.3-7, R002-2-14, R002-4.2-1, R002-4.2-2, R002-6.5-3, R002-6.4b-5, R002-7.4-1, R002-7.5-5,
/// R002-7.5-6, R002-17C-3, R002-9.2-1, C2-18, C2-25.
#[tokio::test]
async fn parking_answers_as_the_document_says() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let got = ask(&world, &id, Way::Park, Status::Parked).await;
    let json = got.json();
    assert_eq!((got.status, got.text("status").as_str()), (200, "PARKED"));
    assert_eq!(json["parkedBy"], "root@example.com");
    assert_eq!(json["parkReason"], REASON);
    assert!(json["parkedAt"].is_string());
    let message = "Tenant parked successfully. Resources will be released within 5 minutes.";
    assert_eq!(json["message"], message);
    assert_eq!(json["_links"]["unpark"]["href"], format!("/v1.0/tenants/{id}/lifecycle/unpark"));
    assert!(got.links().contains("self") && got.links().contains("lifecycle"));
    assert!(!got.links().contains("park"));
    let shown = world.root(&format!("GET /v1.0/tenants/{id}")).send().await.json();
    assert_eq!((&shown["status"], &shown["version"]), (&json!("PARKED"), &json!(3)));
    assert_eq!((&shown["updatedAt"], &shown["updatedBy"]), (&json["parkedAt"], &json["parkedBy"]));
    // The index follows: it is found as PARKED, and not as ACTIVE any more.
    let listed = |status: &'static str| {
        let call = world.root(&format!("GET /v1.0/tenants?status={status}"));
        async move { call.send().await.all("tenantId") }
    };
    assert_eq!((listed("PARKED").await, listed("ACTIVE").await), (vec![id.clone()], vec![]));
    let events = world.root(&format!("GET /v1.0/tenants/{id}/events?eventType=TENANT_PARKED"));
    let details = events.send().await.json()["items"][0]["details"].clone();
    assert_eq!(details["previousStatus"], "ACTIVE");
    assert_eq!((&details["newStatus"], &details["reason"]), (&json!("PARKED"), &json!(REASON)));
    let again = ask(&world, &id, Way::Park, Status::Parked).await;
    assert_eq!(again.json()["error"]["message"], "Cannot park a tenant that is not ACTIVE");
}

/// R002-1.3-8, R002-2-15, R002-4.3-1, R002-6.5-4, R002-6.4b-6, R002-17C-5, C2-21, C2-47.
#[tokio::test]
async fn unparking_answers_as_the_document_says() {
    let world = World::new().await;
    let id = world.tenant_in("Acme", "PARKED").await;
    let got = ask(&world, &id, Way::Unpark, Status::Active).await;
    let json = got.json();
    assert_eq!((got.status, got.text("status").as_str()), (200, "ACTIVE"));
    assert_eq!(json["unparkedBy"], "root@example.com");
    let message = "Tenant unpark initiated. Resources will be reprovisioned within 15 minutes.";
    assert_eq!(json["message"], message);
    let warning = "Full functionality may not be available immediately. Resource reprovisioning in \
                   progress.";
    assert_eq!(json["warning"], warning);
    assert!(got.links().is_superset(&["self", "park", "lifecycle"].map(str::to_owned).into()));
    let shown = world.root(&format!("GET /v1.0/tenants/{id}")).send().await.json();
    for gone in ["parkedAt", "parkedBy", "parkReason"] {
        assert_eq!(shown[gone], Value::Null, "{gone}");
    }
    assert_eq!(shown["unparkedAt"], json["unparkedAt"]);
    let events = world.root(&format!("GET /v1.0/tenants/{id}/events?eventType=TENANT_UNPARKED"));
    let details = events.send().await.json()["items"][0]["details"].clone();
    assert_eq!(
        (&details["previousStatus"], &details["newStatus"]),
        (&json!("PARKED"), &json!("ACTIVE"))
    );
}

/// R002-17C-4, R002-6.5-1, R002-6.5-2: a suspended tenant cannot be parked; it is resumed first.
#[tokio::test]
async fn a_suspended_tenant_is_resumed_before_it_is_parked() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let path = format!("POST /v1.0/tenants/{id}/lifecycle/suspend");
    let got = world.root(&path).json(&json!({ "reason": "unpaid" })).send().await;
    assert_eq!((got.status, got.text("suspendReason").as_str()), (200, "unpaid"), "{got:?}");
    assert!(got.links().contains("resume") && !got.links().contains("suspend"));
    let got = ask(&world, &id, Way::Park, Status::Parked).await;
    assert_eq!(got.status, 422);
    assert_eq!(got.detail("allowedTransitions"), json!(["ACTIVE", "DEPROVISIONED"]));
    assert_eq!(ask(&world, &id, Way::Resume, Status::Active).await.status, 200);
    assert_eq!(ask(&world, &id, Way::Park, Status::Parked).await.status, 200);
}

/// R002-5.8-9, C2-22: parking takes a reason of 10 to 500 characters, by every way.
#[tokio::test]
async fn parking_takes_a_reason() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let park = format!("POST /v1.0/tenants/{id}/lifecycle/park");
    for body in [
        json!({}),
        json!({ "reason": "too short" }),
        json!({ "reason": "          .          "}),
        json!({ "reason": "x".repeat(501) }),
        json!({ "reason": 7 }),
        json!({ "reason": REASON, "colour": "red" }),
    ] {
        let got = world.root(&park).json(&body).send().await;
        assert_eq!(got.error(), (400, "VALIDATION_ERROR".to_owned()), "{body}");
    }
    assert!(world.root(&park).send().await.status >= 400);
    let status = format!("PATCH /v1.0/tenants/{id}/status");
    let got = world.root(&status).json(&json!({ "status": "PARKED" })).send().await;
    assert_eq!(got.status, 400);
    let exact = json!({ "reason": "x".repeat(10) });
    assert_eq!(world.root(&park).json(&exact).send().await.status, 200);
}

/// C2-01: the old paths answer identically, and say what replaces them.
#[tokio::test]
async fn the_old_paths_answer_identically_and_say_what_replaces_them() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let park = world.root(&format!("POST /v1.0/tenants/{id}/park"));
    let got = park.json(&json!({ "reason": REASON })).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "PARKED"), "{got:?}");
    assert!(got.header("deprecation").starts_with('@'));
    assert!(
        got.header("link").contains(&format!("</v1.0/tenants/{id}/lifecycle/park>")),
        "{:?}",
        got.headers
    );
    let got = world.root(&format!("POST /v1.0/tenants/{id}/unpark")).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "ACTIVE"));
    let new = ask(&world, &id, Way::Park, Status::Parked).await;
    assert_eq!(new.header("deprecation"), "");
}

/// R002-1.3-5, R002-2-5, R002-4.4-1, R002-4.4-2, R002-4.4-4, R002-6.4-5, C2-29, C2-31.
#[tokio::test]
async fn a_deleted_tenant_stays_deprovisioned() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let got = world.root(&format!("DELETE /v1.0/tenants/{id}?force=false")).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "DEPROVISIONED"));
    assert_eq!(got.json()["deprovisionedBy"], "root@example.com");
    let shown = world.root(&format!("GET /v1.0/tenants/{id}")).send().await;
    assert_eq!((shown.status, shown.text("status").as_str()), (200, "DEPROVISIONED"));
    assert!(!shown.links().contains("delete"));
    let again = world.root(&format!("DELETE /v1.0/tenants/{id}?force=true")).send().await;
    assert_eq!(again.error(), (422, "INVALID_STATUS_TRANSITION".to_owned()));
}

/// C2-59: If-Match that names another version is 409, a state that changed 422.
#[tokio::test]
async fn a_move_can_name_the_version_it_has_seen() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let path = format!("POST /v1.0/tenants/{id}/lifecycle/suspend");
    let got = world.root(&path).header("if-match", "\"v1\"").send().await;
    assert_eq!((got.status, got.detail("reason")), (409, json!("VERSION_MISMATCH")), "{got:?}");
    let got = world.root(&path).header("if-match", "\"v2\"").send().await;
    assert_eq!((got.status, got.header("etag")), (200, "\"v3\""));
    let got = world.root(&path).header("if-match", "\"v2\"").send().await;
    assert_eq!(got.status, 422);
}

/// C2-09, C2-47, R002-7.5-1: where a tenant stands, what it may become, and what it was.
#[tokio::test]
async fn a_lifecycle_shows_moves_operation_and_history() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    world.clock.advance(5_000);
    ask(&world, &id, Way::Park, Status::Parked).await;
    let got = world.root(&format!("GET /v1.0/tenants/{id}/lifecycle")).send().await;
    let json = got.json();
    assert_eq!((got.status, got.text("status").as_str()), (200, "PARKED"));
    assert_eq!(json["allowedTransitions"], json!(["ACTIVE", "DEPROVISIONED"]));
    assert_eq!(
        (&json["operation"]["work"], &json["operation"]["state"]),
        (&json!("park"), &json!("requested"))
    );
    let history = json["history"].as_array().unwrap();
    let types: Vec<_> = history.iter().map(|one| one["eventType"].as_str().unwrap()).collect();
    assert_eq!(types, ["TENANT_PARKED", "TENANT_ACTIVATED", "TENANT_CREATED"]);
    assert!(got.links().contains("unpark") && !got.links().contains("suspend"));
}

/// PENDING becomes ACTIVE or FAILED by a provisioner's call-back, and FAILED begins again (C2-03).
#[tokio::test]
async fn a_provisioner_calls_back() {
    let world = World::new().await;
    let id = world.pending("Acme").await;
    let got = ask(&world, &id, Way::Callback, Status::Failed).await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "FAILED"), "{got:?}");
    assert_eq!(got.json()["operation"]["state"], "failed");
    assert_eq!(ask(&world, &id, Way::Status, Status::Pending).await.status, 200);
    let show = world.root(&format!("GET /v1.0/tenants/{id}/lifecycle")).send().await;
    let operation = show.json()["operation"].clone();
    assert_eq!(
        (&operation["work"], &operation["state"]),
        (&json!("provision"), &json!("requested"))
    );
    let callback = format!("POST /v1.0/tenants/{id}/lifecycle/callback");
    let wrong = json!({ "operationId": "op_other", "outcome": "succeeded" });
    let got = world.root(&callback).json(&wrong).send().await;
    assert_eq!(got.error(), (409, "OPERATION_NOT_CURRENT".to_owned()));
    let right = json!({ "operationId": operation["operationId"], "outcome": "succeeded" });
    let got = world.root(&callback).json(&right).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "ACTIVE"));
    // Saying it again changes nothing; saying the contrary is refused.
    let version = got.json()["version"].clone();
    let again = world.root(&callback).json(&right).send().await;
    assert_eq!((again.status, &again.json()["version"]), (200, &version));
    let contrary = json!({ "operationId": operation["operationId"], "outcome": "failed" });
    assert_eq!(world.root(&callback).json(&contrary).send().await.status, 409);
}

/// What became of parking is told without moving the tenant.
#[tokio::test]
async fn the_result_of_other_work_is_noted() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    ask(&world, &id, Way::Park, Status::Parked).await;
    let got = ask(&world, &id, Way::Callback, Status::Failed).await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "PARKED"), "{got:?}");
    let operation = &got.json()["operation"];
    assert_eq!((&operation["state"], &operation["message"]), (&json!("failed"), &json!("done")));
    let told: Vec<_> = world.told(&id).await.into_iter().map(|(name, _)| name).collect();
    assert!(told.contains(&"tenant.park.failed".to_owned()), "{told:?}");
}

/// C2-22: parking without a body was refused for its content type (415).
#[tokio::test]
async fn parking_without_a_body_is_a_validation_error() {
    let world = World::new().await;
    let id = world.tenant_in("Acme Corporation", "ACTIVE").await;
    let got = world.root(&format!("POST /v1.0/tenants/{id}/lifecycle/park")).send().await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (400, &json!("VALIDATION_ERROR")));
}

/// C2-31: DELETE answered what became of the move, and not the tenant.
#[tokio::test]
async fn giving_a_tenant_up_answers_the_whole_tenant() {
    let world = World::new().await;
    let id = world.tenant_in("Acme Corporation", "ACTIVE").await;
    let got = world.root(&format!("DELETE /v1.0/tenants/{id}")).send().await;
    let shown = world.root(&format!("GET /v1.0/tenants/{id}")).send().await;
    assert_eq!((got.status, got.json()), (200, shown.json()));
    assert_eq!(got.json()["status"], "DEPROVISIONED");
}
