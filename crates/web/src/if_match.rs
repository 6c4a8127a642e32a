//! If-Match: a change of what somebody else has changed meanwhile is refused.

use http::header::IF_MATCH;
use http::request::Parts;
use http::{HeaderMap, Method};
use kernel::ExpectedVersion;
use kernel::error::{Error, PRECONDITION_REQUIRED, VALIDATION_ERROR};
use kernel::version::version_of;
use serde_json::json;

use super::{Description, Extract, Input};

/// If-Match, if it was sent: the versions that a change may start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfMatch(pub ExpectedVersion);

/// If-Match, without which the request is refused (428).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustMatch(pub ExpectedVersion);

fn parse(headers: &HeaderMap) -> Result<Option<ExpectedVersion>, Error> {
    let (mut tags, mut versions) = (0, Vec::new());
    for value in headers.get_all(IF_MATCH) {
        let text = value.to_str().map_err(|_| malformed())?;
        for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
            if tag == "*" {
                return Ok(Some(ExpectedVersion::Any));
            }
            // A weak tag never matches (RFC 9110, 13.1.1), and that it is one is no mistake.
            let quoted = tag.strip_prefix("W/").unwrap_or(tag);
            let is_quoted = quoted.len() >= 2 && quoted.starts_with('"') && quoted.ends_with('"');
            if !is_quoted {
                return Err(malformed());
            }
            tags += 1;
            versions.extend(version_of(tag));
        }
    }
    match (tags, headers.contains_key(IF_MATCH)) {
        (0, true) => Err(malformed()),
        (0, false) => Ok(None),
        _ => Ok(Some(ExpectedVersion::OneOf(versions))),
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
    match parse(&head.headers)? {
        Some(ExpectedVersion::OneOf(_)) => {
            Err(wrong("this change takes no version: leave If-Match out"))
        }
        Some(ExpectedVersion::Any) | None => Ok(()),
    }
}

impl<S> Extract<S> for IfMatch {
    fn extract(input: &Input<'_, S>) -> Result<IfMatch, Error> {
        Ok(IfMatch(parse(&input.head.headers)?.unwrap_or_default()))
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
        parse(&input.head.headers)?.map(MustMatch).ok_or_else(missing)
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
        assert_eq!(parse(&HeaderMap::new()).unwrap(), None);
        for text in ["", " ", ","] {
            let headers = HeaderMap::from_iter([(IF_MATCH, HeaderValue::from_static(text))]);
            assert_eq!(parse(&headers).unwrap_err().code(), VALIDATION_ERROR, "{text:?}");
        }
    }
}
