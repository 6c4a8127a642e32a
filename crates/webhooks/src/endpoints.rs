//! Endpoints: made, read, changed, disabled, deleted, and given new secrets.
//!
//! A change is planned here and committed by the caller, together with its audit entry and event.

use std::collections::BTreeSet;
use std::sync::Arc;

use audit::Entry;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use changes::{Change, Conflict, Event};
use kernel::clock::Clock;
use kernel::error::{CONFLICT, Error, NOT_FOUND, PRECONDITION_FAILED};
use kernel::ids::Ids;
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use secrets::Seal;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Page, Store, Write};
use zeroize::Zeroizing;

use crate::endpoint_input::{EndpointPatch, NewEndpoint, SecretChoice, check};
use crate::owner;
use crate::policy::Policy;
use crate::records::{Endpoint, Health, SealedSecret};
use crate::roster::room_for_another;
use crate::secret::{Secret, SecretKind, public_key};
use crate::settings::Settings;

/// Most secrets that an endpoint signs with at one time: more rotations in a day end the oldest.
const SECRETS_MAX: usize = 5;

/// Something that is ready to be committed, and what is to be recorded and told with it. Its writes
/// hold what was read: a false condition means that it is to be planned again.
#[must_use = "what is planned happens once it is committed"]
pub struct Planned<T> {
    /// What it will be.
    pub value: T,
    /// The writes.
    pub writes: Vec<Write>,
    /// For the audit trail.
    pub entry: Entry,
    /// For other endpoints.
    pub event: Option<Event>,
}

impl<T> Planned<T> {
    /// Adds it to a change, and gives what it will be.
    pub fn add_to(self, change: &mut Change) -> T {
        for write in self.writes {
            change.add(write, Conflict);
        }
        change.record(self.entry);
        self.event.into_iter().for_each(|event| change.emit(event));
        self.value
    }
}

/// An endpoint as callers see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointView {
    /// `ep_…`.
    pub id: String,
    /// The account.
    pub account_id: String,
    /// Where events are sent.
    pub url: String,
    /// What it is for.
    pub description: Option<String>,
    /// Which events; all if absent.
    pub event_types: Option<BTreeSet<String>>,
    /// Most attempts in a second.
    pub throttle_rate: Option<u32>,
    /// `hmac` or `ed25519`.
    pub secret_kind: String,
    /// `whpk_…`, if there is one.
    pub public_key: Option<String>,
    /// Whether events are sent.
    pub enabled: bool,
    /// Why not.
    pub disabled_reason: Option<String>,
    /// When it was made.
    pub created_at: Moment,
    /// When it last changed.
    pub updated_at: Option<Moment>,
    /// Counts the changes.
    pub version: i64,
}

/// A new endpoint or secret: the only time the secret is shown.
#[derive(Debug)]
pub struct Created {
    /// The endpoint.
    pub endpoint: EndpointView,
    /// The HMAC secret; of ed25519 only the public key is ever shown, in the endpoint.
    pub secret: Option<Zeroizing<String>>,
}

/// The endpoints of all accounts. Cloning is cheap.
#[derive(Clone)]
pub struct Endpoints {
    table: WebhookEvents,
    ids: Ids,
    seal: Arc<dyn Seal>,
    policy: Policy,
    settings: Settings,
    clock: Arc<dyn Clock>,
}

