//! Rate limits over HTTP: which there are, what is left of them, and forgiveness.

use audit::Entry;
use changes::{Conflict, Event, Rejection};
use kernel::PLATFORM;
use kernel::caller::{Caller, Identity};
use kernel::error::Error;
use kernel::moment::Moment;
use kernel::permissions::{Decision, Permission as _, Target, may};
use limits::{Algorithm, Asked, By, Inspection, Mode, OWN_POLICY, Policy, subject_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Context, InPath, Links, Params, Route, State};

use super::account::OpsAccount;
use crate::permissions::{LimitsRead, LimitsWrite};
use crate::platform::Platform;

/// How many of those whom watching policies would refuse are shown.
const WOULD_REFUSE_MAX: usize = 100;
const ONE: &str = "/limits/{policy}/{subject}";

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    let list = Route::get("/limits", "listLimits")
        .summary("Lists the rate limits, and whom those that only watch would refuse")
        .answers::<RateLimits>(200, "The limits");
    let read = Route::get(ONE, "getLimit")
        .summary("Says how far a subject has used a rate limit")
        .answers::<RateLimitState>(200, "What is left");
    let reset = Route::delete(ONE, "resetLimit")
        .summary("Forgets what was counted of a subject; every instance knows within 5 seconds")
        .answers_empty(204, "Nothing is counted");
    Api::new("ops", platform.clone())
        .route(list, list_limits)
        .route(read, get_limit)
        .route(reset, reset_limit)
}

/// The rate limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimits {
    /// Each of them, in the order in which they are asked.
    pub items: Vec<RateLimit>,
    /// How many there are.
    pub count: usize,
    /// Whom those that only watch would have refused, on this instance since it started.
    pub would_refuse: Vec<WouldBeRefused>,
}

/// A rate limit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Its name, as in RateLimit-Policy.
    pub policy: String,
    /// How much is admitted in a window; of one that is by account, the account's own.
    pub limit: u64,
    /// The window's length.
    pub window_seconds: u64,
    /// What is limited: `address`, `account`, `key`, `user`, `target`, `tenant`, `refused_key`
    /// (by the address that it comes from) or `everyone`.
    pub by: &'static str,
    /// The routes it is for; none means all.
    pub routes: Vec<String>,
    /// `sliding_window` or `burst`.
    pub algorithm: &'static str,
    /// Whether every request is counted in the store, so that the limit is never exceeded.
    pub exact: bool,
    /// Whether it refuses nobody.
    pub shadow: bool,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

/// Somebody whom a limit that only watches would have refused.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WouldBeRefused {
    /// The limit.
    pub policy: String,
    /// Who.
    pub subject: String,
    /// How often.
    pub count: u64,
}

/// How far a subject has used a rate limit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitState {
    /// The limit.
    pub policy: String,
    /// Who: `account:…`, `key:…`, `user:…`, `address:…`, `target:…` or `everyone`.
    pub subject: String,
    /// How much is admitted in a window.
    pub limit: u64,
    /// The window's length.
    pub window_seconds: u64,
    /// How much more is admitted now.
    pub remaining: u64,
    /// From when on there is more; nothing if nothing was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_at: Option<Moment>,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    pub links: Value,
}

/// A limit and a subject in a path.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RateLimitPath {
    /// The limit's name; a key's own limit is `api-key`.
    #[schema(min_length = 1, max_length = 64)]
    pub policy: String,
    /// Who: `account:…`, `key:…`, `user:…`, `tenant:…`, `address:…`, `everyone`, or `target:` and the
    /// name or address that somebody aims at, such as that of a person who is locked out.
    #[schema(min_length = 1, max_length = 250, pattern = "^[^#]+$")]
    pub subject: String,
}

async fn list_limits(
    allowed: Allowed<LimitsRead>,
    State(platform): State<Platform>,
    Params(of): Params<OpsAccount>,
) -> Result<Answer, Error> {
    let caller = allowed.caller();
    // Who acts for no account, and names none, sees the limits as they are for everybody.
    let account = match (&of.account_id, &caller.account_id) {
        (None, None) => None,
        (named, _) => Some(allowed.account(named.as_deref())?),
    };
    let subject = Asked { account_id: account, ..Asked::default() }.subject(By::Account);
    let sees_all = of.account_id.is_none()
        && may(caller, &LimitsRead::RULE, &Target::Account(PLATFORM)) == Decision::Allowed;
    let would_refuse = platform.limiter().would_refuse().into_iter();
    let would_refuse = would_refuse
        .filter(|row| sees_all || Some(&row.subject) == subject.as_ref())
        .take(WOULD_REFUSE_MAX)
        .map(|row| WouldBeRefused { policy: row.policy, subject: row.subject, count: row.count });
    let policies = platform.limiter().policies();
    let shown = |policy: &Policy| RateLimit::of(allowed.context(), policy, subject.as_deref());
    let items: Vec<RateLimit> = policies.iter().map(shown).collect();
    let count = items.len();
    Answer::ok(&RateLimits { items, count, would_refuse: would_refuse.collect() })
}

async fn get_limit(
    allowed: Allowed<LimitsRead>,
    State(platform): State<Platform>,
    InPath(path): InPath<RateLimitPath>,
) -> Result<Answer, Error> {
    let (policy, owner) = find(&platform, allowed.caller(), &path).await?;
    allowed.on(&Target::Account(&owner))?;
    let found = inspect(&platform, &policy, &path.subject).await?;
    Answer::ok(&RateLimitState::of(allowed.context(), &policy, found))
}

