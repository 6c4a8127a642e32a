//! If-Match: a change of what somebody else has changed meanwhile is refused.

use changes::etag;
use http::header::IF_MATCH;
use http::request::Parts;
use http::{HeaderMap, Method};
use kernel::error::{Error, PRECONDITION_FAILED, PRECONDITION_REQUIRED, VALIDATION_ERROR};
use serde_json::json;

use super::{Description, Extract, Input};

/// If-Match, if it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfMatch(Option<Tags>);

/// If-Match, without which the request is refused (428).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustMatch(Tags);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Tags {
    Any,
    These(Vec<String>),
}

impl IfMatch {
    /// None was sent.
    pub fn none() -> IfMatch {
        IfMatch(None)
    }

    /// Refuses if If-Match was sent and names another version (412).
    pub fn check(&self, version: u64) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |tags| tags.check(version))
    }

    /// The version that was asked for, if it was exactly one: for a condition of the write, which
    /// holds even if somebody else writes between check and write.
    pub fn version(&self) -> Option<u64> {
        self.0.as_ref().and_then(Tags::version)
    }
}

impl MustMatch {
    /// Refuses if If-Match names another version (412).
    pub fn check(&self, version: u64) -> Result<(), Error> {
        self.0.check(version)
    }

    /// As [`IfMatch::version`].
    pub fn version(&self) -> Option<u64> {
        self.0.version()
    }
}

impl Tags {
    fn parse(headers: &HeaderMap) -> Result<Option<Tags>, Error> {
        let mut tags = Vec::new();
        for value in headers.get_all(IF_MATCH) {
            let text = value.to_str().map_err(|_| malformed())?;
            for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
                if tag == "*" {
                    return Ok(Some(Tags::Any));
                }
                // A weak tag never matches (RFC 9110, 13.1.1), and that it is one is no mistake.
                let quoted = tag.strip_prefix("W/").unwrap_or(tag);
                let is_quoted =
                    quoted.len() >= 2 && quoted.starts_with('"') && quoted.ends_with('"');
                if !is_quoted {
                    return Err(malformed());
                }
                tags.push(tag.to_owned());
            }
        }
        match (tags.is_empty(), headers.contains_key(IF_MATCH)) {
            (true, true) => Err(malformed()),
            (true, false) => Ok(None),
            (false, _) => Ok(Some(Tags::These(tags))),
        }
    }

    fn check(&self, version: u64) -> Result<(), Error> {
        let current = etag(version);
        match self {
            Tags::These(tags) if !tags.contains(&current) => {
                let message = "It has been changed since it was read: read it again, then repeat";
                Err(Error::new(PRECONDITION_FAILED, message).detail("currentETag", current))
            }
            _ => Ok(()),
        }
    }

    fn version(&self) -> Option<u64> {
        match self {
            Tags::These(tags) if tags.len() == 1 => {
                tags[0].strip_prefix("\"v")?.strip_suffix('"')?.parse().ok()
            }
            _ => None,
        }
    }
}

fn malformed() -> Error {
    wrong("If-Match should be an ETag as it was answered, \"v7\" say, or *")
}

fn wrong(message: &str) -> Error {
    Error::new(VALIDATION_ERROR, "Request validation failed")
        .detail("errors", json!([{ "field": "If-Match", "message": message }]))
}

/// Refuses a version for a change that looks at none: who sends one relies on it.
pub(super) fn refuse_unless_taken(is_taken: bool, head: &Parts) -> Result<(), Error> {
    if is_taken || matches!(head.method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    match Tags::parse(&head.headers)? {
        Some(Tags::These(_)) => Err(wrong("this change takes no version: leave If-Match out")),
        Some(Tags::Any) | None => Ok(()),
    }
}

impl<S> Extract<S> for IfMatch {
    fn extract(input: &Input<'_, S>) -> Result<IfMatch, Error> {
        Tags::parse(&input.head.headers).map(IfMatch)
    }

    fn describe(description: &mut Description) {
        description.if_match = Some(false);
    }
}

impl<S> Extract<S> for MustMatch {
    fn extract(input: &Input<'_, S>) -> Result<MustMatch, Error> {
        let why =
            "Send If-Match with the ETag of what you have read, so that no other change is lost";
        let missing = || Error::new(PRECONDITION_REQUIRED, why);
        Tags::parse(&input.head.headers)?.map(MustMatch).ok_or_else(missing)
    }

    fn describe(description: &mut Description) {
        description.if_match = Some(true);
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Who sends If-Match means something by it: an empty one is a mistake, and not its absence.
    #[test]
    fn an_empty_one_is_malformed() {
        assert_eq!(Tags::parse(&HeaderMap::new()).unwrap(), None);
        for text in ["", " ", ","] {
            let headers = HeaderMap::from_iter([(IF_MATCH, HeaderValue::from_static(text))]);
            assert_eq!(Tags::parse(&headers).unwrap_err().code(), VALIDATION_ERROR, "{text:?}");
        }
    }
}
