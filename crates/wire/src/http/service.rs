//! One request, one answer.

use std::net::SocketAddr;
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};

use super::answer::{self, Answer, RequestId};
use super::body::{self, BodyError, Held};
use super::{Callers, Server, cors, names_its_host};
use crate::json::{self, Json};
use crate::operation::TARGET;
use crate::sigv4::{self, BodyHash};
use crate::{Operation, WireError};

/// Answers a request, whatever it is.
pub(super) async fn handle(
    server: &Server,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> Answer {
    let request_id = RequestId::new(server.metrics.next_request());
    if !names_its_host(&request) {
        let text = "A request says once which host it is for, in `Host`.\n";
        return answer::text(StatusCode::BAD_REQUEST, text, &request_id);
    }
    let (head, body) = request.into_parts();
    if let Some(mut answer) = cors::preflight(&server.origins, &head, &request_id) {
        cors::allow(&server.origins, &head, &mut answer);
        return answer;
    }
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/") => {
            let mut answer = answer_operation(server, peer, &head, body, &request_id).await;
            cors::allow(&server.origins, &head, &mut answer);
            answer
        }
        (&Method::GET | &Method::HEAD, "/") => {
            answer::text(StatusCode::OK, "healthy: plinth\n", &request_id)
        }
        (&Method::GET | &Method::HEAD, "/health") => health(server, &request_id),
        (&Method::GET, "/metrics") => metrics(server, peer, &request_id).await,
        _ => unknown(&request_id),
    }
}

/// What the service says to requests that are none of its own.
fn unknown(request_id: &RequestId) -> Answer {
    answer::text(StatusCode::NOT_FOUND, "<UnknownOperationException/>\n", request_id)
}

fn health(server: &Server, request_id: &RequestId) -> Answer {
    let version = env!("CARGO_PKG_VERSION");
    let (status, body) = match (server.database.stopped(), server.database.writes_refused()) {
        (Some(reason), _) => {
            let body =
                serde_json::json!({ "status": "stopped", "version": version, "reason": reason });
            (StatusCode::SERVICE_UNAVAILABLE, body)
        }
        // Whoever reads is served, so whoever balances load should go on sending.
        (None, Some(reason)) => (
            StatusCode::OK,
            serde_json::json!({ "status": "read-only", "version": version, "reason": reason }),
        ),
        (None, None) => (StatusCode::OK, serde_json::json!({ "status": "ok", "version": version })),
    };
    answer::text(status, format!("{body}\n"), request_id)
}

async fn metrics(server: &Server, peer: SocketAddr, request_id: &RequestId) -> Answer {
    if !peer.ip().is_loopback() && !server.shows_metrics_to_all {
        let text =
            "The metrics are shown to this machine only; --public-metrics shows them to all.\n";
        return answer::text(StatusCode::FORBIDDEN, text, request_id);
    }
    let text = server.metrics.text(&server.database, server.memory.held_bytes()).await;
    answer::text(StatusCode::OK, text, request_id)
}

async fn answer_operation(
    server: &Server,
    peer: SocketAddr,
    head: &Parts,
    body: Incoming,
    request_id: &RequestId,
) -> Answer {
    let started = Instant::now();
    let has_body = !hyper::body::Body::is_end_stream(&body);
    if has_body && !is_json(head.headers.get(CONTENT_TYPE)) {
        return unknown(request_id);
    }
    let target = head.headers.get(&TARGET).and_then(|target| target.to_str().ok());
    let operation = match Operation::of_target(target) {
        Ok(operation) => operation,
        Err(error) => return answer::json(Err(error), request_id),
    };
    let outcome = match receive(server, peer, head, body).await {
        Ok(Ok((body, _held))) => execute(server, operation, head, body).await,
        Ok(Err(error)) => Err(error),
        Err(error) => return unread(&error, request_id),
    };
    server.metrics.count(operation, &outcome, started.elapsed());
    if let Err(error) = &outcome {
        log(operation, error, request_id);
    }
    match outcome {
        Ok(body) => answer::counted(body, operation, &server.answers, request_id),
        Err(error) => answer::json(Err(error), request_id),
    }
}

