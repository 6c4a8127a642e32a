//! The second factor: setting up an authenticator app, and taking it away.

use identity::CODE_INVALID;
use kernel::error::Error;
use secrets::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Links, Route, State};

use super::local_user;
use crate::permissions::Myself;
use crate::platform::Platform;

/// Who wants to set up an app.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnrolRequest {
    /// Their password.
    #[schema(value_type = String, format = "password", min_length = 1, max_length = 128,
        example = "a sentence nobody else has")]
    password: Secret,
}

/// Proof that the app is set up.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmRequest {
    /// The code that the app shows.
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "492039")]
    code: Secret,
}

/// Proof of both factors.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DisableRequest {
    /// The password.
    #[schema(value_type = String, format = "password", min_length = 1, max_length = 128,
        example = "a sentence nobody else has")]
    password: Secret,
    /// A code of the app, or a recovery code.
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "492039")]
    code: Secret,
}

/// What an app is set up with. It is shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrolmentAnswer {
    /// The secret, to be typed into the app.
    secret: String,
    /// The same as an address, to be shown as a picture.
    otpauth_uri: String,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

/// Codes for when the app is lost. They are shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodesAnswer {
    /// Each is good for one use.
    recovery_codes: Vec<String>,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/second-factor", "enrolSecondFactor")
            .summary(
                "Begins to set up an authenticator app; nothing is asked for until it is confirmed",
            )
            .answers::<EnrolmentAnswer>(200, "What the app is set up with")
            .never_replayed(),
        enrol,
    )
    .route(
        Route::post("/second-factor/confirm", "confirmSecondFactor")
            .summary("Confirms the app with its first code; from now on it is asked for at login")
            .answers::<RecoveryCodesAnswer>(200, "Codes for when the app is lost")
            .errors(&[CODE_INVALID])
            .never_replayed(),
        confirm,
    )
    .route(
        Route::delete("/second-factor", "disableSecondFactor")
            .summary("Takes the second factor away, for whoever has both factors")
            .answers_empty(204, "It is no longer asked for")
            .errors(&[CODE_INVALID]),
        disable,
    )
}

async fn enrol(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    Body(asked): Body<EnrolRequest>,
) -> Result<Answer, Error> {
    let user = local_user(&platform, &allowed).await?;
    let (identity, commits) = (platform.identity(), platform.commits(allowed.context()));
    let enrolment = identity.enrol_second_factor(&commits, &user.user_id, &asked.password).await?;
    let links = Links::new(allowed.context());
    Answer::ok(&EnrolmentAnswer {
        secret: enrolment.secret.reveal().clone(),
        otpauth_uri: enrolment.address.reveal().clone(),
        links: links.to("confirm", "/second-factor/confirm", &[]).done(),
    })
}

async fn confirm(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    Body(asked): Body<ConfirmRequest>,
) -> Result<Answer, Error> {
    let user = local_user(&platform, &allowed).await?;
    let (identity, commits) = (platform.identity(), platform.commits(allowed.context()));
    let codes =
        identity.confirm_second_factor(&commits, &user.user_id, asked.code.reveal()).await?;
    let recovery_codes = codes.0.iter().map(|code| code.reveal().clone()).collect();
    Answer::ok(&RecoveryCodesAnswer { recovery_codes })
}

async fn disable(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    Body(DisableRequest { password, code }): Body<DisableRequest>,
) -> Result<Answer, Error> {
    let user = local_user(&platform, &allowed).await?;
    let (identity, commits) = (platform.identity(), platform.commits(allowed.context()));
    identity.disable_second_factor(&commits, &user.user_id, &password, code.reveal()).await?;
    Ok(Answer::no_content())
}
