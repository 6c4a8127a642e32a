//! Answers as the service sends them: content type, checksum, request id.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::body::{Held, Memory, SMALL_BYTES};
use crate::json::Json;
use crate::{Operation, WireError};

/// An answer, whole in memory.
pub(super) type Answer = Response<Full<Bytes>>;

const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-crc32");

/// The answer of an operation, or its error.
pub(super) fn json(outcome: Result<Json, WireError>, request_id: &RequestId) -> Answer {
    let (status, body) = match outcome {
        Ok(body) => (StatusCode::OK, body),
        Err(error) => (status(&error), error.to_json().into()),
    };
    whole(status, JSON, body.into_bytes().into(), request_id)
}

/// The answer of an operation that was executed. A large one is counted until it is sent; if too many
/// wait to be, it is refused, unless the operation has changed something.
pub(super) fn counted(
    body: Json,
    operation: Operation,
    answers: &Memory,
    request_id: &RequestId,
) -> Answer {
    let bytes = Bytes::from(body.into_bytes());
    if bytes.len() as u64 <= SMALL_BYTES {
        return whole(StatusCode::OK, JSON, bytes, request_id);
    }
    match Held::of(answers, bytes.len(), !operation.reads_items()) {
        Ok(held) => {
            let unsent = Bytes::from_owner(Unsent { bytes, _held: held });
            whole(StatusCode::OK, JSON, unsent, request_id)
        }
        Err(_) => {
            let message = "Too many large answers wait to be read. Try again in a moment.";
            json(Err(WireError::framework("ServiceUnavailableException", message)), request_id)
        }
    }
}

/// Bytes that are counted until the connection has let go of them.
struct Unsent {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Unsent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer for people and machines that are no SDK.
pub(super) fn text(status: StatusCode, text: impl Into<Bytes>, request_id: &RequestId) -> Answer {
    whole(status, TEXT, text.into(), request_id)
}

fn whole(status: StatusCode, kind: HeaderValue, body: Bytes, request_id: &RequestId) -> Answer {
    let checksum = crc32fast::hash(&body);
    let length = body.len();
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(CHECKSUM, HeaderValue::from(checksum));
    if let Ok(id) = HeaderValue::from_bytes(&request_id.0) {
        headers.insert(REQUEST_ID, id);
    }
    answer
}

fn status(error: &WireError) -> StatusCode {
    match error.kind.name() {
        "InternalServerError" => StatusCode::INTERNAL_SERVER_ERROR,
        "ServiceUnavailableException" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// What an answer and its line in the log have in common: 52 letters and digits.
pub(super) struct RequestId([u8; 52]);

impl RequestId {
    /// From 256 bits that have not been used before.
    pub(super) fn new(bits: [u64; 4]) -> RequestId {
        const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
        let mut text = [0; 52];
        for (part, word) in text.as_chunks_mut::<13>().0.iter_mut().zip(bits) {
            for (place, digit) in part.iter_mut().enumerate() {
                *digit = DIGITS[(word >> (place * 5) & 31) as usize];
            }
        }
        RequestId(text)
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}
