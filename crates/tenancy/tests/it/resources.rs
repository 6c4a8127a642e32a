//! What a tenant uses, and giving it up.

use serde_json::json;

use crate::world::World;

/// R002-4.4-3, C2-27, C2-30: a tenant that uses something is not given up without force, and a dry run
/// shows what would be released.
#[tokio::test]
async fn a_tenant_that_uses_something_is_not_given_up_without_force() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let path = format!("/v1.0/tenants/{id}/resources");
    for name in ["web", "worker"] {
        let put = format!("PUT {path}/ecs-service/{name}");
        let body = json!({ "attributes": { "region": "af-south-1" } });
        assert_eq!(world.root(&put).json(&body).send().await.status, 201);
        // Saying it again is no second resource.
        assert_eq!(world.root(&put).send().await.status, 200);
    }
    let delete = format!("DELETE /v1.0/tenants/{id}");
    let got = world.root(&delete).send().await;
    assert_eq!(got.error(), (422, "ACTIVE_RESOURCES_EXIST".to_owned()));
    assert_eq!(
        (got.detail("count"), got.detail("resources")),
        (
            json!(2),
            json!([
                { "resourceType": "ecs-service", "resourceId": "web" },
                { "resourceType": "ecs-service", "resourceId": "worker" },
            ])
        )
    );
    let status = json!({ "status": "DEPROVISIONED" });
    let patch = world.root(&format!("PATCH /v1.0/tenants/{id}/status")).json(&status);
    assert_eq!(patch.send().await.error().1, "ACTIVE_RESOURCES_EXIST");
    for (force, would) in [(false, false), (true, true)] {
        let plan = world.root(&format!("{delete}?dryRun=true&force={force}")).send().await;
        let json = plan.json();
        assert_eq!((plan.status, &json["wouldSucceed"]), (200, &json!(would)), "{plan:?}");
        assert_eq!(
            (&json["activeResources"], json["resources"].as_array().unwrap().len()),
            (&json!(2), 2)
        );
    }
    assert_eq!(
        world.root(&format!("GET /v1.0/tenants/{id}")).send().await.text("status"),
        "ACTIVE"
    );
    let got = world.root(&format!("{delete}?force=true")).send().await;
    assert_eq!((got.status, got.text("status").as_str()), (200, "DEPROVISIONED"));
    // The receipts come afterwards.
    let got = world.root(&format!("DELETE {path}/ecs-service/web")).send().await;
    assert_eq!((got.status, got.text("resourceStatus").as_str()), (200, "RELEASED"), "{got:?}");
    let got = world.root(&format!("GET {path}?status=ACTIVE")).send().await;
    assert_eq!(got.all("resourceId"), ["worker"]);
    let got = world.root(&format!("PUT {path}/ecs-service/late")).send().await;
    assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()));
}

#[tokio::test]
async fn released_resources_no_longer_count() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let one = format!("/v1.0/tenants/{id}/resources/bucket/data");
    assert_eq!(world.root(&format!("PUT {one}")).send().await.status, 201);
    assert_eq!(world.root(&format!("DELETE {one}")).send().await.status, 200);
    assert_eq!(world.root(&format!("DELETE {one}")).send().await.status, 200, "it is released");
    let missing = world.root(&format!("DELETE {one}2")).send().await;
    assert_eq!(missing.error(), (404, "RESOURCE_NOT_FOUND".to_owned()));
    // It can come back, and counts again.
    assert_eq!(world.root(&format!("PUT {one}")).send().await.status, 200);
    let delete = format!("DELETE /v1.0/tenants/{id}");
    assert_eq!(world.root(&delete).send().await.status, 422);
    world.root(&format!("DELETE {one}")).send().await;
    assert_eq!(world.root(&delete).send().await.status, 200);
    for wrong in ["bad%23type/x", "type/%23"] {
        let put = format!("PUT /v1.0/tenants/{id}/resources/{wrong}");
        assert_eq!(world.root(&put).send().await.status, 400, "{wrong}");
    }
}
