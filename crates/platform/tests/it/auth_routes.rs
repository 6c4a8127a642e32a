//! The routes of `/auth`: what they answer with when all is well.

use std::time::Duration;

use identity::UserStatus;
use kernel::Role;
use platform::permissions::AUTH;
use serde_json::{Value, json};
use web::uncovered;

use crate::auth_life::Life;
use crate::identity::PASSWORD;
use crate::platform_world::{PlatformWorld, World};

/// R001-users-2 to R001-users-12, C1-28: register, verify, log in, second factor, refresh, reuse, log
/// out everywhere, reset, change, log out.
#[tokio::test]
async fn the_whole_life_of_a_user() {
    let world = PlatformWorld::new().await;
    Life::new(&world).live().await;
}

/// R001-users-12: that a recovery code was used up is recorded, and how many are left.
#[tokio::test]
async fn a_recovery_code_leaves_a_trace() {
    let world = PlatformWorld::new().await;
    let mut life = Life::new(&world);
    let pair = life.join().await;
    life.set_up_app(&pair.access).await;
    let code = life.secrets.iter().find(|(what, _)| *what == "recovery code").unwrap().1.clone();
    let login = json!({ "name": "grace", "password": crate::auth_life::PASSWORD });
    let challenge = life.expect(202, "POST /auth/login", None, login).await["challenge"].clone();
    let second = json!({ "challenge": challenge, "code": code });
    life.expect(200, "POST /auth/login/second-factor", None, second).await;
    let root = world.token(kernel::Role::PlatformAdmin, None).await;
    let line = "GET /ops/v1.0/audit?accountId=*&type=AUTH&action=RECOVERY_CODE_USED";
    let found = world.call(line).bearer(&root).send().await.json();
    assert_eq!((&found["count"], &found["items"][0]["details"]["left"]), (&json!(1), &json!(9)));
}

/// Every route has a permission of the table, and every row has a route.
#[tokio::test]
async fn routes_and_permissions_agree() {
    let world = PlatformWorld::new().await;
    let routes: Vec<_> = world.shell.routes().filter(|route| route.service == "auth").collect();
    assert_eq!(routes.len(), 20, "18 and the key set twice");
    assert_eq!(uncovered(routes, &[AUTH]), Vec::<String>::new());
}

/// R003-audit-2: who logged in is the actor of the entry, though the request came from nobody known.
#[tokio::test]
async fn a_login_is_recorded_as_done_by_who_logged_in() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let body = json!({ "name": "ada", "password": PASSWORD });
    assert_eq!(world.call("POST /auth/login").json(&body).send().await.status, 200);
    let root = world.token(Role::PlatformAdmin, None).await;
    let line = format!("GET /ops/v1.0/audit?accountId={}&type=AUTH", ada.account_id);
    let got = world.call(&line).bearer(&root).send().await.json();
    let mut entries = got["items"].as_array().unwrap().iter();
    let login = entries.find(|entry| entry["action"] == "LOGIN").unwrap();
    let actor = json!({ "type": "user", "id": ada.user_id, "name": ada.email });
    assert_eq!(login["actor"], actor, "{login}");
}

