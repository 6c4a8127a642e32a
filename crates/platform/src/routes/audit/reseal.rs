//! A log whose end was forged goes on, by whoever administers the platform.

use audit::Resealing;
use changes::{Conflict, Event};
use kernel::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Params, Route, State};

use super::{OpsAccount, WHOLE_LOG_TIME};
use crate::permissions::AuditReseal;
use crate::platform::Platform;

/// The same with this route.
pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    let reseal = Route::post("/audit/reseal", "resealAuditLog")
        .summary("Lets a log go on whose end was forged; that it was stays in it and is reported")
        .answers::<AuditResealed>(200, "What was found, and the event that says so")
        .time_max(WHOLE_LOG_TIME);
    api.route(reseal, reseal_log)
}

/// Why a log is sealed anew.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditResealReason {
    /// In the words of whoever looked.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

/// A log that goes on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditResealed {
    /// The account.
    pub account_id: String,
    /// What was wrong.
    pub found: String,
    /// The number of the event that says so.
    pub sequence: u64,
}

async fn reseal_log(
    allowed: Allowed<AuditReseal>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Body(why): Body<AuditResealReason>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let mut change = platform.begin(allowed.context());
    let origin = change.request().origin();
    let Resealing { writes, entry, found, sequence } =
        platform.audit().reseal(account, &why.reason, &origin).await?;
    for write in writes {
        change.add(write, Conflict);
    }
    if let Some(entry) = entry {
        change.record(entry);
    }
    let data = json!({ "audit": { "found": found, "sequence": sequence } });
    change.emit(Event::new("audit.resealed", account, data));
    let answer = Answer::ok(&AuditResealed { account_id: account.to_owned(), found, sequence })?;
    let done = change.commit(answer.clone()).await;
    // Whatever came of it, what this process remembers of the end is not to be trusted.
    platform.audit().forget_end(account).await;
    done?;
    Ok(answer)
}
