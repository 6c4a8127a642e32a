//! The authorization matrix of `/ops/v1.0`: every route, every kind of caller, their own things and
//! others', compared with the table of permissions (R002-9.2-1).

use std::sync::Arc;

use axum::body::Body;
use http::Request;
use kernel::{Caller, Identity, Role};
use limits::{By, Policies, Policy};
use platform::permissions::{AUTH, OPS};
use serde_json::{Value, json};
use web::matrix::{Cast, Example, Subject, World as Names, run};
use web::seams::Pending;
use web::uncovered;

use crate::ops_world::{MINE, Ops, THEIRS};
use crate::platform_world::World;

const NAMES: Names =
    Names { own_account: MINE, other_account: THEIRS, own_user: "none", other_user: "none" };
const BOTH: &[Subject] = &[Subject::Own, Subject::Others];
const ALL: &[Subject] = &[Subject::Own, Subject::Others, Subject::Missing];
const NONE: &[Subject] = &[Subject::None];

async fn world() -> Ops {
    let policies = Policies::new(vec![Policy::new("all", 1_000_000, 60, By::Account)]).unwrap();
    Ops::of(World { policies, ..World::in_memory() }).await
}

fn account_of(subject: Subject) -> &'static str {
    if subject == Subject::Others { THEIRS } else { MINE }
}

/// A route about an account: its things are named by `accountId`.
fn of_account(
    operation: &'static str,
    line: &'static str,
    body: Option<Value>,
    success: u16,
) -> Example {
    let request = move |subject: Subject| {
        let line = format!("{line}?accountId={}", account_of(subject));
        let request = request(&line, body.as_ref());
        Box::pin(async move { Ok((request, vec![])) }) as Pending<'static, _>
    };
    Example { operation, subjects: BOTH, request: Box::new(request), success }
}

/// A route about a key, of which there is a new one for each cell.
fn of_key(
    ops: &Arc<Ops>,
    operation: &'static str,
    line: &'static str,
    body: Option<Value>,
) -> Example {
    let success = if operation == "rotateKey" { 201 } else { 200 };
    let ops = Arc::clone(ops);
    let request = move |subject: Subject| {
        let (ops, body) = (Arc::clone(&ops), body.clone());
        Box::pin(async move {
            let id = match subject {
                Subject::Missing => "key_00000000000000000000000000".to_owned(),
                _ => ops.plant_key(account_of(subject)).await,
            };
            Ok((request(&line.replace("{id}", &id), body.as_ref()), vec![id]))
        }) as Pending<'static, _>
    };
    Example { operation, subjects: ALL, request: Box::new(request), success }
}

fn of_limit(operation: &'static str, method: &'static str, success: u16) -> Example {
    let request = move |subject: Subject| {
        let policy = if subject == Subject::Missing { "none" } else { "all" };
        let line = format!("{method} /limits/{policy}/account:{}", account_of(subject));
        let request = request(&line, None);
        Box::pin(async move { Ok((request, vec![])) }) as Pending<'static, _>
    };
    Example { operation, subjects: ALL, request: Box::new(request), success }
}

fn open(operation: &'static str, line: &'static str, body: Option<Value>, success: u16) -> Example {
    let request = move |_: Subject| {
        let request = request(line, body.as_ref());
        Box::pin(async move { Ok((request, vec![])) }) as Pending<'static, _>
    };
    Example { operation, subjects: NONE, request: Box::new(request), success }
}

fn request(line: &str, body: Option<&Value>) -> Request<Body> {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(format!("/ops/v1.0{path}"));
    let request = request.header("if-match", "*");
    match body {
        Some(body) => {
            let request = request.header("content-type", "application/json");
            request.body(Body::from(body.to_string())).unwrap()
        }
        None => request.body(Body::empty()).unwrap(),
    }
}

