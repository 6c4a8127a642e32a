//! What callers send and read about webhooks.

use kernel::error::Error;
use kernel::moment::Moment;
use kernel::permissions::Target;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Context, Links};
use webhooks::{
    Attempt, Created, Delivery, EndpointPatch, EndpointView, EventView, GivenSecret, Health,
    Missing, NewEndpoint, SecretChoice,
};

use crate::permissions::{WebhooksRead, WebhooksWrite};

const ENDPOINT: &str = "/webhooks/endpoints/{endpointId}";

/// A new endpoint.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewWebhookEndpoint {
    /// Where events are sent: https, a public host, port 443 or 8443 unless configured otherwise.
    #[schema(format = "uri", max_length = 2048)]
    url: String,
    /// What it is for.
    #[schema(max_length = 500)]
    description: Option<String>,
    /// Which events: types, or beginnings such as `tenant.*`. All if absent.
    #[schema(min_items = 1, max_items = 100)]
    event_types: Option<Vec<String>>,
    /// Most attempts in a second. No limit if absent.
    #[schema(minimum = 1, maximum = 1000)]
    throttle_rate: Option<u32>,
    /// How events are signed: `hmac` if absent.
    secret_kind: Option<WebhookSecretKind>,
    /// A secret to sign with instead of a new one: `whsec_` or `whsk_` and base64.
    #[schema(max_length = 200)]
    secret: Option<GivenSecretText>,
}

/// A new secret.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewWebhookSecret {
    /// How events are signed: `hmac` if absent.
    secret_kind: Option<WebhookSecretKind>,
    /// A secret to sign with instead of a new one: `whsec_` or `whsk_` and base64.
    #[schema(max_length = 200)]
    secret: Option<GivenSecretText>,
}

/// A secret that the caller brings along.
#[derive(Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String)]
pub(super) struct GivenSecretText(String);

impl std::fmt::Debug for GivenSecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenSecretText")
    }
}

/// How events are signed.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WebhookSecretKind {
    /// With a shared secret (v1).
    Hmac,
    /// With a key pair, of which the public half is shown (v1a).
    Ed25519,
}

/// Changes to an endpoint: what is absent stays, and null takes away, except the address, which it always
/// has.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WebhookEndpointPatch {
    /// Where events are sent.
    #[schema(nullable = false, format = "uri", max_length = 2048)]
    url: Option<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 500)]
    description: Option<Option<String>>,
    /// Which events; null for all.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<String>>, min_items = 1, max_items = 100)]
    event_types: Option<Option<Vec<String>>>,
    /// Most attempts in a second; null for no limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    throttle_rate: Option<Option<u32>>,
}

/// Null is something that was said.
fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

fn choice(
    kind: Option<WebhookSecretKind>,
    given: Option<GivenSecretText>,
) -> Result<SecretChoice, Error> {
    match (kind, given) {
        (None, Some(given)) => Ok(SecretChoice::Given(GivenSecret(given.0))),
        (Some(_), Some(_)) => {
            let why = "a given secret says itself of which kind it is: leave this out";
            Err(Error::validation([("secretKind", why.to_owned())]))
        }
        (Some(WebhookSecretKind::Ed25519), None) => Ok(SecretChoice::Ed25519),
        (Some(WebhookSecretKind::Hmac) | None, None) => Ok(SecretChoice::Hmac),
    }
}

impl NewWebhookEndpoint {
    pub(super) fn into_domain(self) -> Result<NewEndpoint, Error> {
        Ok(NewEndpoint {
            url: self.url,
            description: self.description,
            event_types: self.event_types.map(|types| types.into_iter().collect()),
            throttle_rate: self.throttle_rate,
            secret: choice(self.secret_kind, self.secret)?,
        })
    }
}

impl NewWebhookSecret {
    pub(super) fn into_domain(self) -> Result<SecretChoice, Error> {
        choice(self.secret_kind, self.secret)
    }
}

impl WebhookEndpointPatch {
    pub(super) fn into_domain(self) -> EndpointPatch {
        let types = |types: Option<Vec<String>>| types.map(|types| types.into_iter().collect());
        EndpointPatch {
            url: self.url,
            description: self.description,
            event_types: self.event_types.map(types),
            throttle_rate: self.throttle_rate,
        }
    }
}

/// An endpoint in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndpointPath {
    /// `ep_…`.
    #[schema(pattern = "^ep_[0-9A-Za-z]+$", max_length = 64)]
    pub endpoint_id: String,
}

/// An event in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventPath {
    /// `evt_…`.
    #[schema(pattern = "^evt_[0-9A-Za-z]+$", max_length = 64)]
    pub event_id: String,
}

