//! Would a key be accepted, and what if one was found where it should not be? Both take the key itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use changes::Rejection;
use identity::keys::{Demand, Key, Outcome, Verified};
use kernel::error::Error;
use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Params, Route, State};

use super::OpsAccount;
use super::shown::ApiKeyEnvironment;
use crate::permissions::{Anonymous, KeysVerify};
use crate::platform::Platform;

/// The same with these routes.
pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    let verify = Route::post("/keys/verify", "verifyKey")
        .summary("Says whether a key of the account is accepted, and counts its use")
        .answers::<ApiKeyVerdict>(200, "What came of it")
        // An answer of yesterday must not outlive a revocation.
        .never_replayed();
    let report = Route::post("/keys/report", "reportKey")
        .summary("Reports a key that was found where it should not be: it is revoked at once")
        .answers_empty(202, "Thank you; nothing is said about whether it was a key")
        // Strangers would share one space of keys.
        .never_replayed();
    api.route(verify, verify_key).route(report, report_key)
}

/// A key that is to be verified.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyQuestion {
    /// The key itself.
    #[schema(min_length = 1, max_length = 200)]
    pub key: String,
    /// Everything that it must be allowed to do.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub scopes: Vec<String>,
    /// What it must be for.
    #[serde(default)]
    pub environment: Option<ApiKeyEnvironment>,
    /// How many uses it costs.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1_000_000, default = 1)]
    pub cost: Option<u64>,
}

/// What came of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ApiKeyCode {
    /// It is accepted.
    Valid,
    /// It is no key of this account, or a revoked one. Looked at first.
    #[default]
    NotFound,
    /// It is for another environment. Second.
    Forbidden,
    /// It is switched off for now. Third.
    Disabled,
    /// Its time is over. Fourth.
    Expired,
    /// It was used as often as it may be. Fifth.
    UsageExceeded,
    /// It asks too often. Sixth.
    RateLimited,
    /// It may not do what it must be allowed to do. Last.
    InsufficientPermissions,
}

impl From<Outcome> for ApiKeyCode {
    fn from(outcome: Outcome) -> ApiKeyCode {
        match outcome {
            Outcome::Valid => ApiKeyCode::Valid,
            Outcome::NotFound => ApiKeyCode::NotFound,
            Outcome::Forbidden => ApiKeyCode::Forbidden,
            Outcome::Disabled => ApiKeyCode::Disabled,
            Outcome::Expired => ApiKeyCode::Expired,
            Outcome::UsageExceeded => ApiKeyCode::UsageExceeded,
            Outcome::RateLimited => ApiKeyCode::RateLimited,
            Outcome::InsufficientPermissions => ApiKeyCode::InsufficientPermissions,
        }
    }
}

/// What came of a key; of one that is not found there is nothing more.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyVerdict {
    /// Whether it is accepted.
    pub valid: bool,
    /// The first of these that holds.
    pub code: ApiKeyCode,
    /// Its identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<ApiKeyEnvironment>,
    /// What it may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<BTreeSet<String>>,
    /// What its owner notes about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// What its own limit says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<ApiKeyRateLimit>,
}

/// What a key's own limit says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyRateLimit {
    /// Requests in a window.
    pub limit: u64,
    /// How many more are admitted now.
    pub remaining: u64,
    /// In how many seconds there are more.
    pub reset_seconds: u64,
}

/// A key that was found somewhere.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyReport {
    /// The key itself.
    #[schema(min_length = 1, max_length = 200)]
    pub key: String,
    /// Where it was found, for its owner.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500)]
    pub found_at: Option<String>,
}

async fn verify_key(
    allowed: Allowed<KeysVerify>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Body(question): Body<ApiKeyQuestion>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let scopes: Vec<&str> = question.scopes.iter().map(String::as_str).collect();
    let demand = Demand {
        scopes: &scopes,
        environment: question.environment.map(Into::into),
        account_id: Some(account),
        cost: question.cost.unwrap_or(1),
    };
    let verified = platform.keys().verify(&question.key, &demand).await?;
    let origin = allowed.context().request_facts().origin();
    platform.later().record(&verified.entry(), &origin).await?;
    Answer::ok(&verdict(verified, account))
}

/// Another account's key is as one that does not exist, and so is a revoked one.
fn verdict(verified: Verified, account: &str) -> ApiKeyVerdict {
    let Verified { outcome, key, limit, .. } = verified;
    let Some(key) = key.filter(|key| key.account_id == account && outcome != Outcome::NotFound)
    else {
        return ApiKeyVerdict { code: ApiKeyCode::NotFound, ..ApiKeyVerdict::default() };
    };
    let rate_limit = limit.map(|verdict| ApiKeyRateLimit {
        limit: verdict.limit,
        remaining: verdict.remaining,
        reset_seconds: verdict.reset.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX),
    });
    let Key { id, name, environment, scopes, metadata, expires_at, .. } = Arc::unwrap_or_clone(key);
    ApiKeyVerdict {
        valid: outcome == Outcome::Valid,
        code: outcome.into(),
        key_id: Some(id),
        name: Some(name),
        environment: Some(environment.into()),
        scopes: Some(scopes.unwrap_or_else(|| BTreeSet::from(["*".to_owned()]))),
        metadata: Some(metadata),
        expires_at,
        rate_limit,
    }
}

async fn report_key(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(report): Body<ApiKeyReport>,
) -> Result<Answer, Error> {
    let context = allowed.context();
    let thanks = Answer::empty(http::StatusCode::ACCEPTED);
    let Some(mut changed) = platform.keys().report(&report.key, context.caller.name()).await?
    else {
        return Ok(thanks);
    };
    if let Some(place) = report.found_at {
        changed.entry = changed.entry.detail("found_at", place);
    }
    let mut change = platform.begin(context);
    changed.add_to(&mut change);
    match change.commit(thanks.clone()).await {
        // Another request revoked it meanwhile: that is what was wanted.
        Ok(_) | Err(Rejection::Conflict) => Ok(thanks),
        Err(rejection) => Err(rejection.into()),
    }
}
