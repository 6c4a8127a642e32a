//! Endpoints: listed, made, shown, changed, deleted, enabled, disabled, given new secrets.

use changes::CommitError;
use kernel::error::{Error, PRECONDITION_FAILED};
use web::{Allowed, Answer, Body, Context, IfMatch, InPath, PageAnswer, Params, State};
use webhooks::{EndpointView, Endpoints, Planned};

use super::shapes::{
    CreatedEndpoint, EndpointAnswer, EndpointPath, Listing, NewWebhookEndpoint, NewWebhookSecret,
    OfAccount, WebhookEndpointPatch,
};
use super::{commit, hidden, reader};
use crate::permissions::{WebhooksRead, WebhooksWrite};
use crate::platform::Platform;

/// Items of a page, unless the caller wants another number.
pub(super) const PAGE_ITEMS: u32 = 20;
/// Times that an endpoint is planned while others of its account are made.
const CREATE_TRIES: usize = 20;

pub(super) async fn list(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    Params(listing): Params<Listing>,
) -> Result<Answer, Error> {
    let account = allowed.account(listing.account_id.as_deref())?;
    let (context, token) = (allowed.context(), listing.next_token.as_deref());
    let limit = listing.limit.unwrap_or(PAGE_ITEMS);
    let page = platform.endpoints().list(account, &reader(context), limit, token).await?;
    Answer::ok(&PageAnswer::new(context, page, |view| EndpointAnswer::new(context, view, None)))
}

pub(super) async fn create(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewWebhookEndpoint>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let context = allowed.context();
    let (new, mut tries) = (new.into_domain()?, 0);
    loop {
        tries += 1;
        let planned = platform.endpoints().create(account, new.clone()).await?;
        let answer = commit(&platform, context, planned, |created| {
            let values = [("endpointId", created.endpoint.id.as_str())];
            let location = context.link("/webhooks/endpoints/{endpointId}", &values);
            let answer = Answer::created(&location, &CreatedEndpoint::new(context, &created))?;
            Ok(answer.versioned(version(&created.endpoint)))
        });
        match answer.await {
            Err(CommitError::Condition { index: Endpoints::ROSTER, .. })
                if tries < CREATE_TRIES => {}
            done => return Ok(done?),
        }
    }
}

pub(super) async fn read(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let endpoints = platform.endpoints();
    let view = endpoints.get(account, &path.endpoint_id).await.map_err(hidden)?;
    let health = endpoints.health(account, &path.endpoint_id).await.map_err(hidden)?;
    let version = version(&view);
    let answer = EndpointAnswer::new(allowed.context(), view, Some(health));
    Ok(Answer::ok(&answer)?.versioned(version))
}

pub(super) async fn update(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    if_match: IfMatch,
    Body(patch): Body<WebhookEndpointPatch>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (endpoints, id) = (platform.endpoints(), path.endpoint_id.as_str());
    let found = endpoints.get(account, id).await.map_err(hidden)?;
    if_match.check(version(&found))?;
    let asked = if_match.version().map(|_| found.version);
    let planned = endpoints.update(account, id, patch.into_domain(), asked).await;
    shown(&platform, allowed.context(), planned.map_err(hidden)?, &if_match).await
}

pub(super) async fn delete(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (endpoints, id) = (platform.endpoints(), path.endpoint_id.as_str());
    let found = endpoints.get(account, id).await.map_err(hidden)?;
    if_match.check(version(&found))?;
    let asked = if_match.version().map(|_| found.version);
    let planned = endpoints.delete(account, id, asked).await.map_err(hidden)?;
    let done = commit(&platform, allowed.context(), planned, |()| Ok(Answer::no_content())).await;
    done.map_err(|error| overtaken(error, &if_match))
}

pub(super) async fn rotate(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewWebhookSecret>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (context, choice) = (allowed.context(), new.into_domain()?);
    let planned = platform.endpoints().rotate(account, &path.endpoint_id, &choice).await;
    let answer = commit(&platform, context, planned.map_err(hidden)?, |created| {
        let answer = Answer::ok(&CreatedEndpoint::new(context, &created))?;
        Ok(answer.versioned(version(&created.endpoint)))
    });
    Ok(answer.await?)
}

pub(super) async fn enable(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (endpoints, id) = (platform.endpoints(), path.endpoint_id.as_str());
    if_match.check(version(&endpoints.get(account, id).await.map_err(hidden)?))?;
    let planned = endpoints.enable(account, id).await.map_err(hidden)?;
    shown(&platform, allowed.context(), planned, &if_match).await
}

pub(super) async fn disable(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    if_match: IfMatch,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (endpoints, id) = (platform.endpoints(), path.endpoint_id.as_str());
    if_match.check(version(&endpoints.get(account, id).await.map_err(hidden)?))?;
    let reason = "it was disabled by request";
    let planned = endpoints.disable(account, id, reason).await.map_err(hidden)?;
    shown(&platform, allowed.context(), planned, &if_match).await
}

/// Commits, and answers with the endpoint as it is then.
async fn shown(
    platform: &Platform,
    context: &Context,
    planned: Planned<EndpointView>,
    if_match: &IfMatch,
) -> Result<Answer, Error> {
    let answer = commit(platform, context, planned, |view| {
        let version = version(&view);
        Ok(Answer::ok(&EndpointAnswer::new(context, view, None))?.versioned(version))
    });
    answer.await.map_err(|error| overtaken(error, if_match))
}

/// Whoever named a version is told that it is not the one any more.
fn overtaken(error: CommitError, if_match: &IfMatch) -> Error {
    match error {
        CommitError::Condition { index: 0, .. } if if_match.version().is_some() => {
            let message = "It has been changed since it was read: read it again, then repeat";
            Error::new(PRECONDITION_FAILED, message)
        }
        other => other.into(),
    }
}

fn version(view: &EndpointView) -> u64 {
    u64::try_from(view.version).unwrap_or_default()
}
