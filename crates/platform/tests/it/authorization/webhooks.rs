//! An example of each route of `/ops/v1.0/webhooks`.

use std::sync::Arc;

use changes::Event;
use serde_json::{Value, json};
use web::Answer;
use web::matrix::{Example, Subject};
use webhooks::{ENDPOINTS_MAX, NewEndpoint, Planned};

use super::ops::of_account;
use super::stage::{ALL, Asked, Stage, example};

const ENDPOINTS: &str = "/ops/v1.0/webhooks/endpoints";
const EVENTS: &str = "/ops/v1.0/webhooks/events";
const URL: &str = "https://hooks.example.com/plinth";

pub fn examples(stage: &Arc<Stage>) -> Vec<Example> {
    [endpoints(stage), messages(stage)].into_iter().flatten().collect()
}

/// An endpoint in a subject's account.
async fn make_endpoint(stage: &Stage, subject: Subject) -> String {
    if subject == Subject::Missing {
        return "ep_01HZZZZZZZZZZZZZZZZZZZZZZZ".to_owned();
    }
    let (endpoints, account) = (stage.world.platform.endpoints(), stage.account(subject));
    // An account has so many at most: the oldest are of cells that were tried.
    let page = endpoints.list(account, "test", ENDPOINTS_MAX, None).await.unwrap();
    let room = ENDPOINTS_MAX as usize / 2;
    for old in page.items.iter().take(page.items.len().saturating_sub(room)) {
        commit(stage, endpoints.delete(account, &old.id, None).await.unwrap()).await;
    }
    let new = NewEndpoint { url: URL.to_owned(), ..NewEndpoint::default() };
    commit(stage, endpoints.create(account, new).await.unwrap()).await.endpoint.id
}

async fn commit<T>(stage: &Stage, planned: Planned<T>) -> T {
    let mut change = stage.world.platform.begin_as("test");
    for write in planned.writes {
        change.add(write, changes::Conflict);
    }
    change.commit(Answer::no_content()).await.unwrap();
    planned.value
}

/// An event in a subject's account.
async fn make_event(stage: &Stage, subject: Subject) -> String {
    if subject == Subject::Missing {
        return "evt_01HZZZZZZZZZZZZZZZZZZZZZZZ".to_owned();
    }
    let (platform, account) = (&stage.world.platform, stage.account(subject));
    // Events have an order: this one is the newest.
    stage.world.advance(std::time::Duration::from_millis(1));
    let mut change = platform.begin_as("test");
    change.emit(Event::new("cell.tried", account, json!({})));
    change.commit(Answer::no_content()).await.unwrap();
    let page = platform.messages().list(account, "test", 1, None).await.unwrap();
    page.items.first().unwrap().id.clone()
}

/// A route that is about one endpoint.
fn of_endpoint(
    stage: &Arc<Stage>,
    operation: &'static str,
    method: &'static str,
    rest: &'static str,
    body: Option<Value>,
    success: u16,
) -> Example {
    example(stage, operation, ALL, success, move |stage, subject| {
        let body = body.clone();
        async move {
            let id = make_endpoint(&stage, subject).await;
            let account = stage.account(subject);
            let sign = if rest.contains('?') { '&' } else { '?' };
            let line = format!("{method} {ENDPOINTS}/{id}{rest}{sign}accountId={account}");
            let asked = Asked::new(line).id(id).id(account);
            match body {
                Some(body) => asked.body(body),
                None => asked,
            }
        }
    })
}

fn endpoints(stage: &Arc<Stage>) -> Vec<Example> {
    let new = Some(json!({ "url": URL }));
    let patch = Some(json!({ "description": "another" }));
    let one = |operation, method, rest, body, success| {
        of_endpoint(stage, operation, method, rest, body, success)
    };
    vec![
        of_account(stage, "listWebhookEndpoints", "GET /ops/v1.0/webhooks/endpoints", None, 200),
        of_account(stage, "createWebhookEndpoint", "POST /ops/v1.0/webhooks/endpoints", new, 201),
        one("getWebhookEndpoint", "GET", "", None, 200),
        one("updateWebhookEndpoint", "PATCH", "", patch, 200),
        one("deleteWebhookEndpoint", "DELETE", "", None, 204),
        one("rotateWebhookSecret", "POST", "/rotate", Some(json!({})), 200),
        one("enableWebhookEndpoint", "POST", "/enable", None, 200),
        one("disableWebhookEndpoint", "POST", "/disable", None, 200),
    ]
}

fn messages(stage: &Arc<Stage>) -> Vec<Example> {
    let range = json!({ "from": "2030-01-01T00:00:00Z", "to": "2030-12-31T00:00:00Z" });
    let one = |operation, method, rest, body, success| {
        of_endpoint(stage, operation, method, rest, body, success)
    };
    let of_event = |operation, method: &'static str, rest: &'static str, sends: bool, success| {
        example(stage, operation, ALL, success, move |stage, subject| async move {
            let event = make_event(&stage, subject).await;
            let account = stage.account(subject);
            let line = format!("{method} {EVENTS}/{event}{rest}?accountId={account}");
            let asked = Asked::new(line).id(event).id(account);
            if !sends {
                return asked;
            }
            // What is missing is the event, not the endpoint.
            let whose = if subject == Subject::Others { subject } else { Subject::Own };
            let endpoint = make_endpoint(&stage, whose).await;
            asked.body(json!({ "endpointId": endpoint })).id(endpoint)
        })
    };
    vec![
        one("testWebhookEndpoint", "POST", "/test", None, 202),
        one("replayWebhookEvents", "POST", "/replay", Some(range), 202),
        one("listWebhookDeliveries", "GET", "/deliveries", None, 200),
        one("listMissingWebhookEvents", "GET", "/missing?since=2030-01-01T00:00:00Z", None, 200),
        of_account(stage, "listWebhookEvents", "GET /ops/v1.0/webhooks/events", None, 200),
        of_event("getWebhookEvent", "GET", "", false, 200),
        of_event("listWebhookAttempts", "GET", "/attempts", false, 200),
        of_event("resendWebhookEvent", "POST", "/resend", true, 202),
    ]
}
