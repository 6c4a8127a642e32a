//! API keys as requests and answers have them: twins of the domain's types.

use std::collections::BTreeSet;

use identity::keys::{Edit, Environment, Key, KeyLimit, NewKey, must_have};
use kernel::moment::Moment;
use kernel::permissions::Target;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Context, Links};

use crate::permissions::{KeysRead, KeysWrite};

/// What a key is for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyEnvironment {
    /// For real.
    Live,
    /// For trying things out.
    Test,
}

impl From<ApiKeyEnvironment> for Environment {
    fn from(environment: ApiKeyEnvironment) -> Environment {
        match environment {
            ApiKeyEnvironment::Live => Environment::Live,
            ApiKeyEnvironment::Test => Environment::Test,
        }
    }
}

impl From<Environment> for ApiKeyEnvironment {
    fn from(environment: Environment) -> ApiKeyEnvironment {
        match environment {
            Environment::Live => ApiKeyEnvironment::Live,
            Environment::Test => ApiKeyEnvironment::Test,
        }
    }
}

/// How many requests a key may make in a window.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyLimit {
    /// Requests.
    #[schema(minimum = 1, maximum = 1_000_000_000)]
    pub requests: u64,
    /// In so many seconds.
    #[schema(minimum = 1, maximum = 86_400)]
    pub window_seconds: u64,
}

impl From<ApiKeyLimit> for KeyLimit {
    fn from(ApiKeyLimit { requests, window_seconds }: ApiKeyLimit) -> KeyLimit {
        KeyLimit { requests, window_seconds }
    }
}

/// A key that is to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewApiKey {
    /// What it is called, on one line.
    #[schema(min_length = 1, max_length = 100, pattern = "^[^\\x00-\\x1f\\x7f]*$")]
    pub name: String,
    /// For real or for trying things out.
    pub environment: ApiKeyEnvironment,
    /// What it may do: `keys:read`, all of a service as `keys:*`, or `*`.
    #[schema(min_items = 1, max_items = 100)]
    pub scopes: Vec<String>,
    /// From when on it is refused.
    #[serde(default)]
    pub expires_at: Option<Moment>,
    /// What its owner notes about it: up to 4 KB of JSON, 16 objects and lists in each other, numbers
    /// up to 9.99e125.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// How often it may ask.
    #[serde(default)]
    pub limit: Option<ApiKeyLimit>,
    /// How often it may be used in all.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1_000_000_000_000_u64)]
    pub uses_left: Option<u64>,
}

impl NewApiKey {
    /// The same for an account.
    pub fn of(self, account: &str) -> NewKey {
        let NewApiKey { name, environment, scopes, expires_at, metadata, limit, uses_left } = self;
        NewKey {
            account_id: account.to_owned(),
            name,
            environment: environment.into(),
            scopes: Some(scopes.into_iter().collect()),
            expires_at,
            metadata: metadata.unwrap_or_default(),
            limit: limit.map(KeyLimit::from),
            uses_left,
        }
    }
}

/// What is to change about a key: what is left out stays, and null takes away, except the name and the
/// scopes, which a key always has.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyChanges {
    /// What it is called, on one line.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f]*$"
    )]
    pub name: Option<String>,
    /// What it may do.
    #[schema(nullable = false, min_items = 1, max_items = 100)]
    pub scopes: Option<Vec<String>>,
    /// From when on it is refused; null is never.
    #[serde(default, deserialize_with = "present")]
    pub expires_at: Option<Option<Moment>>,
    /// What its owner notes about it: up to 4 KB of JSON, 16 objects and lists in each other, numbers
    /// up to 9.99e125.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// How often it may ask; null is without limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<ApiKeyLimit>)]
    pub limit: Option<Option<ApiKeyLimit>>,
    /// How often it may still be used; null is without end.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, minimum = 0, maximum = 1_000_000_000_000_u64)]
    pub uses_left: Option<Option<u64>>,
}

/// Tells what is null from what is left out.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

impl From<ApiKeyChanges> for Edit {
    fn from(changes: ApiKeyChanges) -> Edit {
        let ApiKeyChanges { name, scopes, expires_at, metadata, limit, uses_left } = changes;
        Edit {
            name,
            scopes: scopes.map(|scopes| Some(scopes.into_iter().collect())),
            expires_at,
            metadata: metadata.map(Option::unwrap_or_default),
            limit: limit.map(|limit| limit.map(KeyLimit::from)),
            uses_left,
        }
    }
}

