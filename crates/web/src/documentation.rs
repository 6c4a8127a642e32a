//! `/docs`: the OpenAPI document, and a page that shows it. Everything is in the binary: nothing is
//! fetched from elsewhere, and the page's policy forbids it.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use serde_json::Value;

use super::Answer;
use crate::response::response_of;

const PAGE: &str = include_str!("documentation/page.html");
const SCRIPT: &str = include_str!("documentation/page.js");
const STYLE: &str = include_str!("documentation/page.css");

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

pub(super) fn router(document: &Arc<Value>) -> Router {
    let document = document.to_string();
    let file = |kind: &'static str, text: String| {
        let answer = Answer::bytes(kind, text)
            .with(CONTENT_SECURITY_POLICY, POLICY)
            .with(CACHE_CONTROL, FRESH);
        get(move || std::future::ready(response_of(answer.clone())))
    };
    Router::new()
        .route("/docs", file("text/html; charset=utf-8", PAGE.to_owned()))
        .route("/docs/page.js", file("text/javascript; charset=utf-8", SCRIPT.to_owned()))
        .route("/docs/page.css", file("text/css; charset=utf-8", STYLE.to_owned()))
        .route("/docs/openapi.json", file("application/json", document))
}
