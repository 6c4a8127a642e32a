//! The order of the pipeline and what it does with faults.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use web::{Health, Settings, Shell};

use super::sample::{Things, ask, request, send, shell, shell_with};
use crate::captured_log::CapturedLog;

const BODY: &str = r#"{"name":"a","size":3}"#;

#[tokio::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced() {
    for id in ["a", "req-1_2.3:4", &"x".repeat(128)] {
        let got = ask(&shell(), "GET /nothing", &[("x-request-id", id)], "").await;
        assert_eq!(got.header("x-request-id"), id);
        assert_eq!(got.json()["requestId"], id);
    }
    for id in ["", "a b", "<script>", &"x".repeat(129)] {
        let got = ask(&shell(), "GET /nothing", &[("x-request-id", id)], "").await;
        assert_eq!(got.header("x-request-id").len(), 26, "{id}");
        assert_ne!(got.header("x-request-id"), id);
        assert_eq!(got.json()["requestId"], got.header("x-request-id"));
    }
}

#[tokio::test]
async fn identity_comes_before_permission_and_permission_before_the_body() {
    let status = async |who: &str| {
        ask(&shell(), "POST /v1.0/things", &[("authorization", who)], "no json").await.status
    };
    assert_eq!(status("").await, 401, "nobody");
    assert_eq!(status("Bearer rubbish").await, 401, "not accepted");
    assert_eq!(status("Bearer mine/viewer").await, 403);
    assert_eq!(status("Bearer mine/admin").await, 400);
    let got = ask(&shell(), "GET /v1.0/things", &[("authorization", "")], "").await;
    assert_eq!((got.header("www-authenticate"), got.code().as_str()), ("Bearer", "UNAUTHORIZED"));
    let got = ask(&shell(), "GET /v1.0/greeting", &[("authorization", "")], "").await;
    assert_eq!(got.status, 204);
    let got = ask(&shell(), "GET /v1.0/greeting", &[("authorization", "rubbish")], "").await;
    assert_eq!(got.status, 401, "a bad credential is refused where none is needed, too");
}

/// R002-6.5b-7, R002-9.4-3.
#[tokio::test]
async fn limits_are_on_every_answer_and_count_guesses_too() {
    let shell = shell_with(Settings::default(), &Things::default(), 2);
    let got = ask(&shell, "GET /v1.0/things", &[], "").await;
    assert_eq!((got.status, got.header("ratelimit")), (200, "\"all\";r=2;t=60"));
    let got = ask(&shell, "GET /v1.0/things", &[("authorization", "Bearer guess")], "").await;
    assert_eq!((got.status, got.header("ratelimit")), (401, "\"all\";r=1;t=60"));
    let got = ask(&shell, "GET /v1.0/things", &[("authorization", "Bearer guess")], "").await;
    assert_eq!((got.status, got.header("ratelimit")), (429, "\"all\";r=0;t=60"));
    assert_eq!((got.header("retry-after"), got.code().as_str()), ("2", "RATE_LIMITED"));
}

