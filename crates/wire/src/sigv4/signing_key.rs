//! The key of a day, a region and a service, made from the secret; kept, since it takes four hashes.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use hmac::{Hmac, Mac};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::authorization::Authorization;

/// More are forgotten: a day has one for each access key and region.
const KEPT_MAX: usize = 4096;

/// HMAC-SHA256 with a key.
pub(super) fn hmac(key: &[u8]) -> Hmac<Sha256> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(hmac) => hmac,
        Err(_) => unreachable!("HMAC takes keys of any length"),
    }
}

/// Signing keys made lately. They are found by a hash of the secret, so that a secret that was
/// replaced is never used again.
#[derive(Default)]
pub struct SigningKeys(RwLock<HashMap<[u8; 32], Zeroizing<[u8; 32]>>>);

impl SigningKeys {
    pub(super) fn get(&self, secret: &str, scope: &Authorization) -> Zeroizing<[u8; 32]> {
        let name = name(secret, scope);
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
        if let Some(key) = found {
            return key;
        }
        let key = derive(secret, scope);
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Regions are the caller's to choose: the number of keys must not be.
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(name, key.clone());
        key
    }
}

fn name(secret: &str, scope: &Authorization) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [secret, scope.scope_date(), &scope.region, &scope.service] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

fn derive(secret: &str, scope: &Authorization) -> Zeroizing<[u8; 32]> {
    let start = Zeroizing::new(format!("AWS4{secret}"));
    let mut key = Zeroizing::new([0; 32]);
    let parts = [scope.scope_date(), &scope.region, &scope.service, "aws4_request"];
    for (place, part) in parts.into_iter().enumerate() {
        let signed = hmac(if place == 0 { start.as_bytes() } else { &*key });
        *key = signed.chain_update(part.as_bytes()).finalize().into_bytes().into();
    }
    key
}
