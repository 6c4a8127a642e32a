//! The bytes that hashes, marks and signatures are over.
//!
//! A domain, which has the version in it, and a zero byte; then for each field, in a fixed order: its
//! name, a zero byte, 1 if it is there and 0 if not, and if it is there its length in four bytes, most
//! significant first, and its bytes. Numbers are decimal text. No two different things have the same
//! bytes, and a verifier in another language is a page long.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// What stands for the hash before the first.
pub const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A field: its name, and its text if it is there.
pub type Field<'a> = (&'static str, Option<Cow<'a, str>>);

/// A field that is always there.
pub(super) fn field<'a>(name: &'static str, text: impl Into<Cow<'a, str>>) -> Field<'a> {
    (name, Some(text.into()))
}

/// A number.
pub(super) fn number<'a>(name: &'static str, number: u64) -> Field<'a> {
    (name, Some(number.to_string().into()))
}

/// A field that may be absent.
pub(super) fn perhaps<'a>(name: &'static str, text: &'a Option<String>) -> Field<'a> {
    (name, text.as_deref().map(Cow::Borrowed))
}

/// The bytes of some fields.
pub fn bytes(domain: &str, fields: &[Field<'_>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    bytes.extend_from_slice(domain.as_bytes());
    bytes.push(0);
    for (name, text) in fields {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        bytes.push(u8::from(text.is_some()));
        if let Some(text) = text {
            // An item has at most 400 KB.
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    values::hexadecimal::encode(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_fields_have_different_bytes() {
        let a = bytes("d", &[field("x", "ab"), field("y", "")]);
        let b = bytes("d", &[field("x", "a"), field("y", "b")]);
        let c = bytes("d", &[field("x", "ab"), ("y", None)]);
        let d = bytes("e", &[field("x", "ab"), field("y", "")]);
        assert!(a != b && a != c && a != d && b != c);
    }
}
