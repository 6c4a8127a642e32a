//! Events, deliveries and attempts: listed, tested, sent again.

use kernel::error::Error;
use kernel::moment::in_order;
use web::{Allowed, Answer, Body, Context, InPath, PageAnswer, Paging, Params, State};
use webhooks::Replayed;

use super::shapes::{
    AttemptAnswer, AttemptsAnswer, AttemptsOf, DeliveryAnswer, EndpointPath, EventAnswer,
    EventPath, MissingAnswer, MissingSince, NewReplay, NewResend, OfAccount, Replay, Sent,
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
    let found = platform.messages().list(account, &reader(context), limit, token).await?;
    Answer::ok(&PageAnswer::new(context, found, |view| EventAnswer::new(context, account, view)))
}

pub(super) async fn read(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<EventPath>,
    Params(of): Params<OfAccount>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let view = platform.messages().get(account, &path.event_id).await.map_err(hidden)?;
    Answer::ok(&EventAnswer::new(allowed.context(), account, view))
}

pub(super) async fn attempts(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<EventPath>,
    Params(of): Params<AttemptsOf>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (messages, event) = (platform.messages(), path.event_id.as_str());
    let attempts = match &of.endpoint_id {
        Some(endpoint) => messages.attempts(account, event, endpoint).await,
        None => messages.all_attempts(account, event).await,
    };
    let items: Vec<AttemptAnswer> =
        attempts.map_err(hidden)?.into_iter().map(AttemptAnswer::from).collect();
    Answer::ok(&AttemptsAnswer { count: items.len(), items })
}

pub(super) async fn deliveries(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (context, limit, token) = (allowed.context(), page.limit, page.token());
    let (id, reader) = (path.endpoint_id.as_str(), reader(context));
    let found = platform.messages().deliveries(account, id, &reader, limit, token).await;
    Answer::ok(&PageAnswer::new(context, found.map_err(hidden)?, DeliveryAnswer::from))
}

pub(super) async fn missing(
    allowed: Allowed<WebhooksRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(asked): Params<MissingSince>,
) -> Result<Answer, Error> {
    let account = allowed.account(asked.account_id.as_deref())?;
    let (context, token) = (allowed.context(), asked.next_token.as_deref());
    let (id, reader) = (path.endpoint_id.as_str(), reader(context));
    let page = platform.messages().missing(account, id, asked.since, &reader, token).await;
    Answer::ok(&PageAnswer::new(context, page.map_err(hidden)?, MissingAnswer::from))
}

pub(super) async fn test(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let id = path.endpoint_id.as_str();
    let endpoint_id = path.endpoint_id.clone();
    let render = move |context: &Context, event_id: &String| {
        Answer::accepted(&Sent::new(context, event_id, &endpoint_id))
    };
    make(&platform, &allowed, render, || platform.messages().test(account, id)).await
}

pub(super) async fn resend(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EventPath>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewResend>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let sent = (path.event_id, new.endpoint_id);
    let (event, endpoint) = sent.clone();
    let render =
        move |context: &Context, (): &()| Answer::accepted(&Sent::new(context, &sent.0, &sent.1));
    make(&platform, &allowed, render, || async {
        platform.messages().resend(account, &event, &endpoint).await
    })
    .await
}

pub(super) async fn replay(
    allowed: Allowed<WebhooksWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<EndpointPath>,
    Params(of): Params<OfAccount>,
    Body(new): Body<NewReplay>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    in_order(Some(new.from), Some(new.to))?;
    let (id, range) = (path.endpoint_id.as_str(), (new.from, new.to));
    let (only_missing, token) = (new.only_missing.unwrap_or(true), new.next_token.as_deref());
    let render = |_: &Context, replayed: &Replayed| {
        let (event_ids, next_token) = (replayed.event_ids.clone(), replayed.next.clone());
        Answer::accepted(&Replay { count: event_ids.len(), event_ids, next_token })
    };
    make(&platform, &allowed, render, || async {
        platform.messages().replay(account, id, range, only_missing, token).await
    })
    .await
}
