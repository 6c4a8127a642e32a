//! The audit log over HTTP: read, verified, exported, kept. Whoever reads it is in it.

mod export;
mod keep;
mod reseal;
mod shown;

use std::time::Duration;

use audit::{Entry, Query};
use kernel::PLATFORM;
use kernel::error::{Error, INTERNAL_ERROR};
use kernel::moment::Moment;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Context, PageAnswer, Paging, Params, Route, State};

use self::shown::{AuditCheckpoint, AuditEvent, AuditPublicKey, AuditPublicKeys, AuditReport};
use super::account::OpsAccount;
use crate::permissions::{Anonymous, AuditRead, AuditVerify};
use crate::platform::Platform;

/// All accounts, for those who may read everywhere.
const EVERY_ACCOUNT: &str = "*";
/// Verifying, exporting and keeping look at every event.
const WHOLE_LOG_TIME: Duration = Duration::from_secs(600);

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    let list = Route::get("/audit", "listAuditEvents")
        .summary("Lists what happened, newest first. Reading is itself recorded")
        .answers_page::<AuditEvent>("What happened");
    let verify = Route::get("/audit/verify", "verifyAuditLog")
        .summary("Proves that the log is what it was, or names the first thing that is wrong")
        .answers::<AuditReport>(200, "What was found")
        .time_max(WHOLE_LOG_TIME);
    let checkpoints = Route::get("/audit/checkpoints", "listAuditCheckpoints")
        .summary("Lists the signed checkpoints of the log, oldest first")
        .answers_page::<AuditCheckpoint>("The checkpoints");
    let keys = Route::get("/audit/public-keys", "listAuditPublicKeys")
        .summary("Lists the public keys that checkpoints are verified with")
        .answers::<AuditPublicKeys>(200, "The keys");
    let api = Api::new("ops", platform.clone())
        .route(list, list_events)
        .route(verify, verify_log)
        .route(checkpoints, list_checkpoints)
        .route(keys, list_public_keys);
    reseal::routes(keep::routes(export::routes(api)))
}

/// Which events are asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditQuestion {
    /// Of this kind: `AUTH`, `APIKEY`…
    #[serde(rename = "type")]
    #[schema(pattern = "^[A-Z][A-Z0-9_]{0,63}$")]
    pub event_type: Option<String>,
    /// This happened: `API_KEY_REVOKED`…
    #[schema(pattern = "^[A-Z][A-Z0-9_]{0,63}$")]
    pub action: Option<String>,
    /// By this actor.
    #[schema(min_length = 1, max_length = 256)]
    pub actor: Option<String>,
    /// To this kind of thing.
    #[schema(min_length = 1, max_length = 64)]
    pub resource_type: Option<String>,
    /// To this thing.
    #[schema(min_length = 1, max_length = 256)]
    pub resource: Option<String>,
    /// How it ended.
    pub outcome: Option<AuditOutcome>,
    /// Not before.
    pub from: Option<Moment>,
    /// Not after.
    pub to: Option<Moment>,
    /// Another account than the caller's own, for those who may read everywhere; `*` is all of them,
    /// and takes a `type`.
    #[schema(max_length = 200, pattern = "^([*]|[A-Za-z0-9][A-Za-z0-9._:-]*)$")]
    pub account_id: Option<String>,
}

/// How something ended.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditOutcome {
    /// It came about.
    Success,
    /// It was refused or failed.
    Failure,
}

impl AuditQuestion {
    fn query(&self, account: &str) -> Query {
        let outcome = self.outcome.map(|outcome| match outcome {
            AuditOutcome::Success => "success".to_owned(),
            AuditOutcome::Failure => "failure".to_owned(),
        });
        Query {
            account: (account != EVERY_ACCOUNT).then(|| account.to_owned()),
            event_type: self.event_type.clone(),
            action: self.action.clone(),
            actor_id: self.actor.clone(),
            resource_type: self.resource_type.clone(),
            resource_id: self.resource.clone(),
            outcome,
            from: self.from,
            to: self.to,
        }
    }
}

async fn list_events(
    allowed: Allowed<AuditRead>,
    State(platform): State<Platform>,
    Params(question): Params<AuditQuestion>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(question.account_id.as_deref())?;
    let query = question.query(account);
    if query.account.is_none() && query.event_type.is_none() {
        let message = "is missing: of all accounts, ask for one kind of event".to_owned();
        return Err(Error::validation([("type", message)]));
    }
    let (caller, limit, token) = (allowed.caller().id(), page.limit, page.token());
    let found = platform.audit().list(&query, caller, limit, token).await?;
    record_read(&platform, allowed.context(), query.entry()).await?;
    Answer::ok(&PageAnswer::new(allowed.context(), found, AuditEvent::from))
}

/// Records that a log was read before anything of it is shown. An account whose chain cannot go on,
/// because its end was forged, is the one whose log must be looked at: then the platform's own log
/// has it.
async fn record_read(platform: &Platform, context: &Context, entry: Entry) -> Result<(), Error> {
    let origin = context.request_facts().origin();
    match platform.audit().record(std::slice::from_ref(&entry), &origin).await {
        Err(error) if error.code() == INTERNAL_ERROR && entry.account_id != PLATFORM => {
            let account = Value::from(entry.account_id.as_str());
            let entry = Entry { account_id: PLATFORM.to_owned(), ..entry };
            platform.audit().record(&[entry.detail("account", account)], &origin).await
        }
        done => done,
    }
}

async fn verify_log(
    allowed: Allowed<AuditVerify>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let report = platform.audit().verify(account, &[]).await?;
    let (chain, action) = match report.first_bad.is_none() {
        true => (account, "AUDIT_LOG_VERIFIED"),
        // Nothing more is written into a log that is not what it was.
        false => (PLATFORM, "AUDIT_LOG_BROKEN"),
    };
    let mut entry = Entry::new("AUDIT", action, chain).of("audit_log", account);
    if let Some(bad) = &report.first_bad {
        entry = entry.failed().detail("first_bad", bad.to_string());
    }
    record_read(&platform, allowed.context(), entry).await?;
    Answer::ok(&AuditReport::from(report))
}

async fn list_checkpoints(
    allowed: Allowed<AuditRead>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Paging(page): Paging,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (caller, limit, token) = (allowed.caller().id(), page.limit, page.token());
    let found = platform.audit().list_checkpoints(account, caller, limit, token).await?;
    Answer::ok(&PageAnswer::new(allowed.context(), found, AuditCheckpoint::from))
}

async fn list_public_keys(
    _: Allowed<Anonymous>,
    State(platform): State<Platform>,
) -> Result<Answer, Error> {
    let keys = platform.audit().signing().public_keys().into_iter();
    let items: Vec<AuditPublicKey> = keys.map(AuditPublicKey::from).collect();
    let count = items.len();
    Answer::ok(&AuditPublicKeys { items, count })
}
