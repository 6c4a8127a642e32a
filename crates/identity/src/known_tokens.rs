//! Tokens whose signatures were found right before. A bearer shows one token many times, and taking it
//! apart and verifying its signature cost more than everything else about it. Nothing else is remembered:
//! whether the key is still in use, the times and the session are asked each time.

use std::sync::Arc;

use kernel::recent::Recent;

use super::jws::{Compact, Digest, PublicKey, Refused};

/// The tokens that were right of late, by the digests of their texts.
#[derive(Default)]
pub(super) struct KnownTokens(Recent<Digest, Arc<Compact>>);

impl KnownTokens {
    /// Takes a token apart, or finds it taken apart.
    pub fn read(&self, token: &str) -> Result<Arc<Compact>, Refused> {
        match self.0.find(&Compact::digest_of(token)) {
            Some(known) => Ok(known),
            None => Ok(Arc::new(Compact::parse(token)?)),
        }
    }

    /// Refuses a token unless this key signed it, with this key's algorithm.
    pub fn verify(&self, compact: &Arc<Compact>, key: &PublicKey) -> Result<(), Refused> {
        if !compact.is_signed_by(key) {
            compact.verify(key)?;
            self.0.add(compact.digest(), Arc::clone(compact));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Algorithm, SigningKey};

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
        assert!(known.0.find(&Compact::digest_of(&token)).is_some());
        let (message, _) = token.rsplit_once('.').unwrap();
        let (_, signature) = other.rsplit_once('.').unwrap();
        let mixed = format!("{message}.{signature}");
        for (token, by) in [(&token, &key(2)), (&mixed, &signer)] {
            assert_eq!(verify(token, by), Err("the signature is wrong"));
            assert_eq!(verify(token, by), Err("the signature is wrong"), "it is not remembered");
        }
        assert!(known.0.find(&Compact::digest_of(&mixed)).is_none());
    }
}
