//! Why a request is refused: what the caller reads, and beside it what only the log does.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

/// A code of the error envelope with its HTTP status. Services declare their own beside these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// As the envelope has it.
    pub name: &'static str,
    /// HTTP's status.
    pub status: u16,
}

impl Code {
    /// A code.
    pub const fn new(name: &'static str, status: u16) -> Code {
        Code { name, status }
    }
}

/// The request is not as it should be; `details` names each field.
pub const VALIDATION_ERROR: Code = Code::new("VALIDATION_ERROR", 400);
/// No credential, or one that is not accepted.
pub const UNAUTHORIZED: Code = Code::new("UNAUTHORIZED", 401);
/// A credential that does not allow this.
pub const FORBIDDEN: Code = Code::new("FORBIDDEN", 403);
/// It does not exist, or not for this caller.
pub const NOT_FOUND: Code = Code::new("NOT_FOUND", 404);
/// The path has no such method.
pub const METHOD_NOT_ALLOWED: Code = Code::new("METHOD_NOT_ALLOWED", 405);
/// The request did not come in time.
pub const REQUEST_TIMEOUT: Code = Code::new("REQUEST_TIMEOUT", 408);
/// Something is in the way: a name that is taken, a change by somebody else.
pub const CONFLICT: Code = Code::new("CONFLICT", 409);
/// If-Match names another version.
pub const PRECONDITION_FAILED: Code = Code::new("PRECONDITION_FAILED", 412);
/// The body is too large.
pub const PAYLOAD_TOO_LARGE: Code = Code::new("PAYLOAD_TOO_LARGE", 413);
/// The body is not JSON.
pub const UNSUPPORTED_MEDIA_TYPE: Code = Code::new("UNSUPPORTED_MEDIA_TYPE", 415);
/// Understood, and impossible.
pub const UNPROCESSABLE: Code = Code::new("UNPROCESSABLE", 422);
/// If-Match is missing.
pub const PRECONDITION_REQUIRED: Code = Code::new("PRECONDITION_REQUIRED", 428);
/// Too many requests.
pub const RATE_LIMITED: Code = Code::new("RATE_LIMITED", 429);
/// A fault of ours.
pub const INTERNAL_ERROR: Code = Code::new("INTERNAL_ERROR", 500);
/// Not now: try again later.
pub const SERVICE_UNAVAILABLE: Code = Code::new("SERVICE_UNAVAILABLE", 503);
/// It took too long, and nobody knows whether it was done.
pub const TIMEOUT: Code = Code::new("TIMEOUT", 504);

/// Why a request is refused. [`fmt::Display`] gives only what the caller may read.
#[derive(Clone)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    code: Code,
    message: Cow<'static, str>,
    details: Map<String, Value>,
    internal: Option<String>,
    retry_after: Option<Duration>,
}

