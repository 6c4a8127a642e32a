//! What a request says about its signature: in the `Authorization` header, or in its query.

use std::borrow::Cow;

use hyper::header::{AUTHORIZATION, DATE, HOST};
use hyper::http::request::Parts;
use hyper::http::{HeaderMap, HeaderName};
use memchr::{memchr, memchr2};

use super::{ALGORITHM, canonical, incomplete, invalid, missing};
use crate::WireError;
use crate::operation::TARGET;

const SERVICE: &str = "dynamodb";
static SIGNED_AT: HeaderName = HeaderName::from_static("x-amz-date");
static SESSION_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
static BODY_HASH: HeaderName = HeaderName::from_static("x-amz-content-sha256");
/// Headers that must be signed if they are there; the first one always.
static MUST_BE_SIGNED: [&HeaderName; 5] = [&HOST, &TARGET, &SIGNED_AT, &SESSION_TOKEN, &BODY_HASH];

/// The parts of a signature. They stay where they are in the headers: nothing is copied.
#[derive(Debug)]
pub(super) struct Authorization<'a> {
    /// `keyid/20260131/region/service/aws4_request`
    pub(super) credential: Cow<'a, str>,
    /// Names with semicolons between them.
    pub(super) signed_headers: Cow<'a, str>,
    pub(super) signature: Cow<'a, str>,
    /// When the request was signed: `20260131T235959Z`.
    pub(super) date: Cow<'a, str>,
    pub(super) session_token: Option<Cow<'a, str>>,
    /// How long a presigned address is valid; none for a signed header.
    pub(super) expires_seconds: Option<i64>,
}

/// The parts of a credential.
#[derive(Clone, Copy)]
pub(super) struct Credential<'a> {
    pub(super) access_key_id: &'a str,
    pub(super) date: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    /// All but the key's id.
    pub(super) scope: &'a str,
}

impl<'a> Credential<'a> {
    fn read(text: &'a str) -> Option<Credential<'a>> {
        let (access_key_id, scope) = cut(text, b'/')?;
        let (date, rest) = cut(scope, b'/')?;
        let (region, rest) = cut(rest, b'/')?;
        let (service, rest) = cut(rest, b'/')?;
        (rest == "aws4_request").then_some(Credential {
            access_key_id,
            date,
            region,
            service,
            scope,
        })
    }
}

impl<'a> Authorization<'a> {
    pub(super) fn read(head: &'a Parts) -> Result<Authorization<'a>, WireError> {
        let query = canonical::query_parameters(head.uri.query().unwrap_or_default());
        let is_presigned = query.iter().any(|(name, _)| name == "X-Amz-Algorithm");
        let mut headers = head.headers.get_all(AUTHORIZATION).iter();
        let header = match (headers.next(), headers.next()) {
            (None, _) => None,
            (Some(header), None) => Some(header.to_str().map_err(|_| missing())?),
            (Some(_), Some(_)) => return Err(repeated("Authorization")),
        };
        match header {
            Some(_) if is_presigned => Err(invalid(
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as \
                     HTTP header."
                    .to_owned(),
            )),
            Some(header) => from_header(head, header),
            None if is_presigned => from_query(&query),
            None => Err(missing()),
        }
    }

    /// Whose key it is, and where and when it is for.
    pub(super) fn credential(&self) -> Result<Credential<'_>, WireError> {
        Credential::read(&self.credential).ok_or_else(|| {
            incomplete(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. \
                 keyid/date/region/service/term, got '{}'",
                self.credential
            ))
        })
    }

    pub(super) fn signed_headers(&self) -> impl Iterator<Item = &str> {
        split(&self.signed_headers, b';')
    }

    /// What must be signed is signed.
    pub(super) fn check(
        &self,
        credential: Credential<'_>,
        headers: &HeaderMap,
    ) -> Result<(), WireError> {
        if credential.service != SERVICE {
            return Err(invalid(format!(
                "Credential should be scoped to correct service: '{SERVICE}'. "
            )));
        }
        let (mut is_sorted, mut last) = (true, "");
        let mut is_signed = [false; MUST_BE_SIGNED.len()];
        for name in self.signed_headers() {
            is_sorted &= last <= name;
            last = name;
            if let Some(place) = MUST_BE_SIGNED.iter().position(|must| must.as_str() == name) {
                is_signed[place] = true;
            }
        }
        let is_lower = !self.signed_headers.bytes().any(|byte| byte.is_ascii_uppercase());
        if !is_sorted || !is_lower || !is_signed[0] {
            return Err(invalid(
                "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization, and \
                 signed headers must be in lower case and in order."
                    .to_owned(),
            ));
        }
        for (name, is_signed) in MUST_BE_SIGNED.into_iter().zip(is_signed) {
            if !is_signed && headers.contains_key(name) {
                return Err(invalid(format!("'{name}' must be a 'SignedHeader'.")));
            }
        }
        Ok(())
    }

    /// A hash that is given beside the body must be the body's.
    pub(super) fn check_body_hash(&self, head: &Parts, actual: &str) -> Result<(), WireError> {
        match single(&head.headers, &BODY_HASH)? {
            None => Ok(()),
            Some(given) if given == actual => Ok(()),
            Some(_) => Err(invalid(
                "The provided 'x-amz-content-sha256' header does not match what was computed."
                    .to_owned(),
            )),
        }
    }
}