/// R002-6.1-1: who somebody is, and only what they may do now.
#[tokio::test]
async fn me_shows_user_roles_account_session_and_what_may_be_done() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let got = world.call("GET /auth/me").bearer(&ada.access_token).send().await;
    let me = got.json();
    assert_eq!(got.status, 200, "{me}");
    let user = &me["user"];
    assert_eq!((&user["userId"], &user["email"]), (&json!(ada.user_id), &json!(ada.email)));
    assert_eq!((&user["status"], &user["secondFactor"]), (&json!("active"), &json!(false)));
    assert_eq!(me["roles"], json!(["owner"]));
    let account = json!({ "accountId": ada.account_id, "name": "ada the tester" });
    assert_eq!(me["account"], account);
    assert_eq!(
        (&me["session"]["session"], &me["session"]["current"]),
        (&json!(ada.session), &json!(true))
    );
    let relations =
        |me: &Value| -> Vec<String> { me["_links"].as_object().unwrap().keys().cloned().collect() };
    let expected = [
        "changePassword",
        "confirmSecondFactor",
        "enrolSecondFactor",
        "logout",
        "logoutEverywhere",
        "notifications",
        "self",
        "sessions",
    ];
    assert_eq!(relations(&me), expected);
    // Nobody's password is kept here for a script's token: nothing of it is offered, and all refused.
    let script = world.token(Role::Auditor, None).await;
    let me = world.call("GET /auth/me").bearer(&script).send().await.json();
    assert_eq!((&me["roles"], relations(&me)), (&json!(["auditor"]), vec!["self".to_owned()]));
    assert_eq!((&me["account"], &me["session"]), (&Value::Null, &Value::Null));
    let body = json!({ "password": "a sentence nobody else has" });
    let got = world.call("POST /auth/second-factor").bearer(&script).json(&body).send().await;
    assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
    for line in ["GET /auth/sessions", "GET /auth/notifications"] {
        let got = world.call(line).bearer(&script).send().await;
        assert_eq!((got.status, &got.json()["count"]), (200, &json!(0)), "{line}");
    }
}

/// A key is no person: `/auth` is not for it.
#[tokio::test]
async fn keys_and_strangers_are_refused_where_a_person_is_asked_for() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let key = world.key(&ada.account_id, &["keys:read", "keys:write"]).await;
    let own = world.shell.routes().filter(|route| route.rule.name == "self");
    let own: Vec<String> = own
        .map(|route| format!("{} {}", route.method, route.path.replace(['{', '}'], "")))
        .collect();
    assert_eq!(own.len(), 9, "{own:?}");
    for line in own {
        assert_eq!(world.call(&line).send().await.status, 401, "{line}");
        let bad = world.call(&line).bearer("a.b.c").send().await;
        assert_eq!(bad.status, 401, "{line}");
        let by_key = world.call(&line).bearer(&key).send().await;
        assert_eq!((by_key.status, by_key.code().as_str()), (403, "FORBIDDEN"), "{line}");
    }
}

/// A user who was suspended is out at once, and cannot come back.
#[tokio::test]
async fn whoever_is_suspended_is_out() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let commits = world.platform.commits_as("test");
    let identity = world.platform.identity();
    identity.set_status(&commits, &ada.user_id, UserStatus::Suspended).await.unwrap();
    assert_eq!(world.call("GET /auth/me").bearer(&ada.access_token).send().await.status, 401);
    let refresh = json!({ "refreshToken": ada.refresh_token });
    assert_eq!(world.call("POST /auth/refresh").json(&refresh).send().await.status, 401);
    let login = json!({ "name": "ada", "password": crate::identity::PASSWORD });
    let got = world.call("POST /auth/login").json(&login).send().await;
    assert_eq!((got.status, got.code().as_str()), (403, "FORBIDDEN"));
}

/// RFC 7517: the same keys at the root and below `/auth`, public, cacheable, and nothing private.
#[tokio::test]
async fn the_key_set_is_public() {
    let world = PlatformWorld::new().await;
    world.person("ada").await;
    let [root, below] = ["GET /.well-known/jwks.json", "GET /auth/.well-known/jwks.json"];
    let got = world.call(root).send().await;
    assert_eq!((got.status, got.header("cache-control")), (200, "public, max-age=300"));
    let keys = got.json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1, "{keys}");
    let key = keys["keys"][0].as_object().unwrap();
    let mut members: Vec<&str> = key.keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["alg", "crv", "kid", "kty", "use", "x"]);
    assert_eq!(world.call(below).send().await.body, got.body);
}

