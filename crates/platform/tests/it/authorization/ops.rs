//! An example of each route of `/ops/v1.0` but those of webhooks.

use std::sync::Arc;

use identity::keys::{Environment, NewKey};
use serde_json::{Map, json};
use web::Answer;
use web::matrix::{Example, Subject};

use super::stage::{ALL, Asked, BOTH, LIMIT, NONE, Stage, example};

pub fn examples(stage: &Arc<Stage>) -> Vec<Example> {
    [keys(stage), other_keys(stage), limits(stage), audit(stage)].into_iter().flatten().collect()
}

/// A route that is about an account, named in its query.
pub fn of_account(
    stage: &Arc<Stage>,
    operation: &'static str,
    line: &'static str,
    body: Option<serde_json::Value>,
    success: u16,
) -> Example {
    example(stage, operation, BOTH, success, move |stage, subject| {
        let sign = if line.contains('?') { '&' } else { '?' };
        let account = stage.account(subject);
        let asked = Asked::new(format!("{line}{sign}accountId={account}")).id(account);
        let asked = match &body {
            Some(body) => asked.body(body.clone()),
            None => asked,
        };
        async { asked }
    })
}

/// A key in a subject's account: its identifier and secret.
async fn make_key(stage: &Stage, subject: Subject) -> (String, String) {
    if subject == Subject::Missing {
        return ("key_01HZZZZZZZZZZZZZZZZZZZZZZZ".to_owned(), String::new());
    }
    let new = NewKey {
        account_id: stage.account(subject).to_owned(),
        name: "for a cell".to_owned(),
        environment: Environment::Test,
        // Whoever shows a key to somebody must have what it opens.
        scopes: Some(["keys:write".to_owned()].into()),
        expires_at: None,
        metadata: Map::new(),
        limit: None,
        uses_left: None,
    };
    let platform = &stage.world.platform;
    let made = platform.keys().create(new, "test").unwrap();
    let mut change = platform.begin_as("test");
    for write in made.changed.writes {
        change.add(write, changes::Conflict);
    }
    change.record(made.changed.entry);
    change.commit(Answer::no_content()).await.unwrap();
    (made.changed.key.id, made.secret.reveal().clone())
}

/// A route that is about one key.
fn of_key(
    stage: &Arc<Stage>,
    operation: &'static str,
    line: &'static str,
    body: Option<serde_json::Value>,
    success: u16,
) -> Example {
    example(stage, operation, ALL, success, move |stage, subject| {
        let body = body.clone();
        async move {
            let (id, _) = make_key(&stage, subject).await;
            let asked = Asked::new(line.replace("{keyId}", &id)).header("if-match", "\"v1\"");
            let asked = asked.id(id).id(stage.account(subject));
            match body {
                Some(body) => asked.body(body),
                None => asked,
            }
        }
    })
}

fn keys(stage: &Arc<Stage>) -> Vec<Example> {
    let new = json!({ "name": "new", "environment": "test", "scopes": ["keys:write"] });
    let empty = || Some(json!({}));
    vec![
        of_account(stage, "listKeys", "GET /ops/v1.0/keys", None, 200),
        of_account(stage, "createKey", "POST /ops/v1.0/keys", Some(new), 201),
        of_key(stage, "getKey", "GET /ops/v1.0/keys/{keyId}", None, 200),
        of_key(
            stage,
            "updateKey",
            "PATCH /ops/v1.0/keys/{keyId}",
            Some(json!({ "name": "b" })),
            200,
        ),
        of_key(stage, "rotateKey", "POST /ops/v1.0/keys/{keyId}/rotate", empty(), 201),
        of_key(stage, "disableKey", "POST /ops/v1.0/keys/{keyId}/disable", None, 200),
        of_key(stage, "enableKey", "POST /ops/v1.0/keys/{keyId}/enable", None, 200),
        of_key(stage, "revokeKey", "POST /ops/v1.0/keys/{keyId}/revoke", empty(), 200),
    ]
}

fn other_keys(stage: &Arc<Stage>) -> Vec<Example> {
    vec![
        example(stage, "verifyKey", BOTH, 200, |stage, subject| async move {
            let (_, key) = make_key(&stage, subject).await;
            let account = stage.account(subject);
            let line = format!("POST /ops/v1.0/keys/verify?accountId={account}");
            Asked::new(line).body(json!({ "key": key })).id(account)
        }),
        example(stage, "reportKey", NONE, 202, |stage, _| async move {
            let (_, key) = make_key(&stage, Subject::Own).await;
            Asked::new("POST /ops/v1.0/keys/report").body(json!({ "key": key }))
        }),
        of_account(stage, "listRequests", "GET /ops/v1.0/requests", None, 200),
    ]
}

fn limits(stage: &Arc<Stage>) -> Vec<Example> {
    let of_subject = |operation, method: &'static str, success| {
        example(stage, operation, ALL, success, move |stage, subject| {
            let account = stage.account(subject);
            let policy = if subject == Subject::Missing { "unknown" } else { LIMIT };
            let line = format!("{method} /ops/v1.0/limits/{policy}/account:{account}");
            let asked = Asked::new(line).id(account).id(policy);
            async { asked }
        })
    };
    vec![
        of_account(stage, "listLimits", "GET /ops/v1.0/limits", None, 200),
        of_subject("getLimit", "GET", 200),
        of_subject("resetLimit", "DELETE", 204),
    ]
}

fn audit(stage: &Arc<Stage>) -> Vec<Example> {
    let list = |operation, line| of_account(stage, operation, line, None, 200);
    let days = Some(json!({ "retentionDays": 90 }));
    let why = Some(json!({ "reason": "to try it" }));
    let hold = Some(json!({ "held": false }));
    vec![
        list("listAuditEvents", "GET /ops/v1.0/audit"),
        list("verifyAuditLog", "GET /ops/v1.0/audit/verify"),
        list("exportAuditLog", "GET /ops/v1.0/audit/export?format=jsonl"),
        list("listAuditCheckpoints", "GET /ops/v1.0/audit/checkpoints"),
        list("getAuditRetention", "GET /ops/v1.0/audit/retention"),
        of_account(stage, "setAuditRetention", "PUT /ops/v1.0/audit/retention", days, 200),
        of_account(stage, "setAuditHold", "PUT /ops/v1.0/audit/hold", hold, 200),
        // Nothing is wrong with these logs, and whoever may seal them anew is told so.
        of_account(stage, "resealAuditLog", "POST /ops/v1.0/audit/reseal", why, 409),
        example(stage, "listAuditPublicKeys", NONE, 200, |_, _| async {
            Asked::new("GET /ops/v1.0/audit/public-keys")
        }),
    ]
}
