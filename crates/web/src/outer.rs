//! Around everything: request id, trace, the routes, what is said where there is none, security
//! headers, the log line.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::middleware::{self, Next};
use axum::routing::{MethodFilter, get, on};
use futures_util::FutureExt as _;
use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, LINK, LOCATION, REFERRER_POLICY, RETRY_AFTER,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use kernel::error::{Error, FORBIDDEN, METHOD_NOT_ALLOWED};
use serde_json::{Value, json};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::log::Noted;
use super::pipeline::Begun;
use super::render::Style;
use super::shell::{Core, Entry, Health, Settings};
use super::trace::{Trace, request_id};
use super::{Answer, documentation, log, pipeline};
use crate::response::response_of;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// How long a browser may keep what a preflight said.
const PREFLIGHT_AGE: Duration = Duration::from_secs(600);

/// The router of all entries.
pub(super) fn router(core: &Arc<Core>, entries: &[Arc<Entry>], document: &Arc<Value>) -> Router {
    let mut router = Router::new();
    for entry in entries {
        let (core, known) = (Arc::clone(core), Arc::clone(entry));
        let handler = move |path: Result<RawPathParams, RawPathParamsRejection>,
                            request: Request<Body>| {
            let (core, entry) = (Arc::clone(&core), Arc::clone(&known));
            async move { pipeline::run(&core, &entry, path_values(path), request).await }
        };
        let filter = MethodFilter::try_from(entry.registered.method.clone());
        router =
            router.route(&entry.registered.path, on(filter.unwrap_or(MethodFilter::GET), handler));
    }
    router = router
        .route("/health", get(plain(core, |core, _| health(core))))
        .route("/metrics", get(plain(core, metrics)))
        .merge(documentation::router(document))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method);
    if let Some(cors) = cors(&core.settings) {
        router = router.layer(cors);
    }
    router.layer(middleware::from_fn_with_state(Arc::clone(core), around))
}

fn path_values(
    path: Result<RawPathParams, RawPathParamsRejection>,
) -> Result<Vec<(String, String)>, Error> {
    let path = path.map_err(|_| Error::validation([("path", "is no UTF-8".to_owned())]))?;
    Ok(path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

async fn around(
    axum::extract::State(core): axum::extract::State<Arc<Core>>,
    mut request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let (started, now) = (Instant::now(), core.now());
    let id = request_id(request.headers(), &core.ids, now);
    let trace = Trace::of(request.headers(), &core.ids);
    let address = request.extensions().get::<SocketAddr>().map(SocketAddr::ip);
    let style = Style::new(request.headers(), id, now);
    let begun = Begun { style, trace, address };
    request.extensions_mut().insert(begun.clone());
    let method = request.method().clone();
    let outcome = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = outcome.unwrap_or_else(|panic| refuse(&begun, &pipeline::panicked(&*panic)));
    let noted = response.extensions_mut().remove::<Noted>().unwrap_or_default();
    secure(&mut response, &core.settings);
    if let Ok(id) = HeaderValue::try_from(&begun.style.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, time) = (response.status(), started.elapsed());
    let route = noted.route.as_deref();
    let (service, path) = route.map_or(("plinth", "none"), |route| (route.service, &route.path));
    let method = route.map_or(known(&method), |route| route.method.as_str());
    core.metrics.request(service, method, path, status.as_u16(), time);
    log::line(&noted, &begun.style.request_id, &begun.trace, status, time);
    response
}

/// A method that strangers invent must not become a label.
fn known(method: &Method) -> &str {
    let all = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    if all.contains(method) { method.as_str() } else { "OTHER" }
}

fn refuse(begun: &Begun, error: &Error) -> Response<Body> {
    let mut response = response_of(begun.style.answer(error));
    let mut noted = Noted::default();
    noted.fail(error);
    response.extensions_mut().insert(noted);
    response
}

async fn unknown(request: Request<Body>) -> Response<Body> {
    refused(&request, &Error::not_found())
}

/// axum adds `Allow`.
async fn wrong_method(request: Request<Body>) -> Response<Body> {
    let message = "The path does not take this method: Allow says which ones it takes";
    refused(&request, &Error::new(METHOD_NOT_ALLOWED, message))
}

fn refused(request: &Request<Body>, error: &Error) -> Response<Body> {
    match request.extensions().get::<Begun>() {
        Some(begun) => refuse(begun, error),
        None => response_of(Answer::empty(StatusCode::INTERNAL_SERVER_ERROR)),
    }
}

/// A route that is no service's: it answers from the process itself.
fn plain<F>(
    core: &Arc<Core>,
    answer: F,
) -> impl Fn(Request<Body>) -> std::future::Ready<Response<Body>> + Clone + Send + Sync + 'static
where
    F: Fn(&Core, &Request<Body>) -> Result<Answer, Error> + Clone + Send + Sync + 'static,
{
    let core = Arc::clone(core);
    move |request| {
        let answered = answer(&core, &request).map(response_of);
        std::future::ready(answered.unwrap_or_else(|error| refused(&request, &error)))
    }
}

fn health(core: &Core) -> Result<Answer, Error> {
    let version = core.settings.version;
    match (core.health)() {
        Health::Ok => Answer::ok(&json!({ "status": "ok", "version": version })),
        // Whoever reads is served, so whoever balances load should go on sending.
        Health::ReadOnly(reason) => {
            Answer::ok(&json!({ "status": "read-only", "version": version, "reason": reason }))
        }
        Health::Stopped(reason) => {
            let body = json!({ "status": "stopped", "version": version, "reason": reason });
            Answer::json(StatusCode::SERVICE_UNAVAILABLE, &body)
        }
    }
}

fn metrics(core: &Core, request: &Request<Body>) -> Result<Answer, Error> {
    let peer = request.extensions().get::<SocketAddr>();
    let is_local = peer.is_some_and(|peer| peer.ip().is_loopback());
    if !is_local && !core.settings.shows_metrics_to_all {
        let message =
            "The metrics are shown to this machine only; --public-metrics shows them to all";
        return Err(Error::new(FORBIDDEN, message));
    }
    Ok(Answer::bytes("text/plain; version=0.0.4; charset=utf-8", core.metrics.text()))
}

/// What keeps browsers from doing with an answer what was not meant.
fn secure(response: &mut Response<Body>, settings: &Settings) {
    let headers = response.headers_mut();
    let defaults = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in defaults {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if settings.has_tls {
        let value = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

/// None unless origins are named: then only those, never all.
fn cors(settings: &Settings) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> =
        settings.origins.iter().filter_map(|origin| HeaderValue::try_from(origin).ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let own = |names: &[&'static str]| -> Vec<HeaderName> {
        names.iter().map(|name| HeaderName::from_static(name)).collect()
    };
    let mut sent = vec![AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH];
    sent.extend(own(&["idempotency-key", "x-api-key", "x-request-id", "traceparent"]));
    let mut shown = vec![ALLOW, ETAG, LOCATION, RETRY_AFTER, REQUEST_ID];
    shown.extend([CONTENT_DISPOSITION, LINK]);
    shown.extend(own(&["ratelimit", "ratelimit-policy", "idempotent-replayed", "deprecation"]));
    let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods(methods)
        .allow_headers(sent)
        .expose_headers(shown)
        .max_age(PREFLIGHT_AGE);
    Some(cors)
}
