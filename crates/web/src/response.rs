//! An answer as the response that leaves.

use changes::{Answer, Rest};
use futures_util::stream::{StreamExt as _, TryStreamExt as _};
use http::Response;

/// The response with an answer's status, headers and body. An error while the rest of the body is made
/// breaks the connection off.
pub(crate) fn response_of(answer: Answer) -> Response<axum::body::Body> {
    let body = match answer.rest.as_ref().and_then(Rest::take) {
        None => axum::body::Body::from(answer.body),
        Some(rest) => {
            let first = futures_util::stream::iter([Ok(answer.body)]);
            let noted = rest.inspect_err(|error| {
                tracing::error!(?error, "an answer broke off");
            });
            axum::body::Body::from_stream(first.chain(noted))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}
