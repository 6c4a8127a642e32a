//! API keys over HTTP: made, listed, changed, rotated, disabled, revoked, verified, reported.

mod check;
mod shown;

use std::time::Duration;

use identity::keys::{Changed, Edit, Key, Made, must_have};
use kernel::error::Error;
use kernel::permissions::{Permission, Target};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{
    Allowed, Answer, Api, Body, Context, IfMatch, InPath, MustMatch, PageAnswer, Paging, Params,
    Route, State,
};

use self::shown::{ApiKey, ApiKeyChanges, MadeApiKey, NewApiKey};
use super::account::OpsAccount;
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
    Params(of): Params<OpsAccount>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let found = platform.keys().list(account, page.limit, page.token()).await?;
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
    make_key(&platform, &allowed, || async {
        platform.keys().create(new.clone(), allowed.caller().name())
    })
    .await
}

async fn get(
    allowed: Allowed<KeysRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
) -> Result<Answer, Error> {
    let key = find(&platform, &allowed, &path, &of).await?;
    shown(allowed.context(), &key)
}

async fn update(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    must_match: MustMatch,
    Body(changes): Body<ApiKeyChanges>,
) -> Result<Answer, Error> {
    let edit = Edit::from(changes);
    if edit == Edit::default() {
        return Err(Error::validation([("body", "should name something to change".to_owned())]));
    }
    change_key(&platform, &allowed, || async {
        let key = find(&platform, &allowed, &path, &of).await?;
        must_match.0.check(version(&key))?;
        let changed = platform.keys().edit(&key, edit.clone())?;
        if changed.key.scopes != key.scopes {
            must_have(allowed.caller(), changed.key.scopes.as_ref())?;
        }
        Ok(changed)
    })
    .await
}

async fn rotate(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
    Body(rotation): Body<ApiKeyRotation>,
) -> Result<Answer, Error> {
    let grace = Duration::from_secs(rotation.grace_seconds.unwrap_or(GRACE_SECONDS));
    make_key(&platform, &allowed, || async {
        let key = find(&platform, &allowed, &path, &of).await?;
        if_match.0.check(version(&key))?;
        // The successor's secret is shown to the caller, with everything that it opens.
        must_have(allowed.caller(), key.scopes.as_ref())?;
        platform.keys().rotate(&key, grace, allowed.caller().name())
    })
    .await
}

async fn disable(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    change_key(&platform, &allowed, || async {
        let key = find(&platform, &allowed, &path, &of).await?;
        if_match.0.check(version(&key))?;
        platform.keys().disable(&key, allowed.caller().name())
    })
    .await
}

async fn enable(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    change_key(&platform, &allowed, || async {
        let key = find(&platform, &allowed, &path, &of).await?;
        if_match.0.check(version(&key))?;
        platform.keys().enable(&key)
    })
    .await
}

async fn revoke(
    allowed: Allowed<KeysWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<ApiKeyPath>,
    Params(of): Params<OpsAccount>,
    if_match: IfMatch,
    Body(revocation): Body<ApiKeyRevocation>,
) -> Result<Answer, Error> {
    let because = revocation.reason.as_deref().unwrap_or("no reason was given");
    change_key(&platform, &allowed, || async {
        let key = find(&platform, &allowed, &path, &of).await?;
        if_match.0.check(version(&key))?;
        platform.keys().revoke(&key, allowed.caller().name(), because)
    })
    .await
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
    let key = found.filter(is_of).ok_or_else(Error::not_found)?;
    allowed.on(&Target::Account(&key.account_id))?;
    Ok(key)
}

fn shown(context: &Context, key: &Key) -> Result<Answer, Error> {
    Ok(Answer::ok(&ApiKey::of(context, key.clone()))?.versioned(version(key)))
}

/// A new key, and its secret, which is shown once.
fn shown_made(context: &Context, made: &Made) -> Result<Answer, Error> {
    let key = &made.changed.key;
    let location = context.link("/keys/{keyId}", &[("keyId", &key.id)]);
    let body =
        MadeApiKey { key: ApiKey::of(context, key.clone()), secret: made.secret.reveal().clone() };
    Ok(Answer::created(&location, &body)?.versioned(version(key)))
}

fn version(key: &Key) -> u64 {
    u64::try_from(key.version).unwrap_or(0)
}

/// Changes a key, and answers with it as it is then.
async fn change_key<F>(
    platform: &Platform,
    allowed: &Allowed<KeysWrite>,
    prepare: impl Fn() -> F,
) -> Result<Answer, Error>
where
    F: Future<Output = Result<Changed, Error>>,
{
    let (request, prepare) = (allowed.replying(shown), &prepare);
    let key = platform.changes().make(&request, |mut change| async move {
        let changed = prepare().await?;
        changed.add_to(&mut change);
        Ok((change, changed.key))
    });
    request.answer(&key.await?)
}

/// Makes a key, and answers with it and its secret.
async fn make_key<F>(
    platform: &Platform,
    allowed: &Allowed<KeysWrite>,
    prepare: impl Fn() -> F,
) -> Result<Answer, Error>
where
    F: Future<Output = Result<Made, Error>>,
{
    let (request, prepare) = (allowed.replying(shown_made), &prepare);
    let made = platform.changes().make(&request, |mut change| async move {
        let made = prepare().await?;
        made.add_to(&mut change);
        Ok((change, made))
    });
    request.answer(&made.await?)
}