/// The text before and after the first such byte, which is ASCII.
fn cut(text: &str, byte: u8) -> Option<(&str, &str)> {
    let place = memchr(byte, text.as_bytes())?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

/// The texts between such bytes.
fn split(text: &str, byte: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, others) =
            cut(text, byte).map_or((text, None), |(part, rest)| (part, Some(rest)));
        rest = others;
        Some(part)
    })
}

/// The parts of an `Authorization` header. The service separates them at commas and at blanks alike.
fn parameters_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    let parts = std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr2(b',', b' ', text.as_bytes());
        rest = end.and_then(|end| text.get(end + 1..));
        Some(end.and_then(|end| text.get(..end)).unwrap_or(text))
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

fn from_header<'a>(head: &'a Parts, header: &'a str) -> Result<Authorization<'a>, WireError> {
    let Some((algorithm, rest)) = cut(header.trim(), b' ') else { return Err(missing()) };
    if !algorithm.starts_with("AWS4-") {
        return Err(missing());
    }
    if algorithm != ALGORITHM {
        return Err(incomplete(format!("Unsupported AWS 'algorithm': '{algorithm}'.")));
    }
    let mut parameters = Vec::with_capacity(4);
    for pair in parameters_of(rest) {
        let Some((name, value)) = cut(pair, b'=') else {
            return Err(incomplete(format!(
                "'{pair}' not a valid key=value pair (missing equal-sign) in Authorization header: \
                 '{header}'."
            )));
        };
        if parameters.iter().any(|(known, _)| *known == name) {
            return Err(repeated(name));
        }
        parameters.push((name, value));
    }
    let find =
        |name: &str| parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let date = match single(&head.headers, &SIGNED_AT)? {
        Some(date) => Some(date),
        None => single(&head.headers, &DATE)?,
    };
    let (credential, signature, signed) =
        (find("Credential"), find("Signature"), find("SignedHeaders"));
    let mut lacking = String::new();
    for (name, value) in
        [("Credential", credential), ("Signature", signature), ("SignedHeaders", signed)]
    {
        if value.is_none_or(str::is_empty) {
            lacking.push_str(&format!("Authorization header requires '{name}' parameter. "));
        }
    }
    if date.is_none() {
        lacking.push_str(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
        );
    }
    let (Some(credential), Some(signature), Some(signed), Some(date), true) =
        (credential, signature, signed, date, lacking.is_empty())
    else {
        return Err(incomplete(format!("{lacking}Authorization={header}")));
    };
    let session_token = single(&head.headers, &SESSION_TOKEN)?;
    Ok(Authorization {
        credential: credential.into(),
        signed_headers: signed.into(),
        signature: signature.into(),
        date: date.into(),
        session_token: session_token.map(Cow::Borrowed),
        expires_seconds: None,
    })
}

fn from_query<'a>(query: &[(String, String)]) -> Result<Authorization<'a>, WireError> {
    let mut lacking = String::new();
    let mut find = |name: &str, is_required: bool| {
        let mut values = query.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
        let value = values.next().filter(|value| !value.is_empty());
        if values.next().is_some() {
            return Err(repeated(name));
        }
        if value.is_none() && is_required {
            lacking.push_str(&format!("AWS query-string parameters must include '{name}'. "));
        }
        Ok(value.cloned().unwrap_or_default())
    };
    let algorithm = find("X-Amz-Algorithm", true)?;
    let credential = find("X-Amz-Credential", true)?;
    let signature = find("X-Amz-Signature", true)?;
    let signed = find("X-Amz-SignedHeaders", true)?;
    let date = find("X-Amz-Date", true)?;
    let expires = find("X-Amz-Expires", false)?;
    let token = find("X-Amz-Security-Token", false)?;
    if !lacking.is_empty() {
        return Err(incomplete(format!("{lacking}Re-examine the query-string parameters.")));
    }
    if algorithm != ALGORITHM {
        return Err(incomplete(format!("Unsupported AWS 'algorithm': '{algorithm}'.")));
    }
    let expires_seconds = if expires.is_empty() {
        None
    } else {
        let seconds = expires.parse().map_err(|_| {
            incomplete(format!("X-Amz-Expires must be a number of seconds, not '{expires}'."))
        })?;
        Some(seconds)
    };
    let session_token = Some(token).filter(|token| !token.is_empty());
    Ok(Authorization {
        credential: credential.into(),
        signed_headers: signed.into(),
        signature: signature.into(),
        date: date.into(),
        session_token: session_token.map(Cow::Owned),
        expires_seconds,
    })
}

/// The value of a header that may stand there once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, WireError> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(repeated(name.as_str()));
    }
    let Some(value) = value else { return Ok(None) };
    let text = value.to_str().map_err(|_| invalid(format!("'{name}' must be ASCII text.")))?;
    Ok(Some(text.trim()))
}

fn repeated(name: &str) -> WireError {
    invalid(format!("'{name}' must be given once."))
}
