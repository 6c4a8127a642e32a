//! The sessions of a person: seeing them, and ending one or all.

use identity::SessionSummary;
use kernel::caller::Identity;
use kernel::error::{Error, FORBIDDEN, UNAUTHORIZED};
use kernel::moment::Moment;
use secrets::Secret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, PageAnswer, Route, State};

use super::user_id;
use crate::permissions::{Anonymous, Myself};
use crate::platform::Platform;

/// Which session is to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogoutRequest {
    /// A refresh token of the session; without it, the session of the access token ends.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    refresh_token: Option<Secret>,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAnswer {
    /// Which one.
    session: String,
    /// Whether this request belongs to it.
    current: bool,
    /// When it began.
    started_at: Moment,
    /// When it was last refreshed.
    last_used_at: Moment,
    /// When it ends by itself.
    expires_at: Moment,
    /// The client's own name.
    user_agent: Option<String>,
    /// The client's address.
    ip_address: Option<String>,
}

impl SessionAnswer {
    pub(super) fn new(summary: SessionSummary, current: Option<&str>) -> SessionAnswer {
        SessionAnswer {
            current: current == Some(&summary.session),
            session: summary.session,
            started_at: summary.started_at,
            last_used_at: summary.last_used_at,
            expires_at: summary.expires_at,
            user_agent: summary.user_agent,
            ip_address: summary.ip_address,
        }
    }
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/logout", "logout")
            .summary("Ends the session of a refresh token, or of the access token")
            .answers_empty(204, "It is over, or was")
            .never_replayed(),
        log_out,
    )
    .route(
        Route::post("/logout-everywhere", "logoutEverywhere")
            .summary("Ends every session of the person who calls, this one included")
            .answers_empty(204, "They are over"),
        log_out_everywhere,
    )
    .route(
        Route::get("/sessions", "listSessions")
            .summary("The sessions that go on, newest first")
            .answers_page::<SessionAnswer>("At most 100"),
        list,
    )
}

async fn log_out(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<LogoutRequest>,
) -> Result<Answer, Error> {
    let (identity, commits) = (platform.identity(), platform.commits(allowed.context()));
    match (asked.refresh_token, &allowed.caller().identity) {
        (Some(token), _) => identity.log_out_with(&commits, &token).await?,
        (None, Identity::User { user_id, session: Some(session), .. }) => {
            identity.log_out(&commits, user_id, session).await?;
        }
        (None, _) => {
            let message = "Say which session is to end: send its refresh token, or an access token";
            return Err(Error::new(UNAUTHORIZED, message));
        }
    }
    Ok(Answer::no_content())
}

async fn log_out_everywhere(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
) -> Result<Answer, Error> {
    let user_id = user_id(&allowed)?;
    if platform.identity().user(user_id).await?.is_none() {
        let message =
            "You have no sessions here: this token ends by itself, or where it was issued";
        return Err(Error::new(FORBIDDEN, message));
    }
    let commits = platform.commits(allowed.context());
    platform.identity().log_out_everywhere(&commits, user_id).await?;
    Ok(Answer::no_content())
}

async fn list(allowed: Allowed<Myself>, State(platform): State<Platform>) -> Result<Answer, Error> {
    let items = platform.identity().sessions(user_id(&allowed)?).await?;
    let current = current(&allowed);
    let page = store::Page { items, next: None };
    let shown = |summary| SessionAnswer::new(summary, current);
    Answer::ok(&PageAnswer::new(allowed.context(), page, shown))
}

/// The session that a request belongs to.
pub(super) fn current(allowed: &Allowed<Myself>) -> Option<&str> {
    match &allowed.caller().identity {
        Identity::User { session, .. } => session.as_deref(),
        _ => None,
    }
}
