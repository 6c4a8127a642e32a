//! How long a log is kept, and when it is held.

use audit::NewRule;
use changes::Event;
use kernel::error::Error;
use kernel::moment::Moment;
use kernel::permissions::Target;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, Links, Params, Route, State};

use super::{OpsAccount, WHOLE_LOG_TIME};
use crate::permissions::{AuditHold, AuditKeep, AuditRead};
use crate::platform::Platform;

/// The same with these routes.
pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    let read = Route::get("/audit/retention", "getAuditRetention")
        .summary("Says for how long the log is kept, and whether it is held")
        .answers::<AuditRetention>(200, "The rule");
    let keep = Route::put("/audit/retention", "setAuditRetention")
        .summary("Sets for how many days events are kept after the checkpoint that covers them")
        .answers::<AuditRetention>(200, "The rule as it is now")
        .time_max(WHOLE_LOG_TIME);
    let hold = Route::put("/audit/hold", "setAuditHold")
        .summary("Holds the whole log, so that nothing of it expires, or lets go of it")
        .answers::<AuditRetention>(200, "The rule as it is now")
        .time_max(WHOLE_LOG_TIME);
    api.route(read, get_retention).route(keep, set_retention).route(hold, set_hold)
}

/// For how long a log is kept.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRetention {
    /// The account.
    pub account_id: String,
    /// For how many days events are kept after the checkpoint that covers them.
    pub retention_days: u32,
    /// Since when the log is held; nothing if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_since: Option<Moment>,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

/// For how long a log is to be kept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAuditRetention {
    /// For how many days.
    #[schema(minimum = 1, maximum = 36_500)]
    pub retention_days: u32,
}

/// Whether a log is to be held.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAuditHold {
    /// Whether it is.
    pub held: bool,
    /// Why, for the record.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500)]
    pub reason: Option<String>,
}

async fn get_retention(
    allowed: Allowed<AuditRead>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let (retention_days, held_since) = platform.audit().retention(account).await?;
    Answer::ok(&shown(allowed.context(), account, retention_days, held_since))
}

async fn set_retention(
    allowed: Allowed<AuditKeep>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Body(new): Body<NewAuditRetention>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let rule = platform.audit().retention_rule(account, new.retention_days).await?;
    keep(&platform, allowed.context(), account, rule).await
}

async fn set_hold(
    allowed: Allowed<AuditHold>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
    Body(new): Body<NewAuditHold>,
) -> Result<Answer, Error> {
    let account = allowed.account(of.account_id.as_deref())?;
    let mut rule = platform.audit().hold_rule(account, new.held).await?;
    if let Some(reason) = new.reason {
        rule.entry = rule.entry.detail("reason", reason);
    }
    keep(&platform, allowed.context(), account, rule).await
}

/// The rule holds from the commit on; then it is done to the events. What is interrupted there goes on
/// with the next change of the rule, or with the day's sealing.
async fn keep(
    platform: &Platform,
    context: &Context,
    account: &str,
    rule: NewRule,
) -> Result<Answer, Error> {
    let NewRule { retention_days, held_since, .. } = rule;
    let answer = Answer::ok(&shown(context, account, retention_days, held_since))?;
    let data = json!({ "retention_days": retention_days, "held_since": held_since });
    let mut change = platform.begin(context);
    change.keep_log(rule);
    change.emit(Event::new("audit.retention_changed", account, json!({ "audit": data })));
    change.commit(answer.clone()).await?;
    platform.audit().apply_rules(account).await?;
    Ok(answer)
}

fn shown(
    context: &Context,
    account: &str,
    retention_days: u32,
    held_since: Option<Moment>,
) -> AuditRetention {
    let target = Target::Account(account);
    let links = Links::new(context)
        .to("self", "/audit/retention", &[])
        .offer::<AuditKeep>(true, &target, "update", "/audit/retention", &[])
        .offer::<AuditHold>(true, &target, "hold", "/audit/hold", &[]);
    let account_id = account.to_owned();
    AuditRetention { account_id, retention_days, held_since, links: links.done() }
}
