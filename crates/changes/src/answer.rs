//! An answer: status, headers, bytes. Whole in memory it can be kept and given again; only what may be
//! too large for that is streamed.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::Stream;
use http::header::{CONTENT_TYPE, ETAG, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use kernel::error::Error;
use serde::Serialize;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer, whole in memory unless it is a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers that belong to the answer; those of the request (its id, limits, security) are
    /// added when it leaves.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// What follows the body, made while it leaves.
    pub rest: Option<Rest>,
}

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, Error>> + Send>>;

/// The rest of an answer. Whoever takes it first has it.
#[derive(Clone)]
pub struct Rest(Arc<Mutex<Option<Pieces>>>);

impl Rest {
    /// The pieces, for the first who asks.
    pub fn take(&self) -> Option<Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl PartialEq for Rest {
    fn eq(&self, other: &Rest) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Rest {}

impl Answer {
    /// An answer with this status and nothing else.
    pub fn empty(status: StatusCode) -> Answer {
        Answer { status, headers: HeaderMap::new(), body: Bytes::new(), rest: None }
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

    /// The same with more behind the body, made piece by piece as the client takes it: for a read whose
    /// answer may be larger than memory. An error on the way breaks the connection off, so that a part
    /// is never taken for the whole. Such an answer is not kept for repetitions: give it to GET only.
    #[must_use]
    pub fn followed_by(
        mut self,
        pieces: impl Stream<Item = Result<Bytes, Error>> + Send + 'static,
    ) -> Answer {
        self.rest = Some(Rest(Arc::new(Mutex::new(Some(Box::pin(pieces))))));
        self
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
        match HeaderValue::try_from(kernel::version::etag(version)) {
            Ok(value) => self.with(ETAG, value),
            Err(_) => self,
        }
    }
}
