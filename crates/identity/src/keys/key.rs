//! A key as it is stored, and as others may see it.

use std::collections::BTreeSet;

use kernel::error::Error;
use kernel::free_object;
use kernel::moment::Moment;
use kernel::permissions::grants;
use limits::{By, OWN_POLICY, Policy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const NAME_MAX: usize = 100;
const SCOPES_MAX: usize = 100;
const SCOPE_MAX: usize = 100;
const METADATA_BYTES_MAX: usize = 4096;

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// For real.
    Live,
    /// For trying things out.
    Test,
}

impl Environment {
    /// Both.
    pub const ALL: [Environment; 2] = [Environment::Live, Environment::Test];

    /// How its keys begin. Never change it: scanners look for it.
    pub const fn prefix(self) -> &'static str {
        match self {
            Environment::Live => "plk_live_",
            Environment::Test => "plk_test_",
        }
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Environment::Live => "live",
            Environment::Test => "test",
        }
    }
}

/// How many requests a key may make in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyLimit {
    /// Requests.
    pub requests: u64,
    /// In so many seconds.
    pub window_seconds: u64,
}

/// A key that is to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The account it acts for.
    pub account_id: String,
    /// What it is for.
    pub name: String,
    /// For real or for trying things out.
    pub environment: Environment,
    /// What it may do; none means everything its account may.
    pub scopes: Option<BTreeSet<String>>,
    /// From when on it is refused.
    pub expires_at: Option<Moment>,
    /// What its owner notes about it.
    pub metadata: Map<String, Value>,
    /// How often it may ask.
    pub limit: Option<KeyLimit>,
    /// How often it may be used in all.
    pub uses_left: Option<u64>,
}

/// What changes about a key; what is none stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// What it is for.
    pub name: Option<String>,
    /// What it may do; `Some(None)` is everything its account may.
    pub scopes: Option<Option<BTreeSet<String>>>,
    /// From when on it is refused; `Some(None)` is never.
    pub expires_at: Option<Option<Moment>>,
    /// What its owner notes about it.
    pub metadata: Option<Map<String, Value>>,
    /// How often it may ask; `Some(None)` is without limit.
    pub limit: Option<Option<KeyLimit>>,
    /// How often it may be used in all; `Some(None)` is without end.
    pub uses_left: Option<Option<u64>>,
}

/// A key without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    #[serde(rename = "api_key_hash")]
    pub(super) hash: String,
    /// Its identifier, which may be shown.
    #[serde(rename = "api_key_id")]
    pub id: String,
    /// The account it acts for.
    pub account_id: String,
    /// What it is for.
    pub name: String,
    /// How it begins.
    pub prefix: String,
    /// For real or for trying things out.
    pub environment: Environment,
    /// What it may do; none means everything its account may.
    #[serde(with = "store::typed::string_set", default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<BTreeSet<String>>,
    /// Whether it is accepted.
    pub enabled: bool,
    /// What its owner notes about it.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    pub(super) limit_requests: Option<u64>,
    pub(super) limit_window_seconds: Option<u64>,
    /// How often it may still be used.
    pub uses_left: Option<u64>,
    /// When it was made.
    pub created_at: Moment,
    /// By whom.
    pub created_by: String,
    /// When it was last changed.
    pub updated_at: Option<Moment>,
    /// When it was last accepted, give or take a quarter of an hour.
    pub last_used_at: Option<Moment>,
    /// From when on it is refused.
    pub expires_at: Option<Moment>,
    /// When it was disabled.
    pub disabled_at: Option<Moment>,
    /// By whom.
    pub disabled_by: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<Moment>,
    /// By whom.
    pub revoked_by: Option<String>,
    /// Why.
    pub revoked_because: Option<String>,
    /// The key that takes its place.
    pub rotated_to: Option<String>,
    /// The key whose place it takes.
    pub rotated_from: Option<String>,
    /// Counts changes.
    pub version: i64,
    pub(super) ttl: Option<u64>,
}

impl Key {
    /// How often it may ask.
    pub fn limit(&self) -> Option<KeyLimit> {
        let (requests, window_seconds) = self.limit_requests.zip(self.limit_window_seconds)?;
        Some(KeyLimit { requests, window_seconds })
    }

    /// The policy of its own limit, if it has one.
    pub fn policy(&self) -> Option<Policy> {
        let limit = self.limit()?;
        Some(Policy::new(OWN_POLICY, limit.requests, limit.window_seconds, By::Key))
    }

    /// Whether it is expired at a moment.
    pub fn is_expired(&self, now: Moment) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Whether it may do something: a scope is `service:verb`; `service:*` and `*` are more of them.
    pub fn allows(&self, wanted: &str) -> bool {
        let Some(scopes) = &self.scopes else { return true };
        scopes.iter().any(|scope| grants(scope, wanted))
    }

    /// What others may see of it: everything but the hash and the time of its removal.
    pub fn shown(&self) -> Value {
        let Ok(Value::Object(mut shown)) = serde_json::to_value(self) else { return Value::Null };
        shown.remove("api_key_hash");
        shown.remove("ttl");
        shown.retain(|_, value| !value.is_null());
        Value::Object(shown)
    }
}

/// Checks what a key is made or changed with; every problem is named.
pub(super) fn check(
    name: Option<&str>,
    scopes: Option<&BTreeSet<String>>,
    expires_at: Option<Moment>,
    metadata: Option<&Map<String, Value>>,
    limit: Option<KeyLimit>,
    now: Moment,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    if name.is_some_and(|name| name.trim().is_empty() || name.chars().count() > NAME_MAX) {
        problems.push(("name", format!("it must have 1 to {NAME_MAX} characters")));
    }
    if let Some(scopes) = scopes {
        let is_scope = |scope: &String| {
            let plain = scope.strip_suffix('*').unwrap_or(scope);
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
            scope.len() <= SCOPE_MAX
                && !scope.is_empty()
                && plain.chars().all(is_letter)
                && (scope == "*" || scope.contains(':'))
        };
        if scopes.is_empty() || scopes.len() > SCOPES_MAX || !scopes.iter().all(is_scope) {
            let message = "they must be 1 to 100 texts such as tenants:read, tenants:* or *";
            problems.push(("scopes", message.to_owned()));
        }
    }
    if expires_at.is_some_and(|at| at <= now) {
        problems.push(("expiresAt", "it must be in the future".to_owned()));
    }
    let problem = |metadata| free_object::problem(metadata, METADATA_BYTES_MAX);
    problems.extend(metadata.and_then(problem).map(|problem| ("metadata", problem)));
    let is_limit = |limit: &KeyLimit| {
        (1..=1_000_000_000).contains(&limit.requests)
            && (1..=86_400).contains(&limit.window_seconds)
    };
    if limit.is_some_and(|limit| !is_limit(&limit)) {
        let message = "it must be at least 1 request in 1 s to a day".to_owned();
        problems.push(("limit", message));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::validation(problems)) }
}
