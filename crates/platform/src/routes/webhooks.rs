//! `/webhooks` below `/ops/v1.0`: the endpoints of an account, the events they are sent, and what came
//! of each attempt.

mod endpoints;
mod events;
mod shapes;

use kernel::error::{CONFLICT, Error, NOT_FOUND, PRECONDITION_FAILED};
use shapes::{
    AttemptsAnswer, CreatedEndpoint, DeliveryAnswer, EndpointAnswer, EventAnswer, MissingAnswer,
    Replay, Sent,
};
use web::{Allowed, Answer, Api, Context, Route};
use webhooks::Planned;

use crate::permissions::WebhooksWrite;
use crate::platform::Platform;

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    messages(registry(Api::new("webhooks", platform.clone())))
}

/// Those of endpoints.
fn registry(api: Api<Platform>) -> Api<Platform> {
    let one = "/webhooks/endpoints/{endpointId}";
    let changed = |route: Route| route.errors(&[PRECONDITION_FAILED, CONFLICT]);
    api.route(
        Route::get("/webhooks/endpoints", "listWebhookEndpoints")
            .summary("Lists the endpoints of an account, oldest first")
            .answers_page::<EndpointAnswer>("A page of endpoints"),
        endpoints::list,
    )
    .route(
        Route::post("/webhooks/endpoints", "createWebhookEndpoint")
            .summary("Makes an endpoint; its secret is shown this once")
            .answers::<CreatedEndpoint>(201, "The endpoint with its secret"),
        endpoints::create,
    )
    .route(
        Route::get(one, "getWebhookEndpoint")
            .summary("Shows an endpoint, and how it has been answering")
            .answers::<EndpointAnswer>(200, "The endpoint"),
        endpoints::read,
    )
    .route(
        changed(Route::patch(one, "updateWebhookEndpoint"))
            .summary("Changes an endpoint; null takes a property away")
            .answers::<EndpointAnswer>(200, "The endpoint as it is now"),
        endpoints::update,
    )
    .route(
        changed(Route::delete(one, "deleteWebhookEndpoint"))
            .summary("Deletes an endpoint; what was under way to it stops")
            .answers_empty(204, "It is gone"),
        endpoints::delete,
    )
    .route(
        Route::post("/webhooks/endpoints/{endpointId}/rotate", "rotateWebhookSecret")
            .summary("Gives an endpoint a new secret; the one before signs beside it for a day")
            .answers::<CreatedEndpoint>(200, "The endpoint with its new secret")
            .errors(&[CONFLICT]),
        endpoints::rotate,
    )
    .route(
        Route::post("/webhooks/endpoints/{endpointId}/enable", "enableWebhookEndpoint")
            .summary("Sends events to an endpoint again, with its circuit closed")
            .answers::<EndpointAnswer>(200, "The endpoint as it is now")
            .errors(&[CONFLICT]),
        endpoints::enable,
    )
    .route(
        Route::post("/webhooks/endpoints/{endpointId}/disable", "disableWebhookEndpoint")
            .summary("Sends no more events to an endpoint")
            .answers::<EndpointAnswer>(200, "The endpoint as it is now")
            .errors(&[CONFLICT]),
        endpoints::disable,
    )
}

/// Those of events, deliveries and attempts.
fn messages(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/webhooks/endpoints/{endpointId}/test", "testWebhookEndpoint")
            .summary("Sends a test event to one endpoint, whatever its filter")
            .answers::<Sent>(202, "The event that will be sent")
            .errors(&[CONFLICT]),
        events::test,
    )
    .route(
        Route::post("/webhooks/endpoints/{endpointId}/replay", "replayWebhookEvents")
            .summary("Sends the events of a range of time to an endpoint again, some in each call")
            .answers::<Replay>(202, "The events that will be sent again")
            .errors(&[CONFLICT]),
        events::replay,
    )
    .route(
        Route::get("/webhooks/endpoints/{endpointId}/deliveries", "listWebhookDeliveries")
            .summary("Lists the deliveries to an endpoint, newest event first")
            .answers_page::<DeliveryAnswer>("A page of deliveries"),
        events::deliveries,
    )
    .route(
        Route::get("/webhooks/endpoints/{endpointId}/missing", "listMissingWebhookEvents")
            .summary("Lists what an endpoint wants since a moment and does not have, oldest first")
            .answers_page::<MissingAnswer>("A page of events; it may be empty and not the last"),
        events::missing,
    )
    .route(
        Route::get("/webhooks/events", "listWebhookEvents")
            .summary("Lists the events of an account, newest first")
            .answers_page::<EventAnswer>("A page of events"),
        events::list,
    )
    .route(
        Route::get("/webhooks/events/{eventId}", "getWebhookEvent")
            .summary("Shows an event as it is sent")
            .answers::<EventAnswer>(200, "The event"),
        events::read,
    )
    .route(
        Route::get("/webhooks/events/{eventId}/attempts", "listWebhookAttempts")
            .summary("Lists the attempts to deliver an event, oldest first for each endpoint")
            .answers::<AttemptsAnswer>(200, "The attempts"),
        events::attempts,
    )
    .route(
        Route::post("/webhooks/events/{eventId}/resend", "resendWebhookEvent")
            .summary("Sends an event to an endpoint again, also if it has it")
            .answers::<Sent>(202, "The event that will be sent")
            .errors(&[CONFLICT]),
        events::resend,
    )
}

/// One answer for whatever is not there, for whichever reason.
fn hidden(error: Error) -> Error {
    if error.code() == NOT_FOUND { Error::not_found() } else { error }
}

/// Whom page tokens are for.
fn reader(context: &Context) -> String {
    format!("{}:{}", context.caller.kind(), context.caller.id())
}

/// Plans a change of the account's webhooks, commits it with its audit entry and event, and answers with
/// what came of it. It is planned again while others change the same.
async fn make<T, F>(
    platform: &Platform,
    allowed: &Allowed<WebhooksWrite>,
    render: impl Fn(&Context, &T) -> Result<Answer, Error> + Send + Sync + 'static,
    plan: impl Fn() -> F,
) -> Result<Answer, Error>
where
    F: Future<Output = Result<Planned<T>, Error>>,
{
    let (request, plan) = (allowed.replying(render), &plan);
    let made = platform.changes().make(&request, |mut change| async move {
        let planned = plan().await.map_err(hidden)?;
        let value = planned.add_to(&mut change);
        Ok((change, value))
    });
    let made = made.await?;
    // Deliveries may be due now, with or without an event.
    platform.outbox().committed();
    request.answer(&made)
}
