//! The public keys that our tokens are verified with, for services that do so themselves.

use std::collections::BTreeMap;

use http::HeaderValue;
use http::header::CACHE_CONTROL;
use kernel::error::Error;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Allowed, Answer, Api, Route, State};

use crate::permissions::Anonymous;
use crate::platform::Platform;

/// Half the time for which a new key is published before it signs.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// A JSON Web Key Set (RFC 7517).
#[derive(Debug, Serialize, ToSchema)]
pub struct KeySetAnswer {
    /// The keys; each has `kid`, `kty`, `alg`, `use` and what its type needs.
    keys: Vec<BTreeMap<String, String>>,
}

/// The route, which is served at the root and beside the others.
pub fn key_set(platform: &Platform) -> Api<Platform> {
    Api::new("auth", platform.clone()).route(
        Route::get("/.well-known/jwks.json", "getKeySet")
            .summary("The public keys that verify access tokens")
            .answers::<KeySetAnswer>(200, "The keys. They may be cached for five minutes."),
        show,
    )
}

async fn show(_: Allowed<Anonymous>, State(platform): State<Platform>) -> Result<Answer, Error> {
    Ok(Answer::ok(&platform.identity().keys().jwks().await?)?.with(CACHE_CONTROL, CACHED))
}
