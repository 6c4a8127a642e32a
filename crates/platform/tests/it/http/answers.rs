//! What answers look like: envelope and problem, ETags, links, pages, headers.

use serde_json::json;
use web::Settings;

use super::sample::{Things, ask, shell, shell_with};

const BODY: &str = r#"{"name":"a","size":3}"#;

/// R002-6.5b-9, CX-11.
#[tokio::test]
async fn an_error_comes_in_the_envelope() {
    let headers = [("x-request-id", "req-1")];
    let got = ask(&shell(), "POST /v1.0/things", &headers, r#"{"name":"a"}"#).await;
    assert_eq!((got.status, got.header("content-type")), (400, "application/json"));
    let expected = json!({
        "error": {
            "code": "VALIDATION_ERROR",
            "message": "Request validation failed",
            "details": { "errors": [{ "field": "size", "message": "is missing" }] },
        },
        "requestId": "req-1",
        "timestamp": "2025-11-15T09:46:40.123Z",
    });
    assert_eq!(got.json(), expected);
}

#[tokio::test]
async fn who_asks_for_a_problem_gets_one() {
    let headers = [("accept", "application/problem+json"), ("x-request-id", "req-1")];
    let got = ask(&shell(), "GET /v1.0/things/none", &headers, "").await;
    assert_eq!((got.status, got.header("content-type")), (404, "application/problem+json"));
    let expected = json!({
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is nothing here, or nothing that you may see",
        "code": "NOT_FOUND",
        "details": {},
        "requestId": "req-1",
        "timestamp": "2025-11-15T09:46:40.123Z",
    });
    assert_eq!(got.json(), expected);
    let preference = [("accept", "application/problem+json;q=0.5, application/json")];
    let got = ask(&shell(), "GET /v1.0/nothing", &preference, "").await;
    assert_eq!(got.header("content-type"), "application/json");
}

#[tokio::test]
async fn a_version_is_an_etag_and_guards_a_change() {
    let things = Things::default();
    let shell = shell_with(Settings::default(), &things, 100);
    let made = ask(&shell, "POST /v1.0/things", &[], BODY).await;
    assert_eq!(made.header("etag"), "\"v1\"");
    let change = async |tag: &str| {
        let got = ask(&shell, "PATCH /v1.0/things/thing-1", &[("if-match", tag)], "").await;
        (got.status, got.header("etag").to_owned())
    };
    assert_eq!(change("\"v1\"").await, (200, "\"v2\"".to_owned()));
    assert_eq!(change("\"v1\"").await.0, 412, "somebody has changed it");
    assert_eq!(change("W/\"v2\"").await.0, 412, "a weak tag never matches");
    assert_eq!(change("\"v1\", \"v2\"").await.0, 200);
    assert_eq!(change("*").await.0, 200);
    assert_eq!(change("").await.0, 200, "without If-Match the last one wins");
    assert_eq!(change("v5").await.0, 400);
    let gone = async |headers: &[(&str, &str)]| {
        ask(&shell, "DELETE /v1.0/things/thing-1", headers, "").await
    };
    let got = gone(&[]).await;
    assert_eq!((got.status, got.code().as_str()), (428, "PRECONDITION_REQUIRED"));
    let got = gone(&[("if-match", "\"v1\"")]).await;
    assert_eq!((got.status, got.code().as_str()), (412, "PRECONDITION_FAILED"));
    assert_eq!(gone(&[("if-match", "\"v5\"")]).await.status, 204);
}

/// R002-6.2-2: only what this caller may do now, through the mount they came by.
#[tokio::test]
async fn links_show_what_this_caller_may_do_now() {
    let things = Things::default();
    things.put("a b", "mine", 1);
    things.put("two", "mine", 2);
    let shell = shell_with(Settings::default(), &things, 100);
    let links = async |line: &str, who: &str| {
        ask(&shell, line, &[("authorization", who)], "").await.json()["_links"].clone()
    };
    let own = json!({ "self": { "href": "/sample/v1.0/things/a%20b" } });
    assert_eq!(links("GET /sample/v1.0/things/a%20b", "Bearer mine/viewer").await, own);
    let href = json!({ "href": "/v1.0/things/a%20b" });
    let more = json!({ "self": href, "update": href });
    assert_eq!(links("GET /v1.0/things/a%20b", "Bearer mine/admin").await, more);
    let all = links("GET /v1.0/things/two", "Bearer mine/admin").await;
    assert_eq!(all["undo"]["href"], "/v1.0/things/two/undo");
}

/// R002-6.4b-4.
#[tokio::test]
async fn a_page_says_how_to_go_on() {
    let got = ask(&shell(), "GET /v1.0/things?limit=2", &[], "").await;
    let expected = json!({
        "items": [{ "number": 0 }, { "number": 1 }],
        "count": 2,
        "nextToken": "to ken",
        "_links": {
            "self": { "href": "/v1.0/things?limit=2" },
            "next": { "href": "/v1.0/things?limit=2&nextToken=to+ken" },
        },
    });
    assert_eq!(got.json(), expected);
    let line = "GET /v1.0/things?limit=2&nextToken=x";
    let last = ask(&shell(), line, &[], "").await.json();
    assert_eq!((&last["nextToken"], last["_links"].get("next")), (&json!(null), None));
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_from_mischief() {
    for line in ["GET /v1.0/things", "GET /nothing", "PUT /v1.0/things", "GET /health"] {
        let got = ask(&shell(), line, &[], "").await;
        assert_eq!(got.header("x-content-type-options"), "nosniff", "{line}");
        assert_eq!(got.header("x-frame-options"), "DENY", "{line}");
        assert_eq!(got.header("cache-control"), "no-store", "{line}");
        assert!(got.header("content-security-policy").contains("default-src 'none'"), "{line}");
        assert_eq!(got.header("strict-transport-security"), "", "without TLS");
        assert_eq!(got.header("access-control-allow-origin"), "", "nobody is let in unasked");
    }
    let settings = Settings { has_tls: true, ..Settings::default() };
    let got = ask(&shell_with(settings, &Things::default(), 9), "GET /health", &[], "").await;
    assert!(got.header("strict-transport-security").contains("max-age"));
}

#[tokio::test]
async fn only_listed_origins_may_call() {
    let origins = vec!["https://app.example.com".to_owned()];
    let settings = Settings { origins, ..Settings::default() };
    let shell = shell_with(settings, &Things::default(), 100);
    let asked = async |origin: &str| {
        let headers = [("origin", origin), ("access-control-request-method", "POST")];
        let got = ask(&shell, "OPTIONS /v1.0/things", &headers, "").await;
        (got.status, got.header("access-control-allow-origin").to_owned())
    };
    let listed = "https://app.example.com";
    assert_eq!(asked(listed).await, (200, listed.to_owned()));
    assert_eq!(asked("https://evil.example").await.1, "");
    let headers = [("origin", listed)];
    let got = ask(&shell, "GET /v1.0/nothing", &headers, "").await;
    assert_eq!((got.status, got.header("access-control-allow-origin")), (404, listed));
}