fn examples(ops: &Arc<Ops>) -> Vec<Example> {
    let new = json!({ "name": "k", "environment": "test", "scopes": ["keys:write"] });
    let empty = || Some(json!({}));
    vec![
        of_account("listKeys", "GET /keys", None, 200),
        of_account("createKey", "POST /keys", Some(new), 201),
        of_key(ops, "getKey", "GET /keys/{id}", None),
        of_key(ops, "updateKey", "PATCH /keys/{id}", Some(json!({ "name": "other" }))),
        of_key(ops, "rotateKey", "POST /keys/{id}/rotate", empty()),
        of_key(ops, "disableKey", "POST /keys/{id}/disable", None),
        of_key(ops, "enableKey", "POST /keys/{id}/enable", None),
        of_key(ops, "revokeKey", "POST /keys/{id}/revoke", empty()),
        of_account("verifyKey", "POST /keys/verify", Some(json!({ "key": "x" })), 200),
        open("reportKey", "POST /keys/report", Some(json!({ "key": "x" })), 202),
        of_account("listLimits", "GET /limits", None, 200),
        of_limit("getLimit", "GET", 200),
        of_limit("resetLimit", "DELETE", 204),
        of_account("listAuditEvents", "GET /audit", None, 200),
        of_account("verifyAuditLog", "GET /audit/verify", None, 200),
        of_account("exportAuditLog", "GET /audit/export", None, 200),
        of_account("listAuditCheckpoints", "GET /audit/checkpoints", None, 200),
        open("listAuditPublicKeys", "GET /audit/public-keys", None, 200),
        of_account("getAuditRetention", "GET /audit/retention", None, 200),
        of_account(
            "setAuditRetention",
            "PUT /audit/retention",
            Some(json!({ "retentionDays": 90 })),
            200,
        ),
        of_account("setAuditHold", "PUT /audit/hold", Some(json!({ "held": false })), 200),
        // Whoever may is told that the log is sound.
        of_account("resealAuditLog", "POST /audit/reseal", Some(json!({ "reason": "x" })), 409),
        of_account("listRequests", "GET /requests", None, 200),
    ]
}

async fn cast(ops: &Ops) -> Vec<Cast> {
    let user = |account: Option<&str>, role: Role| {
        let identity = Identity::User { user_id: "u".into(), email: None, session: None };
        let mut caller = Caller::new(identity);
        caller.account_id = account.map(str::to_owned);
        caller.roles.insert(role);
        caller
    };
    let bearer = |token: &str| vec![("authorization", format!("Bearer {token}"))];
    let mut cast = vec![
        Cast { name: "nobody".into(), headers: vec![], caller: Some(Caller::anonymous()) },
        Cast { name: "a bad token".into(), headers: bearer("nonsense"), caller: None },
    ];
    for role in Role::ALL {
        for account in [Some(MINE), None] {
            let token = ops.world.token(role, account).await;
            let name = format!("{} of {account:?}", role.as_str());
            cast.push(Cast { name, headers: bearer(&token), caller: Some(user(account, role)) });
        }
    }
    let scopes: Vec<&str> = OPS.iter().filter_map(|rule| rule.scope).chain(["*", "x:y"]).collect();
    for scope in scopes {
        let key = ops.world.key(MINE, &[scope]).await;
        let identity = Identity::ApiKey { key_id: "k".into(), environment: "test".into() };
        let mut caller = Caller::new(identity);
        caller.account_id = Some(MINE.to_owned());
        caller.scopes = Some([scope.to_owned()].into());
        let headers = vec![("x-api-key", key)];
        cast.push(Cast { name: format!("a key with {scope}"), headers, caller: Some(caller) });
    }
    cast
}

/// Every cell is as the table says, and what is another's cannot be told from what does not exist.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_matrix_is_as_the_table_says() {
    let ops = Arc::new(world().await);
    let (cast, examples) = (cast(&ops).await, examples(&ops));
    let known: Vec<&str> = examples.iter().map(|example| example.operation).collect();
    let report = run(&ops.world.shell, &NAMES, &cast, &examples).await;
    // Other groups of routes have examples of their own.
    let is_ours = |problem: &&String| {
        !problem.ends_with("has no example") || known.iter().any(|name| problem.contains(name))
    };
    let problems: Vec<&String> = report.problems.iter().filter(is_ours).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(report.cells > 1000, "{}", report.cells);
}

/// Every row about keys, limits, the log and requests is demanded by a route, and every route says in a
/// line what it does.
#[tokio::test]
async fn routes_and_table_agree() {
    let ops = world().await;
    let ours = |rule: &&kernel::permissions::Rule| !rule.name.starts_with("webhooks:");
    let rows: Vec<_> = OPS.iter().filter(ours).copied().collect();
    let routes = ops
        .world
        .shell
        .routes()
        .filter(|route| &*route.mount == "/ops/v1.0" && !route.path.contains("/webhooks"));
    let problems = uncovered(routes, &[&rows, AUTH]);
    let problems: Vec<_> =
        problems.iter().filter(|problem| *problem != "no route demands self").collect();
    assert!(problems.is_empty(), "{problems:?}");
    for (path, methods) in ops.world.shell.openapi()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if path.starts_with("/ops/") {
                assert_ne!(operation["summary"], "", "{method} {path}");
            }
        }
    }
}
