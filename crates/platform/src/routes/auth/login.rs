//! Logging in, in one step or two, and staying logged in.

use http::StatusCode;
use identity::{EMAIL_NOT_VERIFIED, LoggedIn, Login, SecondStep, Tokens};
use kernel::error::{Error, FORBIDDEN};
use secrets::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Context, Links, Route, State};

use super::origin;
use crate::permissions::Anonymous;
use crate::platform::Platform;

/// Who wants to log in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoginRequest {
    /// Their email address or username.
    #[schema(min_length = 1, max_length = 254, example = "ada@example.com")]
    name: String,
    /// Their password.
    #[schema(value_type = String, format = "password", min_length = 1, max_length = 128,
        example = "a sentence nobody else has")]
    password: Secret,
}

/// The second step of a login.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecondStepRequest {
    /// What the first step answered with.
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    challenge: Secret,
    /// The code of the authenticator app, or a recovery code.
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "492039")]
    code: Secret,
}

/// A refresh token that is to be used.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefreshRequest {
    /// The latest refresh token of the session. Each is good for one use.
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    refresh_token: Secret,
}

/// What a client goes on with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokensAnswer {
    /// For requests: `Authorization: Bearer …`.
    access_token: String,
    /// For the next pair, once.
    refresh_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds that the access token is good for.
    expires_in: u64,
    /// The session that both belong to.
    session: String,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

/// What the second step of a login is made with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondStepAnswer {
    /// To be sent with the code.
    challenge: String,
    /// Seconds that there are for it.
    expires_in: u64,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/login", "login")
            .summary("Logs in with name and password")
            .answers::<TokensAnswer>(200, "Logged in")
            .answers::<SecondStepAnswer>(202, "A second factor is asked for")
            .errors(&[EMAIL_NOT_VERIFIED, FORBIDDEN])
            .never_replayed(),
        log_in,
    )
    .route(
        Route::post("/login/second-factor", "loginSecondFactor")
            .summary("Completes a login with a code of the second factor, or a recovery code")
            .answers::<TokensAnswer>(200, "Logged in")
            .errors(&[EMAIL_NOT_VERIFIED, FORBIDDEN])
            .never_replayed(),
        log_in_second,
    )
    .route(
        Route::post("/refresh", "refreshTokens")
            .summary("Gives the next pair of tokens, the same again for ten seconds; a token that is used later ends its session")
            .answers::<TokensAnswer>(200, "The next pair")
            .errors(&[EMAIL_NOT_VERIFIED, FORBIDDEN])
            .never_replayed(),
        refresh,
    )
}

async fn log_in(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(LoginRequest { name, password }): Body<LoginRequest>,
) -> Result<Answer, Error> {
    let context = allowed.context();
    platform.guard(&context.request_facts(), &platform.identity().target_of(&name).await?).await?;
    let login = Login { name, password };
    let commits = platform.commits(context);
    match platform.identity().log_in(&commits, &origin(context), login).await? {
        LoggedIn::Tokens(tokens) => shown(context, &tokens),
        LoggedIn::SecondStep(SecondStep { challenge, expires_in }) => {
            let links = Links::new(context).to("secondFactor", "/login/second-factor", &[]).done();
            let challenge = challenge.reveal().clone();
            let answer = SecondStepAnswer { challenge, expires_in, links };
            Answer::json(StatusCode::ACCEPTED, &answer)
        }
    }
}

async fn log_in_second(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(SecondStepRequest { challenge, code }): Body<SecondStepRequest>,
) -> Result<Answer, Error> {
    let context = allowed.context();
    platform.guard(&context.request_facts(), challenge.reveal()).await?;
    let (commits, origin) = (platform.commits(context), origin(context));
    let identity = platform.identity();
    let attempt = identity.attempt(&challenge).await?;
    platform.guard(&context.request_facts(), attempt.user_id()).await?;
    let tokens = identity.log_in_second(&commits, &origin, attempt, code.reveal()).await?;
    shown(context, &tokens)
}

async fn refresh(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<RefreshRequest>,
) -> Result<Answer, Error> {
    let context = allowed.context();
    let commits = platform.commits(context);
    shown(context, &platform.identity().refresh(&commits, &asked.refresh_token).await?)
}

/// Hands out tokens.
pub(super) fn shown(context: &Context, tokens: &Tokens) -> Result<Answer, Error> {
    let links = Links::new(context)
        .to("me", "/me", &[])
        .to("refresh", "/refresh", &[])
        .to("logout", "/logout", &[])
        .done();
    Answer::ok(&TokensAnswer {
        access_token: tokens.access_token.reveal().clone(),
        refresh_token: tokens.refresh_token.reveal().clone(),
        token_type: "Bearer",
        expires_in: tokens.expires_in,
        session: tokens.session.clone(),
        links,
    })
}
