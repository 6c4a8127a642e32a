//! Another password, by whoever knows the old one or reads the mail.

use identity::CODE_INVALID;
use kernel::error::Error;
use secrets::Secret;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Route, State};

use super::codes::AddressRequest;
use super::login::{TokensAnswer, shown};
use super::{AcceptedAnswer, accepted, local_user, origin};
use crate::permissions::{Anonymous, Myself};
use crate::platform::Platform;

/// A new password for an old one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePasswordRequest {
    /// The password so far.
    #[schema(value_type = String, format = "password", min_length = 1, max_length = 128,
        example = "a sentence nobody else has")]
    current_password: Secret,
    /// The new one.
    #[schema(value_type = String, format = "password", min_length = 12, max_length = 128,
        example = "another sentence of my own")]
    new_password: Secret,
}

/// A new password for a mailed code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResetPasswordRequest {
    /// The address that the code was mailed to.
    #[schema(format = "email", max_length = 254, example = "ada@example.com")]
    email: String,
    /// The code.
    #[schema(value_type = String, min_length = 1, max_length = 64)]
    code: Secret,
    /// The new password.
    #[schema(value_type = String, format = "password", min_length = 12, max_length = 128,
        example = "another sentence of my own")]
    new_password: Secret,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/password", "changePassword")
            .summary(
                "Changes the password; every session ends, and a new one begins with this answer",
            )
            .answers::<TokensAnswer>(200, "Changed")
            .never_replayed(),
        change,
    )
    .route(
        Route::post("/forgot-password", "forgotPassword")
            .summary("Mails a code with which the password can be set anew")
            .answers::<AcceptedAnswer>(202, "The same whether there is such an address or not")
            .never_replayed(),
        forgot,
    )
    .route(
        Route::post("/reset-password", "resetPassword")
            .summary("Sets the password with a mailed code; every session ends")
            .answers_empty(204, "Set: log in")
            .errors(&[CODE_INVALID])
            .never_replayed(),
        reset,
    )
}

async fn change(
    allowed: Allowed<Myself>,
    State(platform): State<Platform>,
    Body(asked): Body<ChangePasswordRequest>,
) -> Result<Answer, Error> {
    let user = local_user(&platform, &allowed).await?;
    let context = allowed.context();
    let (commits, origin) = (platform.commits(context), origin(context));
    let ChangePasswordRequest { current_password, new_password } = &asked;
    let identity = platform.identity();
    let tokens = identity
        .change_password(&commits, &origin, &user.user_id, current_password, new_password)
        .await?;
    shown(context, &tokens)
}

async fn forgot(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<AddressRequest>,
) -> Result<Answer, Error> {
    platform.guard(&allowed.context().request_facts(), &asked.email).await?;
    let commits = platform.commits(allowed.context());
    platform.identity().request_password_reset(&commits, &asked.email).await?;
    let message = "If the address has an account, a code is mailed to it";
    accepted(allowed.context(), message, &[("reset", "/reset-password")])
}

async fn reset(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<ResetPasswordRequest>,
) -> Result<Answer, Error> {
    let ResetPasswordRequest { email, code, new_password } = &asked;
    platform.guard(&allowed.context().request_facts(), email).await?;
    let (identity, commits) = (platform.identity(), platform.commits(allowed.context()));
    identity.reset_password(&commits, email, code.reveal(), new_password).await?;
    Ok(Answer::no_content())
}
