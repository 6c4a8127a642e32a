//! What every token must say of itself, whoever issued it: issuer, times, and whom it is for.

use std::time::Duration;

use kernel::moment::Moment;
use serde_json::{Map, Value};

use super::jws::Refused;

/// Times beyond this are no times: the end of the year 9999, in seconds.
const SECONDS_MAX: u64 = 253_402_300_799;

/// When a token may be used.
pub(super) struct Times {
    pub now: Moment,
    /// By how much it may have begun in the future.
    pub early: Duration,
    /// By how much it may have ended.
    pub late: Duration,
    /// Longest life, from `iat` to `exp`.
    pub life_max: Duration,
}

/// The answer to a token whose time is over is told to its owner, so that clients know to refresh.
pub(super) const EXPIRED: Refused = "the token has expired";

impl Times {
    pub fn check(&self, claims: &Map<String, Value>) -> Result<(), Refused> {
        let exp = seconds(claims, "exp")?.ok_or("exp is missing")?;
        let iat = seconds(claims, "iat")?.ok_or("iat is missing")?;
        let nbf = seconds(claims, "nbf")?.unwrap_or(iat);
        let latest = self.now.after(self.early).seconds();
        if iat > latest || nbf > latest {
            return Err("the token is not valid yet");
        }
        if exp <= iat || exp - iat > self.life_max.as_secs() {
            return Err("the token lives longer than accepted");
        }
        if self.now >= Moment::from_seconds(exp).after(self.late) {
            return Err(EXPIRED);
        }
        Ok(())
    }
}

/// A time in whole seconds. One that is there and is not such a number is refused, not passed over.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, Refused> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(seconds) if seconds <= SECONDS_MAX => Ok(Some(seconds)),
            _ => Err("a time is not a whole number of seconds"),
        },
    }
}

/// A text, which is there and not empty.
pub(super) fn text<'c>(claims: &'c Map<String, Value>, name: &str) -> Option<&'c str> {
    claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The audiences: a text, or a list of texts and nothing else.
pub(super) fn audiences(claims: &Map<String, Value>) -> Result<Vec<&str>, Refused> {
    let all = match claims.get("aud") {
        None => return Ok(Vec::new()),
        Some(Value::String(one)) => return Ok(vec![one]),
        Some(Value::Array(all)) => all.iter().map(Value::as_str).collect::<Option<Vec<_>>>(),
        Some(_) => None,
    };
    all.ok_or("aud is neither a text nor a list of texts")
}
