//! The NextToken of a SELECT: the opaque text that says where a reader goes on.
//!
//! ```text
//! version:u8 = 1 | fingerprint:[u8; 32] | range:u32 | the last key, if any, as a stored item
//! | check:u64 (a hash of everything before)
//! ```
//!
//! written as hexadecimal digits. The fingerprint binds it to the statement as written and to its
//! parameters by value. The check finds texts that were cut off or made up; it is no signature,
//! since a token opens nothing that its statement does not.

use sha2::{Digest, Sha256};
use values::{AttributeValue, Item, codec};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, text};

const VERSION: u8 = 1;
const CHECK_BYTES: usize = 8;

/// What a token is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of a statement and its parameters. Numbers are compared by value; the service also tells `1`
    /// from `1.0`, which are the same value here before anybody can ask.
    pub fn new(statement: &str, parameters: &[AttributeValue]) -> Fingerprint {
        let mut bytes = statement.as_bytes().to_vec();
        for parameter in parameters {
            bytes.push(0);
            codec::encode_value(parameter, &mut bytes);
        }
        Fingerprint(Sha256::digest(&bytes).into())
    }
}

/// A reader's place among the ranges of its statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NextToken {
    /// Which range is read next.
    pub range: usize,
    /// The last key read in it, if any was.
    pub last: Option<Item>,
}

impl NextToken {
    /// The text for the reader.
    pub fn encode(&self, fingerprint: Fingerprint) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&fingerprint.0);
        bytes.extend_from_slice(&u32::try_from(self.range).unwrap_or(u32::MAX).to_be_bytes());
        if let Some(last) = &self.last {
            codec::encode_item(last, &mut bytes);
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_be_bytes());
        values::hexadecimal::encode(&bytes)
    }

    /// Reads the text back. A token of another request is told from no token at all (DX).
    pub fn decode(text: &str, fingerprint: Fingerprint) -> Result<NextToken, Error> {
        let (found, token) =
            decode(text).ok_or_else(|| Error::Validation(text::INVALID_NEXT_TOKEN.to_owned()))?;
        if found == fingerprint { Ok(token) } else { Err(mismatch()) }
    }
}

/// A token that belongs to another request.
pub fn mismatch() -> Error {
    Error::Validation(text::NEXT_TOKEN_MISMATCH.to_owned())
}

fn decode(text: &str) -> Option<(Fingerprint, NextToken)> {
    let bytes = values::hexadecimal::decode(text)?;
    let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
    if check != xxh3_64(body).to_be_bytes() || body.first() != Some(&VERSION) {
        return None;
    }
    let fingerprint = Fingerprint(body.get(1..33)?.try_into().ok()?);
    let range = u32::from_be_bytes(body.get(33..37)?.try_into().ok()?);
    let last = match body.get(37..)? {
        [] => None,
        item => Some(codec::decode_item(item).ok()?),
    };
    Some((fingerprint, NextToken { range: usize::try_from(range).ok()?, last }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_for_its_own_request_only() {
        let fingerprint = Fingerprint::new("SELECT", &[AttributeValue::from(1)]);
        let last = Item::from([("pk", AttributeValue::from("a"))]);
        for token in [NextToken { range: 3, last: Some(last) }, NextToken::default()] {
            let text = token.encode(fingerprint);
            assert_eq!(NextToken::decode(&text, fingerprint), Ok(token));
            for other in [
                Fingerprint::new("SELECT ", &[AttributeValue::from(1)]),
                Fingerprint::new("SELECT", &[AttributeValue::from(2)]),
                Fingerprint::new("SELECT", &[]),
            ] {
                assert_eq!(NextToken::decode(&text, other), Err(mismatch()));
            }
            for at in 0..text.len() {
                let mut changed = text.clone();
                let digit = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
                changed.replace_range(at..=at, digit);
                let error = NextToken::decode(&changed, fingerprint).unwrap_err();
                assert_eq!(error, Error::Validation("Invalid NextToken".to_owned()));
            }
        }
    }
}
