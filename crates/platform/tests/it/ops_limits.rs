//! `/ops/v1.0/limits`: what there is, what is left, and forgiveness (R003-rate-1, R003-rate-2).

use limits::{By, Policies, Policy};
use serde_json::{Value, json};

use crate::ops_world::{MINE, Ops, THEIRS, lasting};
use crate::platform_world::World;

async fn limited() -> Ops {
    let few = Policy::new("few", 3, 60, By::Account).on(&["GET /ops/v1.0/keys"]);
    let mut watched = Policy::new("watched", 1, 60, By::Account).on(&["GET /ops/v1.0/keys"]);
    watched.shadow = true;
    let policies = Policies::new(vec![watched, few]).unwrap();
    Ops::of(World { policies, ..World::in_memory() }).await
}

/// R003-rate-1: a limit is used up, looked at, and forgotten by whoever administers the platform.
#[tokio::test]
async fn a_limit_is_inspected_and_reset() {
    let ops = limited().await;
    for expected in [200, 200, 200, 429] {
        assert_eq!(ops.get("/keys", &ops.admin).await.status, expected);
    }
    let path = format!("/limits/few/account%3A{MINE}");
    let got = ops.get(&path, &ops.admin).await;
    assert_eq!(got.status, 200, "{got:?}");
    let mut state = got.json();
    assert!(state["moreAt"].is_string(), "{state}");
    state.as_object_mut().unwrap().remove("moreAt");
    let link = json!({ "href": format!("/ops/v1.0{path}") });
    let expected = json!({
        "policy": "few", "subject": format!("account:{MINE}"), "limit": 3, "windowSeconds": 60,
        "remaining": 0, "_links": { "self": link },
    });
    assert_eq!(state, expected, "an account cannot forgive itself");
    let seen = ops.get(&path, &ops.root).await.json();
    assert_eq!(seen["_links"]["reset"], link);

    let reset =
        async |bearer: &str| ops.call(&format!("DELETE {path}")).bearer(bearer).send().await;
    let got = reset(&ops.owner).await;
    assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
    assert_eq!(reset(&ops.root).await.status, 204);
    assert_eq!(ops.get("/keys", &ops.admin).await.status, 200);
    let state = ops.get(&path, &ops.admin).await.json();
    assert_eq!(state["remaining"], 2);
    assert_eq!(ops.actions(MINE).await, ["RATE_LIMIT_RESET"]);
    let told = format!("{:?}", ops.items("platform/webhook_events").await);
    assert!(told.contains("rate_limit.reset"), "{told}");
    // Where nothing was counted nothing happens, and it is not recorded.
    let unused = format!("/limits/few/account%3A{THEIRS}");
    assert_eq!(ops.call(&format!("DELETE {unused}")).bearer(&ops.root).send().await.status, 204);
    assert!(ops.actions(THEIRS).await.is_empty());
    let state = ops.get(&unused, &ops.root).await.json();
    assert_eq!((&state["remaining"], state.get("moreAt")), (&json!(3), None));
}

/// R003-rate-1: who is locked out is let in again by the name that they tell, whatever it is counted as;
/// what no limit counts is refused instead of being forgiven for nothing.
#[tokio::test]
async fn somebody_who_is_locked_out_is_forgiven_by_name() {
    let ops = Ops::of(World::in_memory()).await;
    ops.world.person("ada").await;
    let login = async |password: &str| {
        let body = json!({ "name": "ada@example.com", "password": password });
        ops.world.call("POST /auth/login").json(&body).send().await.status
    };
    for _ in 0..5 {
        assert_eq!(login("a wrong password").await, 401);
    }
    assert_eq!(login(crate::identity::PASSWORD).await, 429);
    for name in ["ada%40example.com", "Ada"] {
        let got = ops.get(&format!("/limits/login-target/target%3A{name}"), &ops.root).await;
        assert_eq!((got.status, &got.json()["remaining"]), (200, &json!(0)), "{name}");
    }
    let path = "DELETE /limits/login-target/target%3Aada%40example.com";
    assert_eq!(ops.call(path).bearer(&ops.root).send().await.status, 204);
    assert_eq!(login(crate::identity::PASSWORD).await, 200);
    for path in ["login-target/ada", "account/acc-1", "account/address%3A192.0.2.1"] {
        let got = ops.call(&format!("DELETE /limits/{path}")).bearer(&ops.root).send().await;
        assert_eq!((got.status, got.fields()), (400, vec!["subject".to_owned()]), "{path}");
    }
}

/// R002-9.4-3: a HEAD costs as much as the GET of which it gives the head.
#[tokio::test]
async fn a_head_counts_as_the_get_that_it_is() {
    let ops = limited().await;
    for (method, expected) in
        [("HEAD", 200), ("GET", 200), ("HEAD", 200), ("HEAD", 429), ("GET", 429)]
    {
        let got = ops.call(&format!("{method} /keys")).bearer(&ops.admin).send().await;
        assert_eq!(got.status, expected, "{method}");
    }
}