/// Whose.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OfAccount {
    /// The account, for those who administer the platform; the caller's own if absent.
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
    pub account_id: Option<String>,
}

/// A page of what is missing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MissingSince {
    /// The account, for those who administer the platform; the caller's own if absent.
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
    pub account_id: Option<String>,
    /// The moment from which events are looked at.
    pub since: Moment,
    /// What the page before answered.
    #[schema(min_length = 1, max_length = 4096)]
    pub next_token: Option<String>,
}

/// Attempts at which endpoint.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AttemptsOf {
    /// The account, for those who administer the platform; the caller's own if absent.
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9][A-Za-z0-9._:-]*$")]
    pub account_id: Option<String>,
    /// The endpoint; all if absent.
    #[schema(pattern = "^ep_[0-9A-Za-z]+$", max_length = 64)]
    pub endpoint_id: Option<String>,
}

/// What to send again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewReplay {
    /// The first moment of the range.
    pub from: Moment,
    /// The last moment of the range.
    pub to: Moment,
    /// Only what the endpoint does not have: true if absent.
    pub only_missing: Option<bool>,
    /// What the call before answered.
    #[schema(min_length = 1, max_length = 4096)]
    pub next_token: Option<String>,
}

/// Where to send an event again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewResend {
    /// The endpoint.
    #[schema(pattern = "^ep_[0-9A-Za-z]+$", max_length = 64)]
    pub endpoint_id: String,
}

/// An endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndpointAnswer {
    endpoint_id: String,
    account_id: String,
    url: String,
    description: Option<String>,
    /// Which events are sent; null means all.
    event_types: Option<Vec<String>>,
    throttle_rate: Option<u32>,
    /// `hmac` or `ed25519`.
    secret_kind: String,
    /// `whpk_…`, of a key pair.
    public_key: Option<String>,
    enabled: bool,
    disabled_reason: Option<String>,
    created_at: Moment,
    updated_at: Option<Moment>,
    version: i64,
    /// How it has been answering; only where one endpoint is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    health: Option<HealthAnswer>,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

/// How an endpoint has been answering.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HealthAnswer {
    /// `closed`: events are sent. `open`: none until `openUntil`. `half_open`: one, to see.
    circuit: String,
    consecutive_failures: i64,
    failing_since: Option<Moment>,
    open_until: Option<Moment>,
    held_until: Option<Moment>,
}

/// An endpoint with a new secret: the only time that it is shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreatedEndpoint {
    endpoint: EndpointAnswer,
    /// `whsec_…`; of a key pair only the public half is ever shown, in the endpoint.
    secret: Option<String>,
}

impl EndpointAnswer {
    pub(super) fn new(
        context: &Context,
        view: EndpointView,
        health: Option<Health>,
    ) -> EndpointAnswer {
        let links = links(context, &view);
        let health = health.map(|health| HealthAnswer {
            circuit: health.circuit,
            consecutive_failures: health.consecutive_failures,
            failing_since: health.failing_since,
            open_until: health.open_until,
            held_until: health.held_until,
        });
        EndpointAnswer {
            endpoint_id: view.id,
            account_id: view.account_id,
            url: view.url,
            description: view.description,
            event_types: view.event_types.map(|types| types.into_iter().collect()),
            throttle_rate: view.throttle_rate,
            secret_kind: view.secret_kind,
            public_key: view.public_key,
            enabled: view.enabled,
            disabled_reason: view.disabled_reason,
            created_at: view.created_at,
            updated_at: view.updated_at,
            version: view.version,
            health,
            links,
        }
    }
}

fn links(context: &Context, view: &EndpointView) -> Value {
    let target = Target::Account(&view.account_id);
    let values = [("endpointId", view.id.as_str())];
    let mut links = Links::new(context)
        .to("self", ENDPOINT, &values)
        .offer::<WebhooksWrite>(true, &target, "update", ENDPOINT, &values)
        .offer::<WebhooksWrite>(true, &target, "delete", ENDPOINT, &values);
    for what in ["deliveries", "missing"] {
        let path = format!("{ENDPOINT}/{what}");
        links = links.offer::<WebhooksRead>(true, &target, what, &path, &values);
    }
    let is_on = view.enabled;
    for (what, is_possible) in [
        ("rotate", true),
        ("enable", !is_on),
        ("disable", is_on),
        ("test", is_on),
        ("replay", is_on),
    ] {
        let path = format!("{ENDPOINT}/{what}");
        links = links.offer::<WebhooksWrite>(is_possible, &target, what, &path, &values);
    }
    links.done()
}

