//! Registering, and proving an address with a code that was mailed to it.

use identity::{CODE_INVALID, Registration};
use kernel::error::{CONFLICT, Error};
use secrets::Secret;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Body, Route, State};

use super::{AcceptedAnswer, accepted};
use crate::permissions::Anonymous;
use crate::platform::Platform;

/// Who wants to register.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisterRequest {
    /// Their address, to which a code is mailed.
    #[schema(format = "email", max_length = 254, example = "ada@example.com")]
    email: String,
    /// The name that they want to log in with, which others may see.
    #[schema(pattern = "^[A-Za-z0-9._-]{3,64}$", max_length = 64, example = "ada")]
    username: String,
    /// Their full name.
    #[schema(min_length = 1, max_length = 200, example = "Ada Lovelace")]
    name: String,
    /// Their password. Long is good, signs of all kinds are not asked for.
    #[schema(value_type = String, format = "password", min_length = 12, max_length = 128,
        example = "a sentence nobody else has")]
    password: Secret,
}

/// Proof that an address is one's own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerifyEmailRequest {
    /// The address.
    #[schema(format = "email", max_length = 254, example = "ada@example.com")]
    email: String,
    /// The code that was mailed to it. Case and hyphens do not matter.
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "7K3M-QX9P")]
    code: Secret,
}

/// An address that something is to be mailed to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressRequest {
    /// The address.
    #[schema(format = "email", max_length = 254, example = "ada@example.com")]
    pub email: String,
}

pub(super) fn routes(api: Api<Platform>) -> Api<Platform> {
    api.route(
        Route::post("/register", "register")
            .summary(
                "Registers a user with an account of their own, and mails a code to the address",
            )
            .answers::<AcceptedAnswer>(
                202,
                "A mail is on its way. The answer is the same if the address has an account: then \
                 the mail says so.",
            )
            .errors(&[CONFLICT])
            .never_replayed(),
        register,
    )
    .route(
        Route::post("/verify-email", "verifyEmail")
            .summary("Proves with the mailed code that an address is one's own")
            .answers_empty(204, "It is verified: log in")
            .errors(&[CODE_INVALID])
            .never_replayed(),
        verify,
    )
    .route(
        Route::post("/resend-code", "resendCode")
            .summary("Mails another code to an address that is not verified yet")
            .answers::<AcceptedAnswer>(202, "The same whether there is such an address or not")
            .never_replayed(),
        resend,
    )
}

const NEXT: [(&str, &str); 2] = [("verify", "/verify-email"), ("resend", "/resend-code")];

async fn register(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<RegisterRequest>,
) -> Result<Answer, Error> {
    let RegisterRequest { email, username, name, password } = asked;
    platform.guard(&allowed.context().request_facts(), &email).await?;
    let commits = platform.commits(allowed.context());
    let registration = Registration { email, username, name, password };
    platform.identity().register(&commits, registration).await?;
    accepted(allowed.context(), "Read the mail that was sent to the address", &NEXT)
}

async fn verify(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<VerifyEmailRequest>,
) -> Result<Answer, Error> {
    platform.guard(&allowed.context().request_facts(), &asked.email).await?;
    let commits = platform.commits(allowed.context());
    platform.identity().verify_email(&commits, &asked.email, asked.code.reveal()).await?;
    Ok(Answer::no_content())
}

async fn resend(
    allowed: Allowed<Anonymous>,
    State(platform): State<Platform>,
    Body(asked): Body<AddressRequest>,
) -> Result<Answer, Error> {
    platform.guard(&allowed.context().request_facts(), &asked.email).await?;
    let commits = platform.commits(allowed.context());
    platform.identity().resend_code(&commits, &asked.email).await?;
    let message = "If the address waits to be verified, another code is mailed to it";
    accepted(allowed.context(), message, &NEXT)
}