impl Endpoints {
    /// Endpoints of this store.
    pub fn new(
        store: &Store,
        ids: Ids,
        seal: Arc<dyn Seal>,
        policy: Policy,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Endpoints, Error> {
        Ok(Endpoints { table: WebhookEvents::open(store)?, ids, seal, policy, settings, clock })
    }

    /// A new endpoint. One of its writes fails if another endpoint of the account was made since.
    pub async fn create(&self, account: &str, new: NewEndpoint) -> Result<Planned<Created>, Error> {
        let NewEndpoint { url, description, event_types, throttle_rate, secret } = new;
        check(&self.policy, &url, description.as_deref(), event_types.as_ref(), throttle_rate)?;
        let now = self.now();
        let secret = secret.secret(&self.ids)?;
        let endpoint_id = self.ids.prefixed("ep", now)?;
        let sealed = self.sealed(account, &endpoint_id, &secret, now).await?;
        let endpoint = Endpoint {
            endpoint_id,
            account_id: account.to_owned(),
            url,
            description,
            event_types,
            throttle_rate,
            secret_kind: secret.kind().as_str().to_owned(),
            sealed_secrets: vec![sealed],
            public_key: public_key(&secret),
            enabled: true,
            disabled_reason: None,
            created_at: now,
            updated_at: None,
            version: 1,
        };
        let roster = room_for_another(&self.table, account).await?;
        let writes = vec![self.table.endpoint().create(&endpoint)?, roster];
        let planned = planned("WEBHOOK_ENDPOINT_CREATED", "created", None, &endpoint, writes);
        Ok(planned.map(|endpoint| Created { endpoint, secret: shown(&secret) }))
    }

    /// An endpoint of an account.
    pub async fn get(&self, account: &str, id: &str) -> Result<EndpointView, Error> {
        Ok(view(&self.read(account, id).await?))
    }

    /// The endpoints of an account, oldest first.
    pub async fn list(
        &self,
        account: &str,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<EndpointView>, Error> {
        let list = self.table.list_endpoints(account);
        let page = list.page::<Endpoint>(caller, limit, token).await?;
        Ok(Page { items: page.items.iter().map(view).collect(), next: page.next })
    }

    /// How an endpoint has been answering.
    pub async fn health(&self, account: &str, id: &str) -> Result<Health, Error> {
        self.read(account, id).await?;
        Health::read(&self.table, account, id).await
    }

    /// Changes to an endpoint, which has this version if one is given.
    pub async fn update(
        &self,
        account: &str,
        id: &str,
        patch: EndpointPatch,
        version: Option<i64>,
    ) -> Result<Planned<EndpointView>, Error> {
        let before = self.read_version(account, id, version).await?;
        let mut after = before.clone();
        let EndpointPatch { url, description, event_types, throttle_rate } = patch;
        after.url = url.unwrap_or(after.url);
        after.description = description.unwrap_or(after.description);
        after.event_types = event_types.unwrap_or(after.event_types);
        after.throttle_rate = throttle_rate.unwrap_or(after.throttle_rate);
        let (description, types) = (after.description.as_deref(), after.event_types.as_ref());
        check(&self.policy, &after.url, description, types, after.throttle_rate)?;
        self.replaced("WEBHOOK_ENDPOINT_UPDATED", "updated", &before, after)
    }

    /// Sends events to it again, with a closed circuit. What it missed is not sent by itself: see
    /// [`crate::Messages::missing`].
    pub async fn enable(&self, account: &str, id: &str) -> Result<Planned<EndpointView>, Error> {
        let before = self.read(account, id).await?;
        let mut after = before.clone();
        after.enabled = true;
        after.disabled_reason = None;
        let mut planned = self.replaced("WEBHOOK_ENDPOINT_ENABLED", "enabled", &before, after)?;
        let health = Health::read(&self.table, account, id).await?;
        if let Some(healed) = health.succeeded() {
            planned.writes.push(healed.write(&self.table, self.now())?);
        }
        Ok(planned)
    }

    /// Sends no more events to it.
    pub async fn disable(
        &self,
        account: &str,
        id: &str,
        reason: &str,
    ) -> Result<Planned<EndpointView>, Error> {
        let before = self.read(account, id).await?;
        let mut after = before.clone();
        after.enabled = false;
        after.disabled_reason = Some(reason.to_owned());
        self.replaced("WEBHOOK_ENDPOINT_DISABLED", "disabled", &before, after)
    }

    /// Deletes it. What was under way to it stops.
    pub async fn delete(
        &self,
        account: &str,
        id: &str,
        version: Option<i64>,
    ) -> Result<Planned<()>, Error> {
        let before = self.read_version(account, id, version).await?;
        let writes = vec![self.table.delete_endpoint(account, id, before.version).delete()?];
        let event = Event::new("webhook_endpoint.deleted", account, json!({ "endpointId": id }));
        let entry = Entry::new("WEBHOOK", "WEBHOOK_ENDPOINT_DELETED", account);
        let entry = entry.of("webhook_endpoint", id).changed(Some(told(&before)), None);
        Ok(Planned { value: (), writes, entry, event: Some(event) })
    }

    /// A new secret. The one before signs beside it for a day, so that receivers can change over.
    pub async fn rotate(
        &self,
        account: &str,
        id: &str,
        choice: &SecretChoice,
    ) -> Result<Planned<Created>, Error> {
        let before = self.read(account, id).await?;
        let mut after = before.clone();
        let (now, secret) = (self.now(), choice.secret(&self.ids)?);
        let end = now.after(self.settings.secret_overlap);
        for old in &mut after.sealed_secrets {
            old.expires_at = Some(old.expires_at.map_or(end, |expires| expires.min(end)));
        }
        after.sealed_secrets.retain(|old| old.expires_at.is_none_or(|expires| expires > now));
        after.sealed_secrets.insert(0, self.sealed(account, id, &secret, now).await?);
        after.sealed_secrets.truncate(SECRETS_MAX);
        after.secret_kind = secret.kind().as_str().to_owned();
        after.public_key = public_key(&secret);
        let action = "WEBHOOK_ENDPOINT_SECRET_ROTATED";
        let planned = self.replaced(action, "secret_rotated", &before, after)?;
        Ok(planned.map(|endpoint| Created { endpoint, secret: shown(&secret) }))
    }

    pub(crate) async fn read(&self, account: &str, id: &str) -> Result<Endpoint, Error> {
        let found = self.table.get_endpoint(account, id).get().await?;
        found.ok_or_else(|| Error::new(NOT_FOUND, "There is no such webhook endpoint"))
    }

    /// One that something is to be sent to.
    pub(crate) async fn enabled(&self, account: &str, id: &str) -> Result<Endpoint, Error> {
        let found = self.read(account, id).await?;
        if !found.enabled {
            let message = "The endpoint is disabled, so nothing is sent to it: enable it first";
            return Err(Error::new(CONFLICT, message));
        }
        Ok(found)
    }

    /// The secrets that sign now.
    pub(crate) async fn secrets(&self, endpoint: &Endpoint) -> Result<Vec<Secret>, Error> {
        let now = self.now();
        let place = place(&endpoint.endpoint_id);
        let mut secrets = Vec::new();
        for secret in &endpoint.sealed_secrets {
            if secret.expires_at.is_some_and(|expires| expires <= now) {
                continue;
            }
            let sealed = STANDARD.decode(&secret.sealed).map_err(Error::internal)?;
            let plain = self.seal.unseal(&endpoint.account_id, &place, &sealed).await?;
            let plain = Zeroizing::new(String::from_utf8(plain).map_err(Error::internal)?);
            let secret = Secret::parse(&plain);
            secrets.push(secret.ok_or_else(|| Error::internal("a stored secret is none"))?);
        }
        Ok(secrets)
    }

    pub(crate) fn replaced(
        &self,
        action: &'static str,
        verb: &str,
        before: &Endpoint,
        mut after: Endpoint,
    ) -> Result<Planned<EndpointView>, Error> {
        after.updated_at = Some(self.now());
        let writes = vec![self.table.endpoint().replace_version(&after)?];
        after.version += 1;
        Ok(planned(action, verb, Some(before), &after, writes))
    }

    async fn read_version(
        &self,
        account: &str,
        id: &str,
        version: Option<i64>,
    ) -> Result<Endpoint, Error> {
        let found = self.read(account, id).await?;
        if version.is_some_and(|version| version != found.version) {
            let message = "The endpoint was changed since: read it again";
            return Err(Error::new(PRECONDITION_FAILED, message));
        }
        Ok(found)
    }

    async fn sealed(
        &self,
        account: &str,
        id: &str,
        secret: &Secret,
        now: Moment,
    ) -> Result<SealedSecret, Error> {
        let plain = secret.reveal();
        let sealed = self.seal.seal(account, &place(id), plain.as_bytes()).await?;
        Ok(SealedSecret { sealed: STANDARD.encode(sealed), created_at: now, expires_at: None })
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}

impl<T> Planned<T> {
    /// The same with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Planned<U> {
        let Planned { value, writes, entry, event } = self;
        Planned { value: change(value), writes, entry, event }
    }
}

/// What the writes of a disabled endpoint are told with; the worker disables too.
pub(crate) fn disabled_reason(kind: owner::NoticeKind) -> &'static str {
    match kind {
        owner::NoticeKind::DisabledAsGone => "it answered 410 Gone",
        _ => "it failed for too long",
    }
}

/// Where a secret is sealed for.
fn place(endpoint_id: &str) -> String {
    format!("platform/webhook_events#{endpoint_id}#secret")
}

fn shown(secret: &Secret) -> Option<Zeroizing<String>> {
    (secret.kind() == SecretKind::Hmac).then(|| secret.reveal())
}

fn planned(
    action: &'static str,
    verb: &str,
    before: Option<&Endpoint>,
    after: &Endpoint,
    writes: Vec<Write>,
) -> Planned<EndpointView> {
    let account = after.account_id.as_str();
    let entry = Entry::new("WEBHOOK", action, account)
        .of("webhook_endpoint", after.endpoint_id.as_str())
        .changed(before.map(told), Some(told(after)));
    let event = Event::new(format!("webhook_endpoint.{verb}"), account, told(after));
    Planned { value: view(after), writes, entry, event: Some(event) }
}

/// An endpoint without secrets, for audit and events.
fn told(endpoint: &Endpoint) -> Value {
    json!({
        "endpointId": endpoint.endpoint_id,
        "url": endpoint.url,
        "eventTypes": endpoint.event_types,
        "throttleRate": endpoint.throttle_rate,
        "secretKind": endpoint.secret_kind,
        "enabled": endpoint.enabled,
        "disabledReason": endpoint.disabled_reason,
    })
}

pub(crate) fn view(endpoint: &Endpoint) -> EndpointView {
    let endpoint = endpoint.clone();
    EndpointView {
        id: endpoint.endpoint_id,
        account_id: endpoint.account_id,
        url: endpoint.url,
        description: endpoint.description,
        event_types: endpoint.event_types,
        throttle_rate: endpoint.throttle_rate,
        secret_kind: endpoint.secret_kind,
        public_key: endpoint.public_key,
        enabled: endpoint.enabled,
        disabled_reason: endpoint.disabled_reason,
        created_at: endpoint.created_at,
        updated_at: endpoint.updated_at,
        version: endpoint.version,
    }
}
