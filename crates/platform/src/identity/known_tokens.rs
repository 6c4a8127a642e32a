//! Tokens whose signatures were found right before. A bearer shows one token many times, and taking it
//! apart and verifying its signature cost more than everything else about it. Nothing else is remembered:
//! whether the key is still in use, the times and the session are asked each time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::jws::{Compact, Digest, PublicKey, Refused};

/// Tokens of one generation; two are kept.
const GENERATION_MAX: usize = 4 * 1024;

/// The tokens that were right of late, by the digests of their texts.
#[derive(Default)]
pub(super) struct KnownTokens(Mutex<Generations>);

type Tokens = HashMap<Digest, Arc<Compact>>;

#[derive(Default)]
struct Generations {
    young: Tokens,
    old: Tokens,
}

impl KnownTokens {
    /// Takes a token apart, or finds it taken apart.
    pub fn read(&self, token: &str) -> Result<Arc<Compact>, Refused> {
        match self.find(&Compact::digest_of(token)) {
            Some(known) => Ok(known),
            None => Ok(Arc::new(Compact::parse(token)?)),
        }
    }

    /// Refuses a token unless this key signed it, with this key's algorithm.
    pub fn verify(&self, compact: &Arc<Compact>, key: &PublicKey) -> Result<(), Refused> {
        if !compact.is_signed_by(key) {
            compact.verify(key)?;
            self.locked(|known| known.add(Arc::clone(compact)));
        }
        Ok(())
    }

    fn find(&self, digest: &Digest) -> Option<Arc<Compact>> {
        self.locked(|known| {
            if let Some(young) = known.young.get(digest) {
                return Some(Arc::clone(young));
            }
            let old = known.old.remove(digest)?;
            known.add(Arc::clone(&old));
            Some(old)
        })
    }

    fn locked<T>(&self, with: impl FnOnce(&mut Generations) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Generations {
    fn add(&mut self, compact: Arc<Compact>) {
        if self.young.len() >= GENERATION_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(compact.digest(), compact);
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
        let (signer, known) = (key(1), KnownTokens::default());
        let token = signer.sign("k", "at+jwt", &json!({ "sub": "ann" })).unwrap();
        let other = signer.sign("k", "at+jwt", &json!({ "sub": "bob" })).unwrap();
        let verify = |token: &str, key: &SigningKey| {
            known.verify(&known.read(token).unwrap(), &key.public())
        };
        assert_eq!(verify(&token, &signer), Ok(()));
        assert_eq!(verify(&token, &signer), Ok(()), "now it is known");
        assert!(known.find(&Compact::digest_of(&token)).is_some());
        let (message, _) = token.rsplit_once('.').unwrap();
        let (_, signature) = other.rsplit_once('.').unwrap();
        let mixed = format!("{message}.{signature}");
        for (token, by) in [(&token, &key(2)), (&mixed, &signer)] {
            assert_eq!(verify(token, by), Err("the signature is wrong"));
            assert_eq!(verify(token, by), Err("the signature is wrong"), "it is not remembered");
        }
        assert!(known.find(&Compact::digest_of(&mixed)).is_none());
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let (signer, known) = (key(1), KnownTokens::default());
        let token = |number: usize| signer.sign("k", "at+jwt", &json!({ "sub": number })).unwrap();
        let add = |number: usize| {
            let compact = Arc::new(Compact::parse(&token(number)).unwrap());
            known.locked(|known| known.add(compact));
        };
        (0..3 * GENERATION_MAX).for_each(add);
        assert!(known.find(&Compact::digest_of(&token(0))).is_none(), "the first is forgotten");
        known.locked(|known| assert!(known.young.len() + known.old.len() <= 2 * GENERATION_MAX));
    }
}
