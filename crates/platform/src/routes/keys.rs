//! API keys over HTTP: made, listed, changed, rotated, disabled, revoked, verified, reported.

mod check;
mod shown;

use std::time::Duration;

use changes::CommitError;
use identity::keys::{Changed, Edit, Key, Made, must_have};
use kernel::error::Error;
use kernel::permissions::{Permission, Target};
use serde::Deserialize;
use store::Record as _;
use utoipa::ToSchema;
use web::{
    Allowed, Answer, Api, Body, Context, IfMatch, InPath, MustMatch, PageAnswer, Params, Route,
    State, not_found,
};

use self::shown::{ApiKey, ApiKeyChanges, MadeApiKey, NewApiKey};
use super::account::{OpsAccount, OpsPage};
use crate::permissions::{KeysRead, KeysWrite};
use crate::platform::Platform;

/// For how long a rotated key stays valid, unless the caller says otherwise.
const GRACE_SECONDS: u64 = 60 * 60;

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    let list = Route::get("/keys", "listKeys")
        .summary("Lists an account's API keys, newest first")
        .answers_page::<ApiKey>("The keys, without their secrets");
    let make = Route::post("/keys", "createKey")
        .summary("Makes an API key and shows its secret, once")
        .answers::<MadeApiKey>(201, "The key and its secret");
    let read = Route::get("/keys/{keyId}", "getKey")
        .summary("Gets an API key, without its secret")
        .answers::<ApiKey>(200, "The key");
    let edit = Route::patch("/keys/{keyId}", "updateKey")
        .summary("Changes an API key's name, scopes, expiry, notes or limits")
        .answers::<ApiKey>(200, "The key as it is now");
    let turn = Route::post("/keys/{keyId}/rotate", "rotateKey")
        .summary("Gives an API key a successor; the old one stays valid for a while")
        .answers::<MadeApiKey>(201, "The successor and its secret");
    let off = Route::post("/keys/{keyId}/disable", "disableKey")
        .summary("Switches an API key off until it is switched on again")
        .answers::<ApiKey>(200, "The key as it is now");
    let on = Route::post("/keys/{keyId}/enable", "enableKey")
        .summary("Switches an API key on again")
        .answers::<ApiKey>(200, "The key as it is now");
    let end = Route::post("/keys/{keyId}/revoke", "revokeKey")
        .summary("Revokes an API key for good: the next request with it fails")
        .answers::<ApiKey>(200, "The key as it is now");
    let api = Api::new("ops", platform.clone())
        .route(list, list_keys)
        .route(make, create)
        .route(read, get)
        .route(edit, update)
        .route(turn, rotate)
        .route(off, disable)
        .route(on, enable)
        .route(end, revoke);
    check::routes(api)
}

/// A key in a path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyPath {
    /// Its identifier.
    #[schema(min_length = 1, max_length = 100)]
    pub key_id: String,
}

/// How a key is rotated.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyRotation {
    /// For how long the old key stays valid: up to a day, and never past its own expiry.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 86_400, default = 3600)]
    pub grace_seconds: Option<u64>,
}

/// Why a key is revoked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyRevocation {
    /// In the words of whoever does it.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500)]
    pub reason: Option<String>,
}

async fn list_keys(
    allowed: Allowed<KeysRead>,
    State(platform): State<Platform>,
    Params(page): Params<OpsPage>,
) -> Result<Answer, Error> {
    let account = allowed.account(page.account_id.as_deref())?;
    let found = platform.keys().list(account, page.items(), page.next_token.as_deref()).await?;
    let context = allowed.context();
    Answer::ok(&PageAnswer::new(context, found, |key| ApiKey::of(context, key)))
}

async fn create(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Body(new): Body<NewApiKey>,
) -> Result<Answer, Error> {
    let new = new.of(allowed.account(of.account_id.as_deref())?);
    must_have(allowed.caller(), new.scopes.as_ref())?;
    let made = platform.keys().create(new, allowed.caller().name())?;
    Ok(commit_made(&platform, allowed.context(), made).await?)
}

async fn get(
    allowed: Allowed<KeysRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    shown(allowed.context(), key)
}