/// The limits that there are, each with the way to its state, and whom those that watch would refuse.
#[tokio::test]
async fn limits_are_listed() {
    let ops = limited().await;
    for _ in 0..3 {
        ops.get("/keys", &ops.admin).await;
        ops.get("/keys", &ops.stranger).await;
    }
    let got = ops.get("/limits", &ops.admin).await;
    assert_eq!(got.status, 200, "{got:?}");
    let limit = |name: &str, limit: u64, shadow: bool| {
        json!({
            "policy": name, "limit": limit, "windowSeconds": 60, "by": "account",
            "routes": ["GET /ops/v1.0/keys"], "algorithm": "sliding_window", "exact": true,
            "shadow": shadow, "_links": { "state": {
                "href": format!("/ops/v1.0/limits/{name}/account%3A{MINE}") } },
        })
    };
    let refused = |account: &str| {
        json!({ "policy": "watched", "subject": format!("account:{account}"),
        "count": 2 })
    };
    let expected = json!({
        "items": [limit("watched", 1, true), limit("few", 3, false)], "count": 2,
        "wouldRefuse": [refused(MINE)],
    });
    assert_eq!(got.json(), expected);
    let all = ops.get("/limits", &ops.root).await.json();
    assert_eq!(all["wouldRefuse"], json!([refused(MINE), refused(THEIRS)]));
    assert_eq!(all["items"][0]["_links"], json!({}));
    let theirs = ops.get(&format!("/limits?accountId={THEIRS}"), &ops.root).await.json();
    assert_eq!(theirs["wouldRefuse"], json!([refused(THEIRS)]));
    for (path, status) in
        [(format!("/limits?accountId={THEIRS}"), 404), ("/limits?x=1".to_owned(), 400)]
    {
        assert_eq!(ops.get(&path, &ops.admin).await.status, status, "{path}");
    }
    assert_eq!(ops.get("/limits", &ops.member).await.status, 403);
}

/// What is not the account's is as what does not exist: other accounts, addresses, targets, policies.
#[tokio::test]
async fn others_subjects_do_not_exist() {
    let ops = limited().await;
    let (key_id, _) = ops.make_key(&["keys:read"]).await;
    let subjects = [
        format!("account:{MINE}"),
        format!("key:{key_id}"),
        "key:none".to_owned(),
        "address:192.0.2.1".to_owned(),
        "everyone".to_owned(),
        "user:somebody".to_owned(),
    ];
    let none = ops.get("/limits/none/everyone", &ops.stranger).await;
    assert_eq!(none.status, 404);
    for subject in subjects {
        let got = ops.get(&format!("/limits/few/{subject}"), &ops.stranger).await;
        assert_eq!((got.status, lasting(&got)), (404, lasting(&none)), "{subject}");
        let got = ops.get(&format!("/limits/few/{subject}"), &ops.root).await;
        let is_counted = subject.starts_with("account:");
        assert_eq!(got.status, if is_counted { 200 } else { 400 }, "{subject}");
    }
    for (path, field) in
        [("/limits/few/a%23b", "subject"), (&format!("/limits/{}/x", "p".repeat(65)), "policy")]
    {
        let got = ops.get(path, &ops.root).await;
        assert_eq!((got.status, got.fields()), (400, vec![field.to_owned()]), "{path}");
    }
}

/// A key's own limit is looked at and forgotten like any other.
#[tokio::test]
async fn a_keys_own_limit_too() {
    let ops = Ops::new().await;
    let body: Value = json!({ "name": "k", "environment": "live", "scopes": ["keys:read"],
        "limit": { "requests": 1, "windowSeconds": 60 } });
    let made = ops.send("POST /keys", &ops.admin, &body).await.json();
    let secret = made["secret"].as_str().unwrap();
    let path = format!("/limits/api-key/key%3A{}", made["keyId"].as_str().unwrap());
    assert_eq!(ops.get(&path, &ops.admin).await.json()["remaining"], 1);
    assert_eq!(ops.get("/keys", secret).await.status, 200);
    assert_eq!(ops.get("/keys", secret).await.status, 429);
    assert_eq!(ops.get(&path, &ops.admin).await.json()["remaining"], 0);
    assert_eq!(ops.get(&path, &ops.stranger).await.status, 404);
    assert_eq!(ops.call(&format!("DELETE {path}")).bearer(&ops.root).send().await.status, 204);
    assert_eq!(ops.get("/keys", secret).await.status, 200);
    let (plain, _) = ops.make_key(&["keys:read"]).await;
    assert_eq!(ops.get(&format!("/limits/api-key/key%3A{plain}"), &ops.admin).await.status, 404);
}
