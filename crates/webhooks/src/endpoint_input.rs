//! What a caller says about an endpoint, and what is wrong with it.

use std::collections::BTreeSet;

use kernel::error::Error;
use serde::Deserialize;

use crate::policy::Policy;
use crate::secret::{Secret, SecretKind};
use crate::subscription;

/// Most event types of one endpoint.
const EVENT_TYPES_MAX: usize = 100;
/// Most characters of a description.
const DESCRIPTION_MAX: usize = 500;
/// Most attempts in a second that a throttle can be set to.
const THROTTLE_MAX: u32 = 1000;

/// A new endpoint.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewEndpoint {
    /// Where events are sent.
    pub url: String,
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// Which events: types, or beginnings such as `tenant.*`; all if absent.
    #[serde(default)]
    pub event_types: Option<BTreeSet<String>>,
    /// Most attempts in a second.
    #[serde(default)]
    pub throttle_rate: Option<u32>,
    /// How to sign; a new HMAC secret if absent.
    #[serde(default)]
    pub secret: SecretChoice,
}

/// How an endpoint's events are to be signed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecretChoice {
    /// With a new HMAC secret.
    #[default]
    Hmac,
    /// With a new ed25519 key.
    Ed25519,
    /// With this one, `whsec_…` or `whsk_…`.
    Given(GivenSecret),
}

/// A secret that the caller brings along.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct GivenSecret(pub String);

impl std::fmt::Debug for GivenSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenSecret")
    }
}

/// Changes to an endpoint; what is absent stays, and a `null` inside takes away.
#[derive(Clone, Debug, Default)]
pub struct EndpointPatch {
    /// Another URL.
    pub url: Option<String>,
    /// Another description, or none.
    pub description: Option<Option<String>>,
    /// Other event types, or all.
    pub event_types: Option<Option<BTreeSet<String>>>,
    /// Another throttle, or none.
    pub throttle_rate: Option<Option<u32>>,
}

impl SecretChoice {
    /// The secret; none if the given one is no secret.
    pub(crate) fn secret(&self, ids: &kernel::ids::Ids) -> Result<Secret, Error> {
        match self {
            SecretChoice::Hmac => Secret::make(SecretKind::Hmac, ids),
            SecretChoice::Ed25519 => Secret::make(SecretKind::Ed25519, ids),
            SecretChoice::Given(text) => Secret::parse(&text.0).ok_or_else(|| {
                let message = "write whsec_ and 24 to 64 bytes in base64, or whsk_ and a key pair";
                Error::validation([("secret", message.to_owned())])
            }),
        }
    }
}

/// Everything that is wrong with an endpoint's properties.
pub(crate) fn check(
    policy: &Policy,
    url: &str,
    description: Option<&str>,
    event_types: Option<&BTreeSet<String>>,
    throttle_rate: Option<u32>,
) -> Result<(), Error> {
    let mut problems: Vec<(&str, String)> = Vec::new();
    if let Err(refusal) = policy.target(url) {
        problems.push(("url", refusal.to_string()));
    }
    if description.is_some_and(|text| text.chars().count() > DESCRIPTION_MAX) {
        problems.push(("description", format!("it has more than {DESCRIPTION_MAX} characters")));
    }
    if let Some(types) = event_types {
        if types.is_empty() || types.len() > EVENT_TYPES_MAX {
            let message = format!("name 1 to {EVENT_TYPES_MAX}, or leave it out for all events");
            problems.push(("eventTypes", message));
        }
        let wrong = types.iter().filter_map(|filter| subscription::problem(filter));
        problems.extend(wrong.map(|problem| ("eventTypes", problem)));
    }
    if throttle_rate.is_some_and(|rate| !(1..=THROTTLE_MAX).contains(&rate)) {
        problems.push(("throttleRate", format!("it should be 1 to {THROTTLE_MAX} a second")));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::validation(problems)) }
}
