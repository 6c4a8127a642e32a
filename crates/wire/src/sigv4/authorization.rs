//! What a request says about its signature: in the `Authorization` header, or in its query.

use hyper::http::request::Parts;
use hyper::http::{HeaderMap, HeaderName};

use super::{ALGORITHM, canonical, incomplete, invalid, missing};
use crate::WireError;

const SERVICE: &str = "dynamodb";

/// The parts of a signature.
#[derive(Debug)]
pub(super) struct Authorization {
    pub(super) access_key_id: String,
    pub(super) scope_date_given: String,
    pub(super) region: String,
    pub(super) service: String,
    pub(super) signed_headers: Vec<String>,
    pub(super) signature: String,
    /// When the request was signed: `20260131T235959Z`.
    pub(super) date: String,
    pub(super) session_token: Option<String>,
    /// How long a presigned address is valid; none for a signed header.
    pub(super) expires_seconds: Option<i64>,
}

impl Authorization {
    pub(super) fn read(head: &Parts) -> Result<Authorization, WireError> {
        let query = canonical::query_parameters(head.uri.query().unwrap_or_default());
        let is_presigned = query.iter().any(|(name, _)| name == "X-Amz-Algorithm");
        let mut headers = head.headers.get_all("authorization").iter();
        let header = match (headers.next(), headers.next()) {
            (None, _) => None,
            (Some(header), None) => Some(header.to_str().map_err(|_| missing())?),
            (Some(_), Some(_)) => return Err(repeated("Authorization")),
        };
        let authorization = match header {
            Some(_) if is_presigned => {
                return Err(invalid(
                    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as \
                     HTTP header."
                        .to_owned(),
                ));
            }
            Some(header) => from_header(head, header)?,
            None if is_presigned => from_query(&query)?,
            None => return Err(missing()),
        };
        authorization.check(&head.headers)?;
        Ok(authorization)
    }

    /// The day in the time of the request.
    pub(super) fn scope_date(&self) -> &str {
        self.date.get(..8).unwrap_or(&self.date)
    }

    /// What must be signed is signed.
    fn check(&self, headers: &HeaderMap) -> Result<(), WireError> {
        if self.service != SERVICE {
            return Err(invalid(format!(
                "Credential should be scoped to correct service: '{SERVICE}'. "
            )));
        }
        let is_sorted = self.signed_headers.is_sorted();
        let is_lower = self.signed_headers.iter().all(|name| *name == name.to_ascii_lowercase());
        if !is_sorted || !is_lower || !self.is_signed("host") {
            return Err(invalid(
                "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization, and \
                 signed headers must be in lower case and in order."
                    .to_owned(),
            ));
        }
        for name in ["x-amz-target", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"] {
            if headers.contains_key(name) && !self.is_signed(name) {
                return Err(invalid(format!("'{name}' must be a 'SignedHeader'.")));
            }
        }
        Ok(())
    }

    fn is_signed(&self, name: &str) -> bool {
        self.signed_headers.iter().any(|signed| signed == name)
    }

    /// A hash that is given beside the body must be the body's.
    pub(super) fn check_body_hash(&self, head: &Parts, actual: &str) -> Result<(), WireError> {
        match single(&head.headers, "x-amz-content-sha256")? {
            None => Ok(()),
            Some(given) if given == actual => Ok(()),
            Some(_) => Err(invalid(
                "The provided 'x-amz-content-sha256' header does not match what was computed."
                    .to_owned(),
            )),
        }
    }
}

fn from_header(head: &Parts, header: &str) -> Result<Authorization, WireError> {
    let Some((algorithm, rest)) = header.trim().split_once(' ') else { return Err(missing()) };
    if !algorithm.starts_with("AWS4-") {
        return Err(missing());
    }
    if algorithm != ALGORITHM {
        return Err(incomplete(format!("Unsupported AWS 'algorithm': '{algorithm}'.")));
    }
    let mut parameters = Vec::new();
    for pair in rest.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let Some((name, value)) = pair.split_once('=') else {
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
    let find = |name: &str| {
        parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let date = match single(&head.headers, "x-amz-date")? {
        Some(date) => Some(date),
        None => single(&head.headers, "date")?,
    };
    let (credential, signature, signed) =
        (find("Credential"), find("Signature"), find("SignedHeaders"));
    let mut lacking = String::new();
    for (name, value) in
        [("Credential", &credential), ("Signature", &signature), ("SignedHeaders", &signed)]
    {
        if value.as_deref().is_none_or(str::is_empty) {
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
    let session_token = single(&head.headers, "x-amz-security-token")?;
    build(&credential, signature, &signed, date, session_token, None)
}

fn from_query(query: &[(String, String)]) -> Result<Authorization, WireError> {
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
    build(&credential, signature, &signed, date, session_token, expires_seconds)
}

fn build(
    credential: &str,
    signature: String,
    signed: &str,
    date: String,
    session_token: Option<String>,
    expires_seconds: Option<i64>,
) -> Result<Authorization, WireError> {
    let parts: Vec<&str> = credential.split('/').collect();
    let [access_key_id, scope_date, region, service, "aws4_request"] = parts.as_slice() else {
        return Err(incomplete(format!(
            "Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got '{credential}'"
        )));
    };
    Ok(Authorization {
        access_key_id: (*access_key_id).to_owned(),
        scope_date_given: (*scope_date).to_owned(),
        region: (*region).to_owned(),
        service: (*service).to_owned(),
        signed_headers: signed.split(';').map(str::to_owned).collect(),
        signature,
        date,
        session_token,
        expires_seconds,
    })
}

/// The value of a header that may stand there once.
fn single(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, WireError> {
    let mut values = headers.get_all(HeaderName::from_static(name)).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(repeated(name));
    }
    let Some(value) = value else { return Ok(None) };
    let text = value.to_str().map_err(|_| invalid(format!("'{name}' must be ASCII text.")))?;
    Ok(Some(text.trim().to_owned()))
}

fn repeated(name: &str) -> WireError {
    invalid(format!("'{name}' must be given once."))
}