async fn reset_limit(
    allowed: Allowed<LimitsWrite>,
    State(platform): State<Platform>,
    InPath(path): InPath<RateLimitPath>,
) -> Result<Answer, Error> {
    let (policy, owner) = find(&platform, allowed.caller(), &path).await?;
    let before = inspect(&platform, &policy, &path.subject).await?;
    let subject = before.subject.as_str();
    let mut change = platform.begin(allowed.context());
    change.add(platform.limiter().reset_write(&policy, subject)?, Conflict);
    let entry = Entry::new("LIMIT", "RATE_LIMIT_RESET", owner.as_str())
        .of("rate_limit", format!("{}/{subject}", policy.name))
        .detail("remaining_before", before.remaining);
    change.record(entry);
    let data = json!({ "rate_limit": { "policy": policy.name, "subject": subject } });
    change.emit(Event::new("rate_limit.reset", owner, data));
    let done = change.commit(Answer::no_content()).await;
    platform.limiter().forget(&policy, subject);
    match done {
        // Nothing was counted: there is nothing to forget, and nothing happened.
        Ok(_) | Err(Rejection::Conflict) => Ok(Answer::no_content()),
        Err(rejection) => Err(rejection.into()),
    }
}

/// What is left to whom a text names: their address, account, key. What is aimed at may be counted as
/// it was typed, or as the user whose name it is: the one that has less left is meant.
async fn inspect(platform: &Platform, policy: &Policy, text: &str) -> Result<Inspection, Error> {
    let mut texts = vec![text.to_owned()];
    if let Some(name) = text.strip_prefix("target:").filter(|_| policy.by == By::Target) {
        texts.push(format!("target:{}", platform.identity().target_of(name).await?));
    }
    let mut least: Option<Inspection> = None;
    for text in texts {
        let Some(subject) = subject_of(policy.by, &text) else { continue };
        let found = platform.limiter().inspect_one(policy, &subject).await?;
        if least.as_ref().is_none_or(|least| found.remaining < least.remaining) {
            least = Some(found);
        }
    }
    least.ok_or_else(|| {
        let start = policy.by.subject_start();
        let message = format!("should be what this limit counts, and begin with `{start}`");
        Error::validation([("subject", message)])
    })
}

/// The policy, and the account whose matter the subject is. What belongs to no account is the
/// platform's.
async fn find(
    platform: &Platform,
    caller: &Caller,
    path: &RateLimitPath,
) -> Result<(Policy, String), Error> {
    let mut policy = platform.limiter().policies().find(&path.policy).cloned();
    let owner = match path.subject.split_once(':') {
        Some(("account", id)) => id.to_owned(),
        Some(("key", id)) => match platform.keys().find(id).await? {
            Some(key) => {
                if path.policy == OWN_POLICY {
                    policy = key.policy();
                }
                key.account_id
            }
            None => PLATFORM.to_owned(),
        },
        Some(("user", id)) if is_user(caller, id) => {
            caller.account_id.clone().unwrap_or_else(|| PLATFORM.to_owned())
        }
        _ => PLATFORM.to_owned(),
    };
    Ok((policy.ok_or_else(Error::not_found)?, owner))
}

fn is_user(caller: &Caller, id: &str) -> bool {
    matches!(&caller.identity, Identity::User { user_id, .. } if user_id == id)
}

impl RateLimit {
    fn of(context: &Context, policy: &Policy, account: Option<&str>) -> RateLimit {
        let subject = account.filter(|_| policy.by == By::Account);
        let mut links = Links::new(context);
        if let Some(subject) = subject {
            links =
                links.to("state", ONE, &[("policy", policy.name.as_str()), ("subject", subject)]);
        }
        RateLimit {
            policy: policy.name.clone(),
            limit: subject.map_or(policy.limit, |subject| policy.limit_of(subject)),
            window_seconds: policy.window_seconds,
            by: match policy.by {
                By::Address => "address",
                By::Account => "account",
                By::Key => "key",
                By::User => "user",
                By::Target => "target",
                By::Tenant => "tenant",
                By::RefusedKey => "refused_key",
                By::Everyone => "everyone",
            },
            routes: policy.routes.clone(),
            algorithm: match policy.algorithm {
                Algorithm::SlidingWindow { .. } => "sliding_window",
                Algorithm::Burst { .. } => "burst",
            },
            exact: policy.mode == Mode::Exact,
            shadow: policy.shadow,
            links: links.done(),
        }
    }
}

impl RateLimitState {
    fn of(context: &Context, policy: &Policy, found: Inspection) -> RateLimitState {
        let values = [("policy", found.policy.as_str()), ("subject", found.subject.as_str())];
        let links = Links::new(context).to("self", ONE, &values).offer::<LimitsWrite>(
            found.remaining < found.limit,
            &Target::Platform,
            "reset",
            ONE,
            &values,
        );
        RateLimitState {
            links: links.done(),
            window_seconds: policy.window_seconds,
            policy: found.policy,
            subject: found.subject,
            limit: found.limit,
            remaining: found.remaining,
            more_at: found.more_at,
        }
    }
}
