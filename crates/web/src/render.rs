//! How an error leaves: in the envelope of document 002, or as RFC 9457 asks if the caller does.

use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use kernel::error::Error;
use kernel::moment::Moment;
use serde_json::{Value, json};

use super::Answer;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// What of a request its errors need.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub request_id: String,
    pub now: Moment,
    pub is_problem: bool,
}

impl Style {
    pub(super) fn new(headers: &HeaderMap, request_id: String, now: Moment) -> Style {
        Style { request_id, now, is_problem: prefers_problem(headers) }
    }

    pub(super) fn answer(&self, error: &Error) -> Answer {
        let status =
            StatusCode::from_u16(error.code().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (kind, body) = match self.is_problem {
            true => (PROBLEM, self.problem(error, status)),
            false => (JSON, self.envelope(error)),
        };
        let body = body.to_string().into_bytes().into();
        let mut answer = Answer { body, ..Answer::empty(status) }
            .with(CONTENT_TYPE, kind)
            .with(VARY, HeaderValue::from_static("accept"));
        if let Some(wait) = error.retries_after() {
            // Rounded up: who comes too early is refused again.
            let seconds = wait.as_millis().div_ceil(1000).max(1);
            answer = answer.with(RETRY_AFTER, u64::try_from(seconds).unwrap_or(u64::MAX).into());
        }
        if status == StatusCode::UNAUTHORIZED {
            answer = answer.with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }

    fn envelope(&self, error: &Error) -> Value {
        json!({
            "error": {
                "code": error.code().name,
                "message": error.to_string(),
                "details": error.details(),
            },
            "requestId": self.request_id,
            "timestamp": self.now,
        })
    }

    fn problem(&self, error: &Error, status: StatusCode) -> Value {
        json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or("Error"),
            "status": status.as_u16(),
            "detail": error.to_string(),
            "code": error.code().name,
            "details": error.details(),
            "requestId": self.request_id,
            "timestamp": self.now,
        })
    }
}

/// Whether the caller names problem+json, and does not like plain JSON better.
fn prefers_problem(headers: &HeaderMap) -> bool {
    let mut qualities = [0.0f32; 2];
    for value in headers.get_all(ACCEPT) {
        for range in value.to_str().unwrap_or_default().split(',') {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
            let place = match kind.as_str() {
                "application/problem+json" => 0,
                "application/json" => 1,
                _ => continue,
            };
            qualities[place] = quality.unwrap_or(1.0);
        }
    }
    qualities[0] > 0.0 && qualities[0] >= qualities[1]
}