async fn update(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    must_match: MustMatch,
    Body(changes): Body<ApiKeyChanges>,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    must_match.check(version(&key))?;
    let edit = Edit::from(changes);
    if edit == Edit::default() {
        return Err(Error::validation([("body", "should name something to change".to_owned())]));
    }
    let changed = platform.keys().edit(&key, edit)?;
    if changed.key.scopes != key.scopes {
        must_have(allowed.caller(), changed.key.scopes.as_ref())?;
    }
    let done = commit_shown(&platform, allowed.context(), changed).await;
    done.map_err(|error| lost(error, |version| must_match.check(version)))
}

async fn rotate(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
    Body(rotation): Body<ApiKeyRotation>,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    if_match.check(version(&key))?;
    // The successor's secret is shown to the caller, with everything that it opens.
    must_have(allowed.caller(), key.scopes.as_ref())?;
    let grace = Duration::from_secs(rotation.grace_seconds.unwrap_or(GRACE_SECONDS));
    let made = platform.keys().rotate(&key, grace, allowed.caller().name())?;
    let done = commit_made(&platform, allowed.context(), made).await;
    done.map_err(|error| lost(error, |version| if_match.check(version)))
}

async fn disable(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    if_match.check(version(&key))?;
    let changed = platform.keys().disable(&key, allowed.caller().name())?;
    let done = commit_shown(&platform, allowed.context(), changed).await;
    done.map_err(|error| lost(error, |version| if_match.check(version)))
}

async fn enable(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    if_match.check(version(&key))?;
    let changed = platform.keys().enable(&key)?;
    let done = commit_shown(&platform, allowed.context(), changed).await;
    done.map_err(|error| lost(error, |version| if_match.check(version)))
}

async fn revoke(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
    Body(revocation): Body<ApiKeyRevocation>,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    if_match.check(version(&key))?;
    let because = revocation.reason.as_deref().unwrap_or("no reason was given");
    let changed = platform.keys().revoke(&key, allowed.caller().name(), because)?;
    let done = commit_shown(&platform, allowed.context(), changed).await;
    done.map_err(|error| lost(error, |version| if_match.check(version)))
}

/// A key that the caller may see. Another's is as one that does not exist.
async fn find<P: Permission>(
    platform: &Platform,
    allowed: &Allowed<P>,
    path: &ApiKeyPath,
    of: &OpsAccount,
) -> Result<Key, Error> {
    let found = platform.keys().find(&path.key_id).await?;
    let is_of = |key: &Key| of.account_id.as_ref().is_none_or(|named| *named == key.account_id);
    let key = found.filter(is_of).ok_or_else(not_found)?;
    allowed.on(&Target::Account(&key.account_id))?;
    Ok(key)
}

fn shown(context: &Context, key: Key) -> Result<Answer, Error> {
    let version = version(&key);
    Ok(Answer::ok(&ApiKey::of(context, key))?.versioned(version))
}

fn version(key: &Key) -> u64 {
    u64::try_from(key.version).unwrap_or(0)
}

/// Commits a change and answers with the key as it is then.
async fn commit_shown(
    platform: &Platform,
    context: &Context,
    changed: Changed,
) -> Result<Answer, CommitError> {
    let answer = shown(context, changed.key.clone())?;
    commit(platform, context, changed, answer).await
}

/// Commits a new key and answers with it and its secret.
async fn commit_made(
    platform: &Platform,
    context: &Context,
    Made { secret, changed }: Made,
) -> Result<Answer, CommitError> {
    let (key, version) = (changed.key.clone(), version(&changed.key));
    let location = context.link("/keys/{keyId}", &[("keyId", &key.id)]);
    let made = MadeApiKey { key: ApiKey::of(context, key), secret: secret.reveal().clone() };
    let answer = Answer::created(&location, &made)?.versioned(version);
    commit(platform, context, changed, answer).await
}

async fn commit(
    platform: &Platform,
    context: &Context,
    changed: Changed,
    answer: Answer,
) -> Result<Answer, CommitError> {
    let Changed { writes, entry, event, .. } = changed;
    let mut change = platform.begin(context);
    for write in writes {
        change.add(write);
    }
    change.record(entry);
    change.emit(event);
    change.commit(answer).await
}

/// Somebody else was faster: who sent If-Match is told as if they had been so before (412).
fn lost(error: CommitError, check: impl FnOnce(u64) -> Result<(), Error>) -> Error {
    let found = match &error {
        CommitError::Condition { found: Some(item), .. } => Key::from_item(item.clone()).ok(),
        _ => None,
    };
    let refused = found.and_then(|key| check(version(&key)).err());
    refused.unwrap_or_else(|| error.into())
}
