//! Which web pages may call the DynamoDB API, and what their browsers are told (CORS).
//!
//! The service lets every origin in: a request is signed, and a page without a key gets nothing. So
//! does this server, unless it is told which origins it is for. A server that takes every request
//! without looking at its signature is open to loopback origins only: otherwise any page that a
//! browser on this machine shows could read and change the tables.

use std::net::{Ipv4Addr, Ipv6Addr};

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
    CONTENT_TYPE, HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::answer::{self, Answer, RequestId};

/// Seconds for which a browser keeps the answer to a preflight request: two days, as the service.
const MAX_AGE_SECONDS: HeaderValue = HeaderValue::from_static("172800");

/// The origins whose pages may call the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOrigins {
    /// These, or any if there is none.
    pub listed: Vec<String>,
    /// Of those, only what is on this machine.
    pub only_loopback: bool,
}

impl AllowedOrigins {
    /// Whether a page of this origin may call.
    fn allows(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        let is_listed = self.listed.is_empty() || self.listed.iter().any(|known| known == origin);
        is_listed && (!self.only_loopback || is_loopback(origin))
    }

    /// What a browser is told in `Access-Control-Allow-Origin`.
    fn shown(&self, origin: &HeaderValue) -> HeaderValue {
        if self.listed.is_empty() && !self.only_loopback {
            HeaderValue::from_static("*")
        } else {
            origin.clone()
        }
    }
}

/// Whether an origin is on this machine: `http://localhost:3000`, `http://127.0.0.1`.
fn is_loopback(origin: &str) -> bool {
    let Some((_, authority)) = origin.split_once("://") else { return false };
    if let Some(literal) = authority.strip_prefix('[') {
        let address = literal.split_once(']').map(|(address, _)| address.parse::<Ipv6Addr>());
        return matches!(address, Some(Ok(address)) if address.is_loopback());
    }
    let host = authority.split(':').next().unwrap_or_default();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The answer to a browser that asks whether it may call, or to a page that may not; nothing for a
/// request that is to be executed.
pub(super) fn preflight(
    origins: &AllowedOrigins,
    head: &Parts,
    request_id: &RequestId,
) -> Option<Answer> {
    let origin = head.headers.get(ORIGIN)?;
    if !origins.allows(origin) {
        let text = "Pages of this origin may not call this server.\n";
        return Some(answer::text(StatusCode::FORBIDDEN, text, request_id));
    }
    if head.method != Method::OPTIONS {
        return None;
    }
    let mut answer = answer::text(StatusCode::OK, "", request_id);
    let headers = answer.headers_mut();
    headers.remove(CONTENT_TYPE);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
    for (asked, told) in [
        (ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_ALLOW_HEADERS),
        (ACCESS_CONTROL_REQUEST_METHOD, ACCESS_CONTROL_ALLOW_METHODS),
    ] {
        if let Some(value) = head.headers.get(asked) {
            headers.insert(told, value.clone());
        }
    }
    Some(answer)
}

/// Tells a page that may call that it may read the answer.
pub(super) fn allow(origins: &AllowedOrigins, head: &Parts, answer: &mut Answer) {
    let Some(origin) = head.headers.get(ORIGIN).filter(|origin| origins.allows(origin)) else {
        return;
    };
    let shown = origins.shown(origin);
    if shown == origin {
        answer.headers_mut().insert(VARY, HeaderValue::from_static("Origin"));
    }
    answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_told_from_what_looks_like_it() {
        for origin in [
            "http://localhost",
            "http://localhost:3000",
            "https://app.localhost:8443",
            "http://127.0.0.1:5173",
            "http://127.8.9.10",
            "http://[::1]:3000",
        ] {
            assert!(is_loopback(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://",
            "https://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://notlocalhost",
            "http://example.com/localhost",
            "http://[::2]",
            "http://[::1",
            "http://10.0.0.1",
        ] {
            assert!(!is_loopback(origin), "{origin}");
        }
    }
}
