//! Whether a key is accepted, and why not.

use std::fmt;
use std::sync::Arc;

use audit::Entry;
use kernel::caller::{Caller, Identity};
use kernel::error::Error;
use kernel::moment::Moment;
use limits::Verdict;
use store::Changes;

use super::key::{Environment, Key};
use super::service::Keys;
use super::text;

/// What came of a key. The first that holds, in this order: not found, forbidden, disabled, expired,
/// usage exceeded, rate limited, insufficient permissions, valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is accepted.
    Valid,
    /// It is no key, or one that is not known, or revoked for good.
    NotFound,
    /// It is for another environment or account than is asked for.
    Forbidden,
    /// It is known and may not be used for this.
    InsufficientPermissions,
    /// It was used as often as it may be.
    UsageExceeded,
    /// It asks too often.
    RateLimited,
    /// It is switched off for now.
    Disabled,
    /// Its time is over.
    Expired,
}

impl Outcome {
    /// Its name in answers and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Valid => "VALID",
            Outcome::NotFound => "NOT_FOUND",
            Outcome::Forbidden => "FORBIDDEN",
            Outcome::InsufficientPermissions => "INSUFFICIENT_PERMISSIONS",
            Outcome::UsageExceeded => "USAGE_EXCEEDED",
            Outcome::RateLimited => "RATE_LIMITED",
            Outcome::Disabled => "DISABLED",
            Outcome::Expired => "EXPIRED",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a key is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand<'a> {
    /// Everything that it must be allowed to do.
    pub scopes: &'a [&'a str],
    /// The environment it must be for, if that matters.
    pub environment: Option<Environment>,
    /// The account it must act for, if that is known.
    pub account_id: Option<&'a str>,
    /// How many uses it costs; 0 counts as 1.
    pub cost: u64,
}

/// What came of a key, and the key, if it is known.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What came of it.
    pub outcome: Outcome,
    /// The key. Whoever is refused must learn nothing of it.
    pub key: Option<Arc<Key>>,
    /// What its own rate limit says, for headers.
    pub limit: Option<Verdict>,
    /// How the key begins, for the record.
    prefix: String,
    /// More than the outcome says, for the record alone.
    reason: Option<&'static str>,
}

impl Verified {
    /// Who is calling, if the key is accepted.
    pub fn caller(&self) -> Option<Caller> {
        let key = self.key.as_ref().filter(|_| self.outcome == Outcome::Valid)?;
        let environment = key.environment.as_str().to_owned();
        let mut caller = Caller::new(Identity::ApiKey { key_id: key.id.clone(), environment });
        caller.account_id = Some(key.account_id.clone());
        caller.scopes.clone_from(&key.scopes);
        Some(caller)
    }

    /// The attempt, to be recorded (R003-audit-6). One with an unknown key belongs to no account.
    pub fn entry(&self) -> Entry {
        let account = self.key.as_ref().map_or("anonymous", |key| key.account_id.as_str());
        let is_valid = self.outcome == Outcome::Valid;
        let action = if is_valid { "API_KEY_ACCEPTED" } else { "API_KEY_REFUSED" };
        let mut entry = Entry::new("AUTH", action, account)
            .detail("outcome", self.outcome.as_str())
            .detail("prefix", self.prefix.as_str());
        if let Some(reason) = self.reason {
            entry = entry.detail("reason", reason);
        }
        if let Some(key) = &self.key {
            entry = entry.of("api_key", key.id.as_str());
        }
        if is_valid { entry } else { entry.failed() }
    }
}

impl Keys {
    /// Says whether a key is accepted: at most one strongly consistent read, none for a text that is
    /// no key, and none where the store can tell that the key has not changed since the last. A key with a number of uses costs one write besides, one with a rate limit another.
    pub async fn verify(&self, text: &str, demand: &Demand<'_>) -> Result<Verified, Error> {
        let mut verified = Verified {
            outcome: Outcome::NotFound,
            key: None,
            limit: None,
            prefix: text::shown(text),
            reason: Some("malformed"),
        };
        if text::read(text).is_none() {
            return Ok(verified);
        }
        let now = self.now();
        let Some(key) = self.by_hash(&text::hash(text)).await? else {
            verified.reason = Some("unknown");
            return Ok(verified);
        };
        verified.reason = key.revoked_at.map(|_| "revoked");
        verified.outcome = state(&key, demand, now);
        if verified.outcome == Outcome::Valid {
            verified.limit = self.within_limit(&key).await?;
            let is_within = verified.limit.as_ref().is_none_or(|verdict| verdict.admitted);
            verified.outcome = match () {
                () if !is_within => Outcome::RateLimited,
                () if !demand.scopes.iter().all(|scope| key.allows(scope)) => {
                    Outcome::InsufficientPermissions
                }
                () if key.uses_left.is_some() => Box::pin(self.spend(&key, demand, now)).await?,
                () => Outcome::Valid,
            };
        }
        if verified.outcome == Outcome::Valid {
            self.usage.note(&key, now);
        }
        verified.key = Some(key);
        Ok(verified)
    }

    async fn within_limit(&self, key: &Key) -> Result<Option<Verdict>, Error> {
        let Some((policy, limiter)) = key.policy().zip(self.limiter.as_ref()) else {
            return Ok(None);
        };
        let subject = format!("key:{}", key.id);
        Box::pin(limiter.check_one(&policy, &subject, 1)).await.map(Some)
    }

    /// Counts a use, unless none is left or the key changed since it was read.
    async fn spend(&self, key: &Key, demand: &Demand<'_>, now: Moment) -> Result<Outcome, Error> {
        let cost = i64::try_from(demand.cost.max(1)).unwrap_or(i64::MAX);
        let spend = self.table.spend_use(&key.hash, cost);
        let spent = spend.update(Changes::new().add("uses_left", -cost))?;
        match spent.run().await {
            Ok(_) => Ok(Outcome::Valid),
            Err(store::Error::ConditionFailed { found: None }) => Ok(Outcome::NotFound),
            Err(store::Error::ConditionFailed { found: Some(found) }) => {
                let found: Key = store::Record::from_item(found)?;
                match state(&found, demand, now) {
                    Outcome::Valid => Ok(Outcome::UsageExceeded),
                    outcome => Ok(outcome),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What the key alone says, without its rate limit and scopes. A revoked key is as one that does not
/// exist, which it soon will not: its outcome is the same before and after the item is removed.
fn state(key: &Key, demand: &Demand<'_>, now: Moment) -> Outcome {
    let is_asked_for = demand.environment.is_none_or(|wanted| wanted == key.environment)
        && demand.account_id.is_none_or(|wanted| wanted == key.account_id);
    match () {
        () if key.revoked_at.is_some() => Outcome::NotFound,
        () if !is_asked_for => Outcome::Forbidden,
        () if !key.enabled => Outcome::Disabled,
        () if key.is_expired(now) => Outcome::Expired,
        () if key.uses_left.is_some_and(|left| left < demand.cost.max(1)) => Outcome::UsageExceeded,
        () => Outcome::Valid,
    }
}
