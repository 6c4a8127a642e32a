//! Signatures that were found right before. A bearer shows one token many times, and its signature costs
//! more to verify than everything else about it. Nothing else is remembered: whether the key is still in
//! use, the claims and the session are asked each time.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::jws::{Compact, PublicKey, Refused};

/// Signatures of one generation; two are kept.
const GENERATION_MAX: usize = 8 * 1024;

/// A digest of a key, what it signed, and the signature.
pub(super) type Fingerprint = [u8; 32];

/// The signatures that were right of late.
#[derive(Default)]
pub(super) struct KnownSignatures(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashSet<Fingerprint>,
    old: HashSet<Fingerprint>,
}

impl KnownSignatures {
    /// Refuses a token unless this key signed it, with this key's algorithm.
    pub fn verify(&self, compact: &Compact<'_>, key: &PublicKey) -> Result<(), Refused> {
        let fingerprint = compact.fingerprint(key);
        if !self.knows(&fingerprint) {
            compact.verify(key)?;
            self.remember(fingerprint);
        }
        Ok(())
    }

    fn knows(&self, fingerprint: &Fingerprint) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.young.contains(fingerprint) {
            return true;
        }
        let is_old = known.old.contains(fingerprint);
        if is_old {
            known.add(*fingerprint);
        }
        is_old
    }

    fn remember(&self, fingerprint: Fingerprint) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(fingerprint);
    }
}

impl Generations {
    fn add(&mut self, fingerprint: Fingerprint) {
        if self.young.len() >= GENERATION_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(fingerprint);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::identity::{Algorithm, SigningKey};

    fn key(seed: u8) -> SigningKey {
        SigningKey::read(Algorithm::EdDsa, &[seed; 32]).unwrap()
    }

    /// A token that is known is still refused in every other form, and from every other key.
    #[test]
    fn only_the_very_token_is_known() {
        let (signer, known) = (key(1), KnownSignatures::default());
        let token = signer.sign("k", "at+jwt", &json!({ "sub": "ann" })).unwrap();
        let other = signer.sign("k", "at+jwt", &json!({ "sub": "bob" })).unwrap();
        let verify = |token: &str, key: &SigningKey| {
            known.verify(&Compact::parse(token).unwrap(), &key.public())
        };
        assert_eq!(verify(&token, &signer), Ok(()));
        assert_eq!(verify(&token, &signer), Ok(()), "now it is known");
        let (message, _) = token.rsplit_once('.').unwrap();
        let (_, signature) = other.rsplit_once('.').unwrap();
        let mixed = format!("{message}.{signature}");
        for (token, by) in [(&token, &key(2)), (&mixed, &signer)] {
            assert_eq!(verify(token, by), Err("the signature is wrong"));
            assert_eq!(verify(token, by), Err("the signature is wrong"), "it is not remembered");
        }
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let known = KnownSignatures::default();
        for number in 0..3 * GENERATION_MAX as u64 {
            let mut fingerprint = Fingerprint::default();
            fingerprint[..8].copy_from_slice(&number.to_le_bytes());
            known.remember(fingerprint);
        }
        assert!(!known.knows(&Fingerprint::default()), "the first is forgotten");
        let held = known.0.lock().unwrap();
        assert!(held.young.len() + held.old.len() <= 2 * GENERATION_MAX);
    }
}