impl Error {
    /// An error with a message for the caller.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Error {
        let message = message.into();
        let details = Map::new();
        Error {
            inner: Box::new(Inner { code, message, details, internal: None, retry_after: None }),
        }
    }

    /// A fault of ours: the caller learns nothing of it.
    pub fn internal(why: impl fmt::Display) -> Error {
        let message = "Something went wrong on our side. Quote the request id when reporting it";
        Error::new(INTERNAL_ERROR, message).because(why)
    }

    /// Not possible now, for a reason that only the log has.
    pub fn unavailable(why: impl fmt::Display) -> Error {
        Error::new(SERVICE_UNAVAILABLE, "The service cannot do this now. Try again later")
            .because(why)
            .retry_after(Duration::from_secs(1))
    }

    /// What is said of anything that is not there for this caller.
    pub fn not_found() -> Error {
        Error::new(NOT_FOUND, "There is nothing here, or nothing that you may see")
    }

    /// Another request changed the same item at the same time.
    pub fn changed_meanwhile() -> Error {
        Error::new(CONFLICT, "Somebody else changed this at the same time: read it again")
    }

    /// A request whose fields are wrong: each with its name and what is wrong with it.
    pub fn validation<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> Error {
        let error = |(name, message): (&str, String)| {
            Value::Object(Map::from_iter([
                ("field".to_owned(), Value::from(name)),
                ("message".to_owned(), Value::from(message)),
            ]))
        };
        let errors: Vec<Value> = fields.into_iter().map(error).collect();
        Error::new(VALIDATION_ERROR, "Request validation failed").detail("errors", errors)
    }

    /// Adds a member to `details`.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Error {
        self.inner.details.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a reason for the log alone.
    #[must_use]
    pub fn because(mut self, why: impl fmt::Display) -> Error {
        self.inner.internal = Some(why.to_string());
        self
    }

    /// Says when to try again.
    #[must_use]
    pub fn retry_after(mut self, duration: Duration) -> Error {
        self.inner.retry_after = Some(duration);
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.inner.code
    }

    /// The envelope's `details`.
    pub fn details(&self) -> &Map<String, Value> {
        &self.inner.details
    }

    /// What only the log may have.
    pub fn reason(&self) -> Option<&str> {
        self.inner.internal.as_deref()
    }

    /// When to try again.
    pub fn retries_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.inner.code.status, self.inner.code.name, self.inner.message)?;
        self.reason().map_or(Ok(()), |why| write!(f, " ({why})"))
    }
}

impl std::error::Error for Error {}

/// Why a transaction did not happen that may happen another time.
const PASSING: [&str; 2] = ["ConditionalCheckFailed", "TransactionConflict"];

/// What the store says becomes what the caller may know of it.
impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        match &error {
            store::Error::PageToken => {
                let message = "it was changed, is another list's, or is too old: start without it";
                Error::validation([("nextToken", message.to_owned())])
            }
            store::Error::BadParameter { name, message } => {
                Error::validation([(name.as_str(), message.clone())])
            }
            // Nothing but other transactions was in the way: the same request may well succeed.
            store::Error::TransactionFailed(reasons)
                if reasons.iter().all(|reason| reason.code == "TransactionConflict") =>
            {
                Error::unavailable(&error)
            }
            // The same request will never succeed: an item would be larger than a table can hold, say.
            store::Error::TransactionFailed(reasons)
                if reasons.iter().any(|reason| !PASSING.contains(&reason.code)) =>
            {
                Error::new(UNPROCESSABLE, "This cannot be kept: make it smaller").because(&error)
            }
            store::Error::ConditionFailed { .. } | store::Error::TransactionFailed(_) => {
                Error::changed_meanwhile().because(&error)
            }
            store::Error::Busy(_) | store::Error::Unavailable(_) => Error::unavailable(&error),
            _ => Error::internal(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_internal_is_in_the_log_and_not_in_the_answer() {
        let error = Error::internal("the disk is on fire");
        assert!(!error.to_string().contains("fire"));
        assert!(format!("{error:?}").contains("fire"));
        assert!(error.details().is_empty());
    }

    /// A repetition that cannot help is not asked for.
    #[test]
    fn a_transaction_says_whether_it_can_succeed_another_time() {
        let status = |codes: &[&'static str]| {
            let reason = |(action, code): (usize, &&'static str)| store::Reason {
                action,
                code,
                found: None,
            };
            let reasons = codes.iter().enumerate().map(reason).collect();
            Error::from(store::Error::TransactionFailed(reasons)).code().status
        };
        assert_eq!(status(&["TransactionConflict", "TransactionConflict"]), 503);
        assert_eq!(status(&["TransactionConflict", "ConditionalCheckFailed"]), 409);
        assert_eq!(status(&["ValidationError"]), 422);
        assert_eq!(status(&["ConditionalCheckFailed", "ItemCollectionSizeLimitExceeded"]), 422);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let error =
            Error::validation([("email", "missing".to_owned()), ("name", "too long".to_owned())]);
        let errors = error.details()["errors"].as_array().unwrap();
        assert_eq!(errors[1]["field"], "name");
        assert_eq!((errors.len(), error.code().status), (2, 400));
    }
}
