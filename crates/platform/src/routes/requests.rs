//! Which requests with an Idempotency-Key did an account make? R003-idem-2.

use changes::idempotency::Seen;
use kernel::error::Error;
use kernel::moment::Moment;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, PageAnswer, Paging, Params, Route, State};

use super::account::OpsAccount;
use crate::permissions::IdempotencyRead;
use crate::platform::Platform;

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    let list = Route::get("/requests", "listRequests")
        .summary("Lists the requests of a day that came with an Idempotency-Key, newest first")
        .answers_page::<SeenRequest>("The requests, without their answers");
    Api::new("ops", platform.clone()).route(list, list_requests)
}

/// A request that came with an Idempotency-Key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenRequest {
    /// The client's key.
    pub idempotency_key: String,
    /// The method.
    pub method: String,
    /// The route's template.
    pub route: String,
    /// `in_progress` or `completed`.
    pub status: String,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_status: Option<u16>,
    /// When it came.
    pub created_at: Moment,
    /// When it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Moment>,
}

impl From<Seen> for SeenRequest {
    fn from(seen: Seen) -> SeenRequest {
        let Seen {
            idempotency_key,
            method,
            route,
            status,
            response_status,
            created_at,
            completed_at,
        } = seen;
        SeenRequest {
            idempotency_key,
            method,
            route,
            status,
            response_status,
            created_at,
            completed_at,
        }
    }
}

async fn list_requests(
    allowed: Allowed<IdempotencyRead>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let caller = allowed.caller().id();
    let found = platform.idempotency().list(account, caller, page.limit, page.token()).await?;
    Answer::ok(&PageAnswer::new(allowed.context(), found, SeenRequest::from))
}
