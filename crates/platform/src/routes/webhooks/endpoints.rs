//! Endpoints: listed, made, shown, changed, deleted, enabled, disabled, given new secrets.

use kernel::Error;
use web::{Allowed, Answer, Body, Context, IfMatch, InPath, PageAnswer, Paging, Params, State};
use webhooks::{Created, EndpointView};

use super::shapes::{
    CreatedEndpoint, EndpointAnswer, EndpointPath, NewWebhookEndpoint, NewWebhookSecret, OfAccount,
    WebhookEndpointPatch,
};
use super::{hidden, make, reader};
use crate::permissions::{WebhooksRead, WebhooksWrite};
use crate::platform::Platform;

pub(super) async fn list(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    Params(of): Params<OfAccount>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (context, limit, token) = (allowed.context(), page.limit, page.token());
    let found = platform.endpoints().list(account, &reader(context), limit, token).await?;
    Answer::ok(&PageAnswer::new(context, found, |view| EndpointAnswer::new(context, view, None)))
}

pub(super) async fn create(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewWebhookEndpoint>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let new = new.into_domain()?;
    let render = |context: &Context, created: &Created| {
        let values = [("endpointId", created.endpoint.id.as_str())];
        let location = context.link("/webhooks/endpoints/{endpointId}", &values);
        let answer = Answer::created(&location, &CreatedEndpoint::new(context, created))?;
        Ok(answer.versioned(version(&created.endpoint)))
    };
    make(&platform, &allowed, render, || async {
        platform.endpoints().create(account, new.clone()).await
    })
    .await
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
    let patch = patch.into_domain();
    make(&platform, &allowed, shown, || async {
        let found = endpoints.get(account, id).await?;
        if_match.0.check(version(&found))?;
        let expected = if_match.0.only().map(|_| found.version);
        endpoints.update(account, id, patch.clone(), expected).await
    })
    .await
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
    make(
        &platform,
        &allowed,
        |_, ()| Ok(Answer::no_content()),
        || async {
            let found = endpoints.get(account, id).await?;
            if_match.0.check(version(&found))?;
            let expected = if_match.0.only().map(|_| found.version);
            endpoints.delete(account, id, expected).await
        },
    )
    .await
}

pub(super) async fn rotate(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewWebhookSecret>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let choice = new.into_domain()?;
    let render = |context: &Context, created: &Created| {
        let answer = Answer::ok(&CreatedEndpoint::new(context, created))?;
        Ok(answer.versioned(version(&created.endpoint)))
    };
    make(&platform, &allowed, render, || async {
        platform.endpoints().rotate(account, &path.endpoint_id, &choice).await
    })
    .await
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
    make(&platform, &allowed, shown, || async {
        if_match.0.check(version(&endpoints.get(account, id).await?))?;
        endpoints.enable(account, id).await
    })
    .await
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
    make(&platform, &allowed, shown, || async {
        if_match.0.check(version(&endpoints.get(account, id).await?))?;
        endpoints.disable(account, id, "it was disabled by request").await
    })
    .await
}

/// The endpoint as it is.
fn shown(context: &Context, view: &EndpointView) -> Result<Answer, Error> {
    let answer = Answer::ok(&EndpointAnswer::new(context, view.clone(), None))?;
    Ok(answer.versioned(version(view)))
}

fn version(view: &EndpointView) -> u64 {
    u64::try_from(view.version).unwrap_or_default()
}