/// R003-idem-1: an answer with tokens is never kept. The same key twice is two logins, and what can be
/// kept is.
#[tokio::test]
async fn answers_with_tokens_are_never_given_again() {
    let world = PlatformWorld::new().await;
    let ada = world.person("ada").await;
    let login = json!({ "name": "ada", "password": crate::identity::PASSWORD });
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let call = world.call("POST /auth/login").header("idempotency-key", "same");
        let got = call.json(&login).send().await;
        assert_eq!((got.status, got.header("idempotent-replayed")), (200, ""));
        assert_eq!(got.header("cache-control"), "no-store");
        sessions.push(got.json()["session"].clone());
    }
    assert_ne!(sessions[0], sessions[1]);
    let document = world.shell.openapi();
    let mut kept: Vec<&str> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().unwrap();
            let takes_key = parameters.iter().any(|one| one["name"] == "Idempotency-Key");
            if path.starts_with("/auth") && method != "get" && takes_key {
                kept.push(operation["operationId"].as_str().unwrap());
            }
        }
    }
    kept.sort_unstable();
    assert_eq!(kept, ["logoutEverywhere", "readNotification"]);
    let everywhere = async || {
        let call = world.call("POST /auth/logout-everywhere").bearer(&ada.access_token);
        call.header("idempotency-key", "out").send().await
    };
    assert_eq!(everywhere().await.status, 204);
    assert_eq!(everywhere().await.status, 401, "who is out is not told what was answered");
    let script = world.token(kernel::Role::Owner, Some("acc-1")).await;
    let got = world.call("POST /auth/logout-everywhere").bearer(&script).send().await;
    assert_eq!(got.status, 403, "nothing of it would end: {got:?}");
}

/// R001-notifications-1, R001-notifications-8: pages of one's own, and nobody else's.
#[tokio::test]
async fn notifications_are_ones_own() {
    let world = World::in_memory().unlimited().open().await;
    let (ada, eve) = (world.person("ada").await, world.person("eve").await);
    let login = json!({ "name": "ada", "password": crate::identity::PASSWORD });
    for host in 2..5 {
        world.advance(Duration::from_secs(1));
        let call = world.call("POST /auth/login").from([192, 0, 2, host]);
        assert_eq!(call.json(&login).send().await.status, 200);
    }
    let list = async |path: &str, token: &str| {
        let got = world.call(&format!("GET {path}")).bearer(token).send().await;
        assert_eq!(got.status, 200, "{:?}", got.json());
        got.json()
    };
    let page = list("/auth/notifications?limit=2", &ada.access_token).await;
    assert_eq!(
        (page["count"].clone(), page["items"][0]["subject"].clone()),
        (json!(2), json!("A new login"))
    );
    let next = page["_links"]["next"]["href"].as_str().unwrap();
    let rest = list(next, &ada.access_token).await;
    assert_eq!((&rest["count"], &rest["nextToken"]), (&json!(1), &Value::Null));
    assert_eq!(list("/auth/notifications", &eve.access_token).await["count"], 0);
    let foreign = world.call(&format!("GET {next}")).bearer(&eve.access_token).send().await;
    assert_eq!((foreign.status, foreign.fields()), (400, vec!["nextToken".to_owned()]));
    let read = page["items"][0]["_links"]["read"]["href"].as_str().unwrap();
    let others = world.call(&format!("POST {read}")).bearer(&eve.access_token).send().await;
    let id = page["items"][0]["notificationId"].as_str().unwrap();
    let missing = read.replace(id, "123e4567-e89b-42d3-a456-426614174000");
    let none = world.call(&format!("POST {missing}")).bearer(&ada.access_token).send().await;
    let said = |got: &crate::http::sample::Got| (got.status, got.json()["error"].clone());
    assert_eq!((said(&others), others.status), (said(&none), 404));
    for _ in 0..2 {
        let got = world.call(&format!("POST {read}")).bearer(&ada.access_token).send().await;
        assert_eq!((got.status, &got.json()["status"]), (200, &json!("read")));
    }
}