impl CreatedEndpoint {
    pub(super) fn new(context: &Context, created: &Created) -> CreatedEndpoint {
        CreatedEndpoint {
            endpoint: EndpointAnswer::new(context, created.endpoint.clone(), None),
            secret: created.secret.as_deref().cloned(),
        }
    }
}

/// An event.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventAnswer {
    event_id: String,
    event_type: String,
    created_at: Moment,
    /// Whether deliveries were made for it.
    dispatched: bool,
    /// What is sent.
    #[schema(value_type = Object)]
    payload: Value,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl EventAnswer {
    pub(super) fn new(context: &Context, account: &str, view: EventView) -> EventAnswer {
        let (target, values) = (Target::Account(account), [("eventId", view.id.as_str())]);
        let path = "/webhooks/events/{eventId}";
        let (attempts, resend) = (format!("{path}/attempts"), format!("{path}/resend"));
        let links = Links::new(context)
            .to("self", path, &values)
            .offer::<WebhooksRead>(true, &target, "attempts", &attempts, &values)
            .offer::<WebhooksWrite>(true, &target, "resend", &resend, &values)
            .done();
        EventAnswer {
            event_id: view.id,
            event_type: view.event_type,
            created_at: view.created_at,
            dispatched: view.dispatched,
            payload: view.payload,
            links,
        }
    }
}

/// One event on its way to one endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeliveryAnswer {
    event_id: String,
    endpoint_id: String,
    event_type: String,
    /// When the event happened.
    created_at: Moment,
    /// `pending`, `delivering`, `delivered`, `failed` or `exhausted`.
    status: String,
    attempt_count: i64,
    next_attempt_at: Option<Moment>,
    delivered_at: Option<Moment>,
    /// Why it is not tried again.
    stopped_reason: Option<String>,
}

impl From<Delivery> for DeliveryAnswer {
    fn from(delivery: Delivery) -> DeliveryAnswer {
        DeliveryAnswer {
            event_id: delivery.event_id,
            endpoint_id: delivery.endpoint_id,
            event_type: delivery.event_type,
            created_at: delivery.created_at,
            // While it is being sent, this is when its worker is given up.
            next_attempt_at: delivery.next_retry_at.filter(|_| delivery.status == "pending"),
            status: delivery.status,
            attempt_count: delivery.attempt_count,
            delivered_at: delivery.delivered_at,
            stopped_reason: delivery.stopped_reason,
        }
    }
}

/// An event that an endpoint wants and does not have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MissingAnswer {
    event_id: String,
    event_type: String,
    created_at: Moment,
    /// How its delivery stands; null if none was ever made.
    status: Option<String>,
    attempt_count: i64,
}

impl From<Missing> for MissingAnswer {
    fn from(missing: Missing) -> MissingAnswer {
        let Missing { event_id, event_type, created_at, status, attempt_count } = missing;
        MissingAnswer { event_id, event_type, created_at, status, attempt_count }
    }
}

/// The attempts to deliver an event.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttemptsAnswer {
    pub items: Vec<AttemptAnswer>,
    pub count: usize,
}

/// One attempt to deliver.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttemptAnswer {
    endpoint_id: String,
    attempted_at: Moment,
    /// Which attempt, from 1.
    attempt_number: i64,
    /// `success` or `failure`.
    outcome: String,
    response_status: Option<u16>,
    /// The beginning of the answer.
    response_excerpt: Option<String>,
    duration_milliseconds: Option<u64>,
    /// Why there was no answer.
    error: Option<String>,
}

impl From<Attempt> for AttemptAnswer {
    fn from(attempt: Attempt) -> AttemptAnswer {
        AttemptAnswer {
            endpoint_id: attempt.endpoint_id,
            attempted_at: attempt.attempted_at,
            attempt_number: attempt.attempt_number,
            outcome: attempt.outcome,
            response_status: attempt.response_status,
            response_excerpt: attempt.response_excerpt,
            duration_milliseconds: attempt.duration_milliseconds,
            error: attempt.error,
        }
    }
}

/// An event that will be sent to an endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    event_id: String,
    endpoint_id: String,
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

impl Sent {
    pub(super) fn new(context: &Context, event_id: &str, endpoint_id: &str) -> Sent {
        let values = [("eventId", event_id)];
        let links = Links::new(context)
            .to("event", "/webhooks/events/{eventId}", &values)
            .to("attempts", "/webhooks/events/{eventId}/attempts", &values)
            .done();
        Sent { event_id: event_id.to_owned(), endpoint_id: endpoint_id.to_owned(), links }
    }
}

/// A part of a replay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replay {
    /// The events that will be sent again.
    pub event_ids: Vec<String>,
    pub count: usize,
    /// What to go on with; null at the end.
    pub next_token: Option<String>,
}
