//! A whole answer: status, headers, bytes. It can be kept and given again.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde::Serialize;

use crate::error::Error;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer, whole in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers that belong to the answer; those of the request (its id, limits, security) are
    /// added when it leaves.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// An answer with this status and nothing else.
    pub fn empty(status: StatusCode) -> Answer {
        Answer { status, headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// An answer with this status and body, and no headers.
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Answer {
        Answer { body: body.into(), ..Answer::empty(status) }
    }

    /// 200 with a JSON body.
    pub fn ok(body: &impl Serialize) -> Result<Answer, Error> {
        Answer::json(StatusCode::OK, body)
    }

    /// 201 with a JSON body, and where the new thing is.
    pub fn created(location: &str, body: &impl Serialize) -> Result<Answer, Error> {
        let location = HeaderValue::try_from(location).map_err(Error::internal)?;
        Ok(Answer::json(StatusCode::CREATED, body)?.with(LOCATION, location))
    }

    /// 202 with a JSON body: it will be done.
    pub fn accepted(body: &impl Serialize) -> Result<Answer, Error> {
        Answer::json(StatusCode::ACCEPTED, body)
    }

    /// 204.
    pub fn no_content() -> Answer {
        Answer::empty(StatusCode::NO_CONTENT)
    }

    /// Any status with a JSON body.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Result<Answer, Error> {
        let body = serde_json::to_vec(body).map_err(Error::internal)?;
        Ok(Answer { body: body.into(), ..Answer::empty(status) }.with(CONTENT_TYPE, JSON))
    }

    /// 200 with bytes of this type.
    pub fn bytes(content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        let kind = HeaderValue::from_static(content_type);
        Answer { body: body.into(), ..Answer::empty(StatusCode::OK) }.with(CONTENT_TYPE, kind)
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Answer {
        self.headers.insert(name, value);
        self
    }

    /// The same with the ETag of a version: `"v7"`.
    #[must_use]
    pub fn versioned(self, version: u64) -> Answer {
        match HeaderValue::try_from(etag(version)) {
            Ok(value) => self.with(ETAG, value),
            Err(_) => self,
        }
    }

    pub(crate) fn into_response(self) -> Response<axum::body::Body> {
        let mut response = Response::new(axum::body::Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// The ETag of a version.
pub(crate) fn etag(version: u64) -> String {
    format!("\"v{version}\"")
}
