//! `/auth`: how do people come in, stay, and leave?
//!
//! Thin: `identity` decides. What is added here are the guards against guessing, and that no answer
//! differs by whether an address is known.
//!
//! No route that anybody may call, or that takes or gives a secret, keeps its answer for repetition:
//! answers with tokens must not be stored, the fingerprint of a body with a password is a fast hash of
//! it, and strangers would share one space of keys. All of them can be repeated safely as they are.

mod codes;
mod key_set;
mod login;
mod me;
mod notifications;
mod password;
mod second_factor;
mod sessions;

use identity::{Origin, UserRecord};
use kernel::caller::Identity;
use kernel::error::{Error, FORBIDDEN};
use kernel::permissions::Permission;
pub use key_set::key_set;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Context, Links};

use crate::permissions::Myself;
use crate::platform::Platform;

/// The routes.
pub fn api(platform: &Platform) -> Api<Platform> {
    let api = Api::new("auth", platform.clone());
    let api = second_factor::routes(password::routes(codes::routes(api)));
    notifications::routes(me::routes(sessions::routes(login::routes(api))))
}

/// What is said where it must not be told whether an address is known.
#[derive(Debug, Serialize, ToSchema)]
pub struct AcceptedAnswer {
    /// What happens now.
    message: &'static str,
    /// Where to go from here.
    #[serde(rename = "_links")]
    #[schema(value_type = Object)]
    links: Value,
}

/// 202, whoever asked for whatever address.
fn accepted(
    context: &Context,
    message: &'static str,
    next: &[(&str, &str)],
) -> Result<Answer, Error> {
    let links = next
        .iter()
        .fold(Links::new(context), |links, (relation, path)| links.to(relation, path, &[]));
    Answer::accepted(&AcceptedAnswer { message, links: links.done() })
}

/// Where a request comes from, as identity keeps it of a session.
fn origin(context: &Context) -> Origin {
    Origin { address: context.address, user_agent: context.user_agent.clone() }
}

/// The id of the person who calls.
fn user_id<P: Permission>(allowed: &Allowed<P>) -> Result<&str, Error> {
    match &allowed.caller().identity {
        Identity::User { user_id, .. } => Ok(user_id),
        _ => Err(not_ours()),
    }
}

/// The person who calls, if their credentials are kept here.
async fn local_user(platform: &Platform, allowed: &Allowed<Myself>) -> Result<UserRecord, Error> {
    platform.identity().user(user_id(allowed)?).await?.ok_or_else(not_ours)
}

fn not_ours() -> Error {
    Error::new(
        FORBIDDEN,
        "Your password and second factor are not kept here: change them where you log in",
    )
}