/// CX-15.
#[tokio::test]
async fn a_key_gives_the_first_answer_again_byte_for_byte() {
    let things = Things::default();
    let shell = shell_with(Settings::default(), &things, 100);
    let post = async |key: &str, body: &str| {
        ask(&shell, "POST /v1.0/things", &[("idempotency-key", key)], body).await
    };
    let first = post("k1", BODY).await;
    let again = post("k1", BODY).await;
    assert_eq!((first.status, again.status), (201, 201));
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("location"), again.header("location"));
    assert_eq!(
        (first.header("idempotent-replayed"), again.header("idempotent-replayed")),
        ("", "true")
    );
    assert_ne!(first.header("x-request-id"), again.header("x-request-id"));
    assert_eq!(things.0.lock().unwrap().len(), 1, "it was done once");
    assert_eq!(post("k1", r#"{"name":"b","size":3}"#).await.status, 422);
    // A refusal of the handler's inputs is an answer too; a fault of ours is none.
    let refused = post("k2", "{}").await;
    assert_eq!(refused.body, post("k2", "{}").await.body);
    assert_eq!(post("k3", r#"{"name":"panic","size":3}"#).await.status, 500);
    assert_eq!(post("k3", BODY).await.status, 201);
    for key in ["a b", &"x".repeat(256)] {
        assert_eq!(post(key, BODY).await.fields(), ["Idempotency-Key"]);
    }
}

#[tokio::test]
async fn a_panic_is_a_fault_of_ours_and_tells_nothing() {
    let got = ask(&shell(), "POST /v1.0/things", &[], r#"{"name":"panic","size":3}"#).await;
    assert_eq!((got.status, got.code().as_str()), (500, "INTERNAL_ERROR"));
    assert!(!String::from_utf8_lossy(&got.body).contains("swordfish"));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_given_up() {
    let got = ask(&shell(), "POST /v1.0/things", &[], r#"{"name":"slow","size":3}"#).await;
    assert_eq!((got.status, got.code().as_str()), (504, "TIMEOUT"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_given_up() {
    let never =
        futures_util::stream::pending::<Result<http_body::Frame<bytes::Bytes>, std::io::Error>>();
    let body = axum::body::Body::new(http_body_util::StreamBody::new(never));
    let got = send(&shell(), request("POST /v1.0/things", &[], BODY).map(|_| body)).await;
    assert_eq!((got.status, got.code().as_str()), (408, "REQUEST_TIMEOUT"));
}

#[tokio::test]
async fn health_and_metrics_tell_how_it_goes() {
    let shell = shell();
    let got = ask(&shell, "GET /health", &[], "").await;
    assert_eq!((got.status, &got.json()["status"]), (200, &Value::from("ok")));
    for (health, status, told) in [
        (Health::ReadOnly("no room".to_owned()), 200, "read-only"),
        (Health::Stopped("no disk".to_owned()), 503, "stopped"),
    ] {
        let clock = Arc::new(kernel::clock::SystemClock);
        let ids = kernel::Ids::new(Arc::new(store::SystemRandomness));
        let shell = Shell::builder(clock, ids).health(move || health.clone()).build().unwrap();
        let got = ask(&shell, "GET /health", &[], "").await;
        assert_eq!((got.status, &got.json()["status"]), (status, &Value::from(told)));
        assert!(got.json()["reason"].as_str().unwrap().starts_with("no "), "{got:?}");
    }
    ask(&shell, "GET /v1.0/things/secret-id?token=canary", &[], "").await;
    assert_eq!(ask(&shell, "GET /metrics", &[], "").await.status, 403, "from nobody knows where");
    let mut local = request("GET /metrics", &[], "");
    local.extensions_mut().insert(SocketAddr::from(([127, 0, 0, 1], 1)));
    let got = send(&shell, local).await;
    let text = String::from_utf8(got.body).unwrap();
    let line = "plinth_http_requests_total{service=\"sample\",method=\"GET\",\
                route=\"/v1.0/things/{thingId}\",status=\"404\"} 1";
    assert!(text.contains(line), "{text}");
    assert!(!text.contains("secret-id") && !text.contains("canary"));
}

/// R002-10.4-1, R002-10.4-2.
#[tokio::test]
async fn one_line_per_request_has_the_fields_of_the_document_and_no_secret() {
    let log = CapturedLog::start();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let headers = [("x-request-id", "line-1"), ("traceparent", trace)];
    let shell = shell();
    ask(&shell, "POST /v1.0/things?token=canary", &headers, BODY).await;
    let nobody = [("x-request-id", "line-2"), ("authorization", "")];
    ask(&shell, "GET /v1.0/things/x?token=canary", &nobody, "").await;
    let bad = [("x-request-id", "line-3"), ("authorization", "Bearer canary")];
    ask(&shell, "GET /v1.0/things/x", &bad, "").await;
    let text = log.text();
    let text: String =
        text.lines().filter(|line| line.contains("\"line-")).collect::<Vec<_>>().join("\n");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    let first = &lines[0];
    let expected = [
        ("level", "INFO"),
        ("service", "sample"),
        ("function", "createThing"),
        ("requestId", "line-1"),
        ("xrayTraceId", "1-4bf92f35-77b34da6a3ce929d0e0e4736"),
        ("tenantId", "mine"),
        ("action", "CREATE_THING"),
        ("status", "SUCCESS"),
        ("message", "a request was answered"),
    ];
    for (name, value) in expected {
        assert_eq!(first[name], value, "{name} in {text}");
    }
    assert!(first["timestamp"].is_string() && first["duration"].is_number(), "{text}");
    assert_eq!(
        (&lines[1]["status"], &lines[1]["errorCode"]),
        (&"FAILURE".into(), &"UNAUTHORIZED".into())
    );
    let without_reason = text.replace("canary-token", "");
    assert!(!without_reason.contains("canary"), "{text}");
    assert!(text.contains("canary-token"), "why it was refused is for the log");
}

#[tokio::test]
async fn the_time_is_a_setting() {
    let settings = Settings { time_max: Duration::from_millis(20), ..Settings::default() };
    let shell = shell_with(settings, &Things::default(), 9);
    let got = ask(&shell, "POST /v1.0/things", &[], r#"{"name":"slow","size":3}"#).await;
    assert_eq!(got.status, 504);
}