/// The body of somebody who may ask, and the memory it takes.
async fn receive(
    server: &Server,
    peer: SocketAddr,
    head: &Parts,
    body: Incoming,
) -> Result<Result<(Bytes, Held), WireError>, BodyError> {
    let limits = &server.limits;
    if body::is_large(&body) && !may_be_known(server, head) {
        // Nothing of a stranger's is kept in memory while it comes.
        let hash = body::hash(body, limits).await?;
        return Ok(allow(server, peer, head, hash).and(Err(sigv4::refused())));
    }
    let (sent, mut held) = body::read(body, limits, &server.memory).await?;
    if let Err(error) = allow(server, peer, head, BodyHash::of(&sent)) {
        return Ok(Err(error));
    }
    let body = body::decode(&head.headers, sent, limits, &mut held).await?;
    Ok(Ok((body, held)))
}

fn is_json(content_type: Option<&HeaderValue>) -> bool {
    let Some(text) = content_type.and_then(|value| value.to_str().ok()) else { return false };
    let kind = text.split(';').next().unwrap_or_default().trim();
    // Media types are the same in any case of their letters (RFC 9110, 8.3.1).
    ["application/x-amz-json-1.0", "application/json"]
        .iter()
        .any(|json| json.eq_ignore_ascii_case(kind))
}

/// Whether what the head says is worth a look at the body.
fn may_be_known(server: &Server, head: &Parts) -> bool {
    match &server.callers {
        Callers::Signed(keys) => sigv4::may_be_known(head, &**keys, now_seconds(server)),
        Callers::Anybody => true,
    }
}

fn now_seconds(server: &Server) -> i64 {
    i64::try_from(server.clock.now_millis() / 1000).unwrap_or(i64::MAX)
}

/// Whether the caller may ask at all.
fn allow(server: &Server, peer: SocketAddr, head: &Parts, body: BodyHash) -> Result<(), WireError> {
    let Callers::Signed(keys) = &server.callers else { return Ok(()) };
    let now = now_seconds(server);
    match sigv4::verify(head, body, &**keys, &server.signing_keys, now) {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::info!(%peer, %error, "a request was refused");
            Err(error)
        }
    }
}

async fn execute(
    server: &Server,
    operation: Operation,
    head: &Parts,
    body: Bytes,
) -> Result<Json, WireError> {
    if operation == Operation::DescribeEndpoints {
        let body = json::parse(&body)?;
        return json::settings::describe_endpoints(&server.database, &body, asked_at(head)).await;
    }
    server.dispatcher.execute(&server.database, operation, body).await
}

/// The host and port that the client has asked.
fn asked_at(head: &Parts) -> Option<&str> {
    let authority = head.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| head.headers.get(HOST)?.to_str().ok())
}

/// Errors of the caller are the caller's business; those of the server are the operator's.
fn log(operation: Operation, error: &WireError, request_id: &RequestId) {
    let (operation, id) = (operation.name(), request_id.text());
    if error.kind.name() == "InternalServerError" {
        tracing::error!(operation, %error, request = %id, "an operation failed");
    } else {
        tracing::debug!(operation, %error, request = %id, "an operation was refused");
    }
}

fn unread(error: &BodyError, request_id: &RequestId) -> Answer {
    let mut answer = match error {
        BodyError::TooLarge => answer::text(StatusCode::PAYLOAD_TOO_LARGE, "", request_id),
        BodyError::TooSlow => answer::text(StatusCode::REQUEST_TIMEOUT, "", request_id),
        BodyError::Broken => answer::json(Err(WireError::serialization("")), request_id),
        BodyError::Busy => {
            let message = "Too many large requests at one time. Try again in a moment.";
            let error = WireError::framework("ServiceUnavailableException", message);
            answer::json(Err(error), request_id)
        }
        BodyError::Encoding => {
            let text = "The content encoding must be gzip or identity.\n";
            answer::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, text, request_id)
        }
    };
    // What is left of the body is not worth reading.
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_by_its_media_type_in_any_case() {
        for kind in ["application/json", "Application/X-Amz-JSON-1.0 ; charset=utf-8"] {
            assert!(is_json(Some(&HeaderValue::from_static(kind))), "{kind}");
        }
        for kind in ["application/x-amz-json-1.1", "text/plain", ""] {
            assert!(!is_json(Some(&HeaderValue::from_static(kind))), "{kind}");
        }
        assert!(!is_json(None));
    }
}
