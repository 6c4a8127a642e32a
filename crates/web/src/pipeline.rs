//! What every request to a service goes through, in order: size, identity, rate limit, permission,
//! body, idempotency, inputs, handler.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::{CONTENT_LENGTH, IF_MATCH, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use kernel::caller::Caller;
use kernel::error::{Error, TIMEOUT};
use kernel::permissions::{self, Target};

use super::allowed::check_key;
use super::api::Deprecated;
use super::bodies::too_large;
use super::context::link_base;
use super::extract::Input;
use super::log::Noted;
use super::render::Style;
use super::seams::{Attempt, Claim, Claimed};
use super::shell::{Core, Entry, Registered};
use super::trace::Trace;
use super::{Answer, Context, Facts, RateLimitHeaders, if_match};
use crate::response::response_of;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// The longest user agent that is kept.
const USER_AGENT_MAX: usize = 256;
/// The longest Idempotency-Key.
const IDEMPOTENCY_KEY_MAX: usize = 255;

/// What is known of a request before its route is.
#[derive(Clone)]
pub(super) struct Begun {
    pub style: Style,
    pub trace: Trace,
    pub address: Option<IpAddr>,
}

/// What becomes of a request besides its answer.
#[derive(Default)]
struct Course {
    noted: Noted,
    rate_limits: RateLimitHeaders,
}

/// Answers a request to a route.
pub(super) async fn run(
    core: &Core,
    entry: &Entry,
    path_values: Result<Vec<(String, String)>, Error>,
    request: http::Request<axum::body::Body>,
) -> Response<axum::body::Body> {
    let (head, body) = request.into_parts();
    let Some(begun) = head.extensions.get::<Begun>().cloned() else {
        return response_of(Answer::empty(http::StatusCode::INTERNAL_SERVER_ERROR));
    };
    let mut course = Course::default();
    course.noted.route = Some(Arc::clone(&entry.registered));
    let time = entry.described.route.time_max.unwrap_or(core.settings.time_max);
    let steps = steps(core, entry, &begun, path_values, &head, body, &mut course);
    let outcome = match tokio::time::timeout(time, steps).await {
        Ok(outcome) => outcome,
        Err(_) => Err(out_of_time(time)),
    };
    let answer = outcome.unwrap_or_else(|error| {
        course.noted.fail(&error);
        begun.style.answer(&error)
    });
    let mut response = response_of(answer);
    response.headers_mut().extend(rate_limit_fields(&course.rate_limits));
    response.headers_mut().extend(deprecation(entry, head.uri.path()));
    response.extensions_mut().insert(course.noted);
    response
}

async fn steps(
    core: &Core,
    entry: &Entry,
    begun: &Begun,
    path_values: Result<Vec<(String, String)>, Error>,
    head: &Parts,
    body: axum::body::Body,
    course: &mut Course,
) -> Result<Answer, Error> {
    check_length(&head.headers, core.settings.body_bytes_max)?;
    let identity = core.identity.authenticate(head, &course.rate_limits).await;
    let (caller, refused) = match identity {
        Ok(caller) => (caller, None),
        Err(error) => (Caller::anonymous(), Some(error)),
    };
    let context = context(entry, begun, path_values?, head, caller, &course.rate_limits);
    course.noted.tenant = context.tenant().map(str::to_owned);
    course.noted.caller = Some([context.caller.kind(), ":", context.caller.id()].concat());
    let decision = core.limits.admit(&context).await?;
    course.rate_limits.add(decision.verdicts.iter().cloned());
    if let Some(refusal) = decision.into_result().err().or(refused) {
        return Err(refusal);
    }
    check_key(&context.caller, &entry.registered)?;
    permissions::check(&context.caller, &entry.registered.rule, &Target::Any)?;
    if_match::refuse_unless_taken(entry.described.description.if_match.is_some(), head)?;
    let (body, _held) = core.bodies.read(body, &core.settings).await?;
    let key = idempotency_key(entry, &head.headers)?;
    let Some(key) = key else {
        return Ok(handle(entry, begun, context, head, body, course).await);
    };
    let query = head.uri.query().unwrap_or_default();
    let if_match: Vec<_> = head.headers.get_all(IF_MATCH).iter().map(|v| v.as_bytes()).collect();
    let if_match = &if_match.join(&b',');
    let attempt = Attempt { key, context: &context, query, if_match, body: &body };
    match core.idempotency.claim(attempt).await? {
        Claimed::Done(answer) => Ok(answer.with(REPLAYED, HeaderValue::from_static("true"))),
        Claimed::Fresh(claim) => {
            let context = context.claimed(claim.clone());
            let answer = handle(entry, begun, context, head, body, course).await;
            settle(core, claim, &answer).await;
            Ok(answer)
        }
    }
}

