//! Who am I, and what may I do now?

use identity::UserRecord;
use kernel::caller::{Caller, Identity};
use kernel::error::Error;
use kernel::moment::Moment;
use kernel::permissions::Target;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Links, Route, State};

use super::sessions::{SessionAnswer, current};
use super::user_id;
use crate::permissions::Myself;
use crate::platform::Platform;

/// The person who calls.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeAnswer {
    /// Who.
    user: MeUserAnswer,
    /// Their roles in the account, or on the platform as a whole.
    roles: Vec<&'static str>,
    /// What the credential is limited to; null if it is not.
    scopes: Option<Vec<String>>,
    /// The account they act for; null if it is none in particular.
    account: Option<MeAccountAnswer>,
    /// The session that this request belongs to; null if it belongs to none.
    session: Option<SessionAnswer>,
    /// What they may do now.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

/// A person. Whom another issuer knows has an id and perhaps an address here.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeUserAnswer {
    user_id: String,
    email: Option<String>,
    username: Option<String>,
    name: Option<String>,
    /// `active`, `inactive` or `suspended`.
    status: Option<&'static str>,
    /// When the address was proved.
    email_verified_at: Option<Moment>,
    /// Whether a second factor is asked for at login.
    second_factor: bool,
    created_at: Option<Moment>,
    last_login_at: Option<Moment>,
}

/// The account that somebody acts for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeAccountAnswer {
    account_id: String,
    /// Its name, if it is kept here.
    name: Option<String>,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::get("/me", "getMe")
            .summary(
                "The person who calls: user, roles, account, session, and what they may do now",
            )
            .answers::<MeAnswer>(200, "Who they are"),
        show,
    )
}

async fn show(allowed: Allowed<Myself>, State(platform): State<Platform>) -> Result<Answer, Error> {
    let (identity, caller, id) = (platform.identity(), allowed.caller(), user_id(&allowed)?);
    let user = identity.user(id).await?;
    let session = match current(&allowed) {
        Some(session) => identity.session_of(id, session).await?,
        None => None,
    };
    let account = match &caller.account_id {
        Some(account_id) => {
            let name = identity.account_name(account_id).await?;
            Some(MeAccountAnswer { account_id: account_id.clone(), name })
        }
        None => None,
    };
    Answer::ok(&MeAnswer {
        links: links(&allowed, id, user.as_ref()),
        user: shown(caller, id, user),
        roles: caller.roles.iter().map(|role| role.as_str()).collect(),
        scopes: caller.scopes.as_ref().map(|scopes| scopes.iter().cloned().collect()),
        account,
        session: session.map(|session| SessionAnswer::new(session, current(&allowed))),
    })
}

fn shown(caller: &Caller, id: &str, user: Option<UserRecord>) -> MeUserAnswer {
    let Some(user) = user else {
        let email = match &caller.identity {
            Identity::User { email, .. } => email.clone(),
            _ => None,
        };
        return MeUserAnswer {
            user_id: id.to_owned(),
            email,
            username: None,
            name: None,
            status: None,
            email_verified_at: None,
            second_factor: false,
            created_at: None,
            last_login_at: None,
        };
    };
    MeUserAnswer {
        user_id: user.user_id,
        email: Some(user.email),
        username: Some(user.username),
        name: Some(user.name),
        status: Some(user.status.as_str()),
        email_verified_at: user.email_verified_at,
        second_factor: user.mfa_enabled,
        created_at: Some(user.created_at),
        last_login_at: user.last_login_at,
    }
}

/// Only what will succeed: whose credentials are elsewhere cannot change them here.
fn links(allowed: &Allowed<Myself>, id: &str, user: Option<&UserRecord>) -> Value {
    let (is_ours, own) = (user.is_some(), Target::User(id));
    let has_second = user.is_some_and(|user| user.mfa_enabled);
    let has_session = current(allowed).is_some();
    let possible = [
        (has_session, "logout", "/logout"),
        (is_ours, "logoutEverywhere", "/logout-everywhere"),
        (is_ours, "sessions", "/sessions"),
        (is_ours, "notifications", "/notifications"),
        (is_ours, "changePassword", "/password"),
        (is_ours && !has_second, "enrolSecondFactor", "/second-factor"),
        (is_ours && !has_second, "confirmSecondFactor", "/second-factor/confirm"),
        (has_second, "disableSecondFactor", "/second-factor"),
    ];
    let links = Links::new(allowed.context()).to("self", "/me", &[]);
    let links = possible.into_iter().fold(links, |links, (is_possible, relation, path)| {
        links.offer::<Myself>(is_possible, &own, relation, path, &[])
    });
    links.done()
}
