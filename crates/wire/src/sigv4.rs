//! Signature Version 4: does a request come from someone who holds the secret of its access key?
//!
//! [`verify`] takes a request's head and the hash of its body and gives the access key's id, or the
//! error that the service answers with. The signature may be in the `Authorization` header or in the
//! query of a presigned address. Any region is taken, since one machine has no regions; the service
//! must be `dynamodb`.
//!
//! An unknown key, a disabled one, a wrong session token and a wrong signature get one and the same
//! answer in about the same time: for an unknown key the signature is computed all the same, with a
//! secret that nobody has. A request can be sent again unchanged within the 15 minutes; writes that
//! must not happen twice carry a condition or a client token.

mod authorization;
mod canonical;
mod date;
mod signing_key;

use std::sync::Arc;

use hmac::Mac as _;
use hyper::http::request::Parts;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};
use zeroize::Zeroizing;

use crate::WireError;
use authorization::{Authorization, Credential};
pub use signing_key::SigningKeys;

/// How far the time in a request may be from now.
const SKEW_SECONDS: i64 = 15 * 60;
/// The longest a presigned address may be valid.
const PRESIGNED_SECONDS_MAX: i64 = 7 * 24 * 60 * 60;
/// The name of the one algorithm.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What the holder of an access key proves to have.
pub struct Credentials {
    /// The secret access key.
    pub secret: Zeroizing<String>,
    /// The session token that must come with it, of a key that was made for a limited time.
    pub session_token: Option<Zeroizing<String>>,
}

/// Where secrets are found.
pub trait Keys: Send + Sync {
    /// The credentials of an access key that may be used now.
    fn credentials(&self, access_key_id: &str) -> Option<Arc<Credentials>>;
}

/// The id of the access key that has signed a request; `now` is in seconds since 1970.
pub fn verify(
    head: &Parts,
    body: BodyHash,
    keys: &dyn Keys,
    signing_keys: &SigningKeys,
    now: i64,
) -> Result<String, WireError> {
    let authorization = Authorization::read(head)?;
    let credential = authorization.credential()?;
    authorization.check(credential, &head.headers)?;
    check_time(&authorization, credential, now)?;
    let body_hash = Hexadecimal::of(&body.0.finalize());
    authorization.check_body_hash(head, body_hash.text())?;
    let canonical = canonical::request(head, &authorization, body_hash.text())?;
    let credentials = keys.credentials(credential.access_key_id);
    let mut signed = signing_keys.get(credential, credentials.as_ref());
    let canonical_hash = Hexadecimal::of(&Sha256::digest(&canonical));
    let parts =
        [ALGORITHM, "\n", &authorization.date, "\n", credential.scope, "\n", canonical_hash.text()];
    parts.into_iter().for_each(|part| signed.update(part.as_bytes()));
    let signature = Hexadecimal::of(&signed.finalize().into_bytes());
    let is_right = signature.is(authorization.signature.as_bytes());
    let is_known = credentials.is_some_and(|known| has_token(&known, &authorization));
    let is_allowed = is_right && is_known;
    if is_allowed { Ok(credential.access_key_id.to_owned()) } else { Err(refused()) }
}

/// The hash of a body, made as the body comes.
#[derive(Clone, Debug, Default)]
pub struct BodyHash(Sha256);

impl BodyHash {
    /// The hash of a whole body.
    pub fn of(body: &[u8]) -> BodyHash {
        let mut hash = BodyHash::default();
        hash.add(body);
        hash
    }

    /// Goes on with another piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }
}

/// Whether a request can pass [`verify`] for all that its head says: a key that is known, a time that
/// is right.
pub fn may_be_known(head: &Parts, keys: &dyn Keys, now: i64) -> bool {
    let known = || -> Result<bool, WireError> {
        let authorization = Authorization::read(head)?;
        let credential = authorization.credential()?;
        check_time(&authorization, credential, now)?;
        Ok(keys.credentials(credential.access_key_id).is_some())
    };
    known().unwrap_or(false)
}

fn has_token(credentials: &Credentials, authorization: &Authorization<'_>) -> bool {
    match (&credentials.session_token, &authorization.session_token) {
        (None, None) => true,
        (Some(expected), Some(given)) => expected.as_bytes().ct_eq(given.as_bytes()).into(),
        _ => false,
    }
}

fn check_time(
    authorization: &Authorization<'_>,
    credential: Credential<'_>,
    now: i64,
) -> Result<(), WireError> {
    let signed = date::parse(&authorization.date).ok_or_else(|| {
        incomplete(format!(
            "Date must be in ISO-8601 'basic format'. Got '{}'. \
             See http://en.wikipedia.org/wiki/ISO_8601",
            authorization.date
        ))
    })?;
    // A date that was read has eight digits before its time.
    let day = authorization.date.get(..8).unwrap_or_default();
    if credential.date != day {
        return Err(invalid(format!(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
             '{}' != '{day}', from '{}'.",
            credential.date, authorization.date
        )));
    }
    let valid_seconds = authorization.expires_seconds.unwrap_or(SKEW_SECONDS);
    if !(0..=PRESIGNED_SECONDS_MAX).contains(&valid_seconds) {
        return Err(invalid("X-Amz-Expires must be between 0 and 604800 seconds".to_owned()));
    }
    let given = &authorization.date;
    if signed > now.saturating_add(SKEW_SECONDS) {
        let (bound, today) = (date::text(now.saturating_add(SKEW_SECONDS)), date::text(now));
        return Err(invalid(format!(
            "Signature not yet current: {given} is still later than {bound} ({today} + 15 min.)"
        )));
    }
    if signed.saturating_add(valid_seconds) < now {
        let (bound, today) = (date::text(now.saturating_sub(valid_seconds)), date::text(now));
        let minutes = valid_seconds / 60;
        return Err(invalid(format!(
            "Signature expired: {given} is now earlier than {bound} ({today} - {minutes} min.)"
        )));
    }
    Ok(())
}

/// A hash as lower-case hexadecimal digits.
struct Hexadecimal([u8; 64]);

impl Hexadecimal {
    fn of(hash: &[u8]) -> Hexadecimal {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(hash) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        Hexadecimal(digits)
    }

    fn text(&self) -> &str {
        // Digits are ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether these are its digits, told in a time that does not depend on how many of them are.
    fn is(&self, digits: &[u8]) -> bool {
        let (own, (given, rest)) = (self.0.as_chunks().0, digits.as_chunks());
        let is_same = |(own, given): (&[u8; 8], &[u8; 8])| {
            u64::from_ne_bytes(*own).ct_eq(&u64::from_ne_bytes(*given))
        };
        let same = own.iter().zip(given).map(is_same).fold(Choice::from(1), |all, one| all & one);
        own.len() == given.len() && rest.is_empty() && same.into()
    }
}

/// Whatever was wrong with the key, its token or the signature.
pub(crate) fn refused() -> WireError {
    WireError::framework(
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )
}

fn invalid(message: String) -> WireError {
    WireError::framework("InvalidSignatureException", message)
}

fn incomplete(message: String) -> WireError {
    WireError::framework("IncompleteSignatureException", message)
}

fn missing() -> WireError {
    WireError::framework(
        "MissingAuthenticationTokenException",
        "Request is missing Authentication Token",
    )
}

#[cfg(test)]
mod tests;