/// The handler's answer, whole, whatever becomes of it.
async fn handle(
    entry: &Entry,
    begun: &Begun,
    context: Context,
    head: &Parts,
    body: Bytes,
    course: &mut Course,
) -> Answer {
    let input = Input { state: &(), context, head, body, checks: &entry.checks };
    let called = AssertUnwindSafe(async { entry.described.handler.call(&input).await });
    let outcome = called.catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|panic| Err(panicked(&*panic)));
    outcome.unwrap_or_else(|error| {
        course.noted.fail(&error);
        begun.style.answer(&error)
    })
}

async fn settle(core: &Core, claim: Claim, answer: &Answer) {
    if let Err(error) = core.idempotency.settle(claim, answer).await {
        // The answer is right; a repetition waits for the claim's lease and runs again.
        tracing::error!(?error, "an idempotency record could not be completed");
    }
}

fn context(
    entry: &Entry,
    begun: &Begun,
    path_values: Vec<(String, String)>,
    head: &Parts,
    mut caller: Caller,
    rate_limits: &RateLimitHeaders,
) -> Context {
    caller.address = begun.address;
    let user_agent = head.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    Context::new(Facts {
        request_id: begun.style.request_id.clone(),
        trace: begun.trace.clone(),
        caller: Arc::new(caller),
        address: begun.address,
        user_agent: user_agent.map(|text| text.chars().take(USER_AGENT_MAX).collect()),
        method: head.method.clone(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        route: Arc::clone(&entry.registered),
        path_values,
        links: link_base(&entry.registered.mount, head.uri.query().unwrap_or_default()),
        now: begun.style.now,
        claim: None,
        rate_limits: rate_limits.clone(),
    })
}

fn rate_limit_fields(
    rate_limits: &RateLimitHeaders,
) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let field = |(name, value): (&'static str, Option<String>)| {
        Some((HeaderName::from_static(name), HeaderValue::try_from(value?).ok()?))
    };
    rate_limits.values().into_iter().filter_map(field)
}

/// What the answers of a route say that will go away: since when, and what to use (RFC 9745).
fn deprecation(entry: &Entry, path: &str) -> Vec<(HeaderName, HeaderValue)> {
    let Some(Deprecated { since, successor }) = entry.described.route.deprecated else {
        return Vec::new();
    };
    let Registered { mount, path: template, .. } = &*entry.registered;
    let values: Vec<_> = template.split('/').zip(path.split('/')).collect();
    let value =
        |name| values.iter().find(|(known, _)| *known == name).map_or(name, |found| found.1);
    let successor: Vec<&str> = successor.split('/').map(value).collect();
    let link = format!("<{mount}{}>; rel=\"successor-version\"", successor.join("/"));
    let fields = [("deprecation", format!("@{since}")), ("link", link)];
    let field = |(name, value): (&'static str, String)| {
        Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
    };
    fields.into_iter().filter_map(field).collect()
}

fn check_length(headers: &HeaderMap, most: usize) -> Result<(), Error> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match announced.and_then(|text| text.parse::<u64>().ok()) {
        Some(length) if length > most as u64 => Err(too_large(most)),
        _ => Ok(()),
    }
}

fn idempotency_key<'a>(entry: &Entry, headers: &'a HeaderMap) -> Result<Option<&'a str>, Error> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(value) = keys.next().filter(|_| entry.described.route.is_idempotent) else {
        return Ok(None);
    };
    let is_fine = |key: &&str| {
        (1..=IDEMPOTENCY_KEY_MAX).contains(&key.len())
            && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match value.to_str().ok().filter(is_fine) {
        Some(key) if keys.next().is_none() => Ok(Some(key)),
        _ => {
            let why = format!(
                "should come once, with 1 to {IDEMPOTENCY_KEY_MAX} visible ASCII characters"
            );
            Err(Error::validation([("Idempotency-Key", why)]))
        }
    }
}

fn out_of_time(time: Duration) -> Error {
    let message = format!(
        "This took longer than {} seconds. It may have been done all the same: look, or repeat it \
         with the same Idempotency-Key",
        time.as_secs_f64()
    );
    Error::new(TIMEOUT, message)
}

/// What a panic said, for the log.
pub(super) fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    Error::internal(format!("a handler panicked: {}", text.unwrap_or("without words")))
}