/// Whether a key is accepted, as far as it says itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyStatus {
    /// It is.
    Active,
    /// It is switched off for now.
    Disabled,
    /// Its time is over.
    Expired,
    /// It is gone for good.
    Revoked,
}

/// A key without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Its identifier.
    pub key_id: String,
    /// The account it acts for.
    pub account_id: String,
    /// What it is called.
    pub name: String,
    /// How its secret begins.
    pub prefix: String,
    /// What it is for.
    pub environment: ApiKeyEnvironment,
    /// What it may do.
    pub scopes: BTreeSet<String>,
    /// Whether it is accepted.
    pub status: ApiKeyStatus,
    /// What its owner notes about it.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    /// How often it may ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<ApiKeyLimit>,
    /// How often it may still be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_left: Option<u64>,
    /// When it was made.
    pub created_at: Moment,
    /// By whom.
    pub created_by: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Moment>,
    /// When it was last accepted, give or take a quarter of an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Moment>,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// When it was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Moment>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_by: Option<String>,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Moment>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_because: Option<String>,
    /// The key that takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotated_to: Option<String>,
    /// The key whose place it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotated_from: Option<String>,
    /// Counts changes.
    pub version: i64,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

/// A new key with its secret, which is never shown again.
#[derive(Serialize, ToSchema)]
pub struct MadeApiKey {
    /// The key.
    #[serde(flatten)]
    pub key: ApiKey,
    /// What programs send in X-Api-Key. It is shown here and nowhere else.
    pub secret: String,
}

impl ApiKey {
    /// A key as this caller may see it.
    pub fn of(context: &Context, key: Key) -> ApiKey {
        let (limit, links) = (key.limit(), links(context, &key));
        ApiKey {
            status: status(&key, context.now),
            key_id: key.id,
            account_id: key.account_id,
            name: key.name,
            prefix: key.prefix,
            environment: key.environment.into(),
            scopes: key.scopes.unwrap_or_else(|| BTreeSet::from(["*".to_owned()])),
            metadata: key.metadata,
            limit: limit.map(|KeyLimit { requests, window_seconds }| ApiKeyLimit {
                requests,
                window_seconds,
            }),
            uses_left: key.uses_left,
            created_at: key.created_at,
            created_by: key.created_by,
            updated_at: key.updated_at,
            last_used_at: key.last_used_at,
            expires_at: key.expires_at,
            disabled_at: key.disabled_at,
            disabled_by: key.disabled_by,
            revoked_at: key.revoked_at,
            revoked_by: key.revoked_by,
            revoked_because: key.revoked_because,
            rotated_to: key.rotated_to,
            rotated_from: key.rotated_from,
            version: key.version,
            links,
        }
    }
}

fn status(key: &Key, now: Moment) -> ApiKeyStatus {
    match () {
        () if key.revoked_at.is_some() => ApiKeyStatus::Revoked,
        () if !key.enabled => ApiKeyStatus::Disabled,
        () if key.is_expired(now) => ApiKeyStatus::Expired,
        () => ApiKeyStatus::Active,
    }
}

/// What this caller may do with a key as it is now.
fn links(context: &Context, key: &Key) -> Value {
    let (target, own) = (Target::Account(&key.account_id), [("keyId", key.id.as_str())]);
    let status = status(key, context.now);
    let is_kept = status != ApiKeyStatus::Revoked;
    let is_rotated = key.rotated_to.is_some();
    let may_have = must_have(&context.caller, key.scopes.as_ref()).is_ok();
    let is_rotatable = status == ApiKeyStatus::Active && !is_rotated && may_have;
    let mut links = Links::new(context)
        .to("self", "/keys/{keyId}", &own)
        .offer::<KeysWrite>(is_kept, &target, "update", "/keys/{keyId}", &own)
        .offer::<KeysWrite>(is_rotatable, &target, "rotate", "/keys/{keyId}/rotate", &own)
        .offer::<KeysWrite>(
            is_kept && key.enabled,
            &target,
            "disable",
            "/keys/{keyId}/disable",
            &own,
        )
        .offer::<KeysWrite>(
            is_kept && !key.enabled,
            &target,
            "enable",
            "/keys/{keyId}/enable",
            &own,
        )
        .offer::<KeysWrite>(is_kept, &target, "revoke", "/keys/{keyId}/revoke", &own);
    let others = [("successor", &key.rotated_to), ("predecessor", &key.rotated_from)];
    for (relation, id) in others {
        let values = [("keyId", id.as_deref().unwrap_or_default())];
        links = links.offer::<KeysRead>(id.is_some(), &target, relation, "/keys/{keyId}", &values);
    }
    links.done()
}
