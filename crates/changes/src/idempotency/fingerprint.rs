//! What tells requests apart: the hash under which one is known, and the fingerprint of what it says.

use kernel::caller::Caller;
use sha2::{Digest, Sha256};

use super::key::Key;

/// A request as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The account; keys of different accounts are different keys (C3-09).
    pub account: &'a str,
    /// Who asks: an answer is not given to somebody else.
    pub caller: &'a Caller,
    /// The method.
    pub method: &'a str,
    /// The route's template.
    pub route: &'a str,
    /// The path.
    pub path: &'a str,
    /// The query, without its question mark.
    pub query: &'a str,
    /// The versions that it is about, as `If-Match` has them; empty if it has none.
    pub if_match: &'a [u8],
    /// The body's type.
    pub content_type: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// The client's key.
    pub key: &'a Key,
}

impl Request<'_> {
    /// SHA-256 of account, method, route and key: the primary key (R003-idem-3, C3-08).
    pub(super) fn hash(&self) -> String {
        let parts = [self.account, self.method, self.route, self.key.as_str()];
        digest("plinth.idempotency.request.v1", parts.map(str::as_bytes))
    }

    /// SHA-256 of who asks and of everything that is asked.
    pub(super) fn fingerprint(&self) -> String {
        let parts = [
            self.caller.kind().as_bytes(),
            self.caller.id().as_bytes(),
            self.method.as_bytes(),
            self.path.as_bytes(),
            self.query.as_bytes(),
            self.content_type.as_bytes(),
            self.body,
        ];
        let without = digest("plinth.idempotency.fingerprint.v1", parts);
        if self.if_match.is_empty() {
            return without;
        }
        let parts = [without.as_bytes(), self.if_match];
        digest("plinth.idempotency.fingerprint.if-match.v1", parts)
    }
}

/// Each part with its length, so that no two lists of parts are alike.
fn digest<const N: usize>(domain: &str, parts: [&[u8]; N]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(domain.as_bytes());
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    values::hexadecimal::encode(&hasher.finalize())
}
