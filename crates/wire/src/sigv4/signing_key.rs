//! The key of a day, a region and a service, made from the secret; kept, since it takes four hashes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::Credentials;
use super::authorization::Credential;

/// More are forgotten: a day has one for each access key and region.
const KEPT_MAX: usize = 4096;

/// Signing keys made lately, by access key and scope.
#[derive(Default)]
pub struct SigningKeys(RwLock<Kept>);

#[derive(Default)]
struct Kept {
    count: usize,
    by_access_key: HashMap<String, HashMap<String, SigningKey>>,
}

struct SigningKey {
    /// What it was made from: a secret that was replaced is never used again.
    credentials: Option<Arc<Credentials>>,
    key: Hmac<Sha256>,
}

impl SigningKey {
    /// Whether it was made from these very credentials; their text need not be compared.
    fn is_from(&self, credentials: Option<&Arc<Credentials>>) -> bool {
        match (&self.credentials, credentials) {
            (Some(own), Some(given)) => Arc::ptr_eq(own, given),
            (None, None) => true,
            _ => false,
        }
    }
}

impl SigningKeys {
    /// The key, ready to sign. Without credentials it is made from a secret that nobody has: the work
    /// is that of a known key.
    pub(super) fn get(
        &self,
        credential: Credential<'_>,
        credentials: Option<&Arc<Credentials>>,
    ) -> Hmac<Sha256> {
        let access_key_id = credentials.map_or("", |_| credential.access_key_id);
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found =
            kept.by_access_key.get(access_key_id).and_then(|keys| keys.get(credential.scope));
        if let Some(known) = found.filter(|known| known.is_from(credentials)) {
            return known.key.clone();
        }
        drop(kept);
        let secret = credentials.map_or("", |known| &known.secret);
        let key = derive(secret, credential);
        let made = SigningKey { credentials: credentials.cloned(), key: key.clone() };
        self.keep(access_key_id, credential.scope, made);
        key
    }

    fn keep(&self, access_key_id: &str, scope: &str, key: SigningKey) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Regions are the caller's to choose: the number of keys must not be.
        if kept.count >= KEPT_MAX {
            *kept = Kept::default();
        }
        kept.count += 1;
        let keys = kept.by_access_key.entry(access_key_id.to_owned()).or_default();
        keys.insert(scope.to_owned(), key);
    }
}

fn derive(secret: &str, credential: Credential<'_>) -> Hmac<Sha256> {
    let start = Zeroizing::new(format!("AWS4{secret}"));
    let Credential { date, region, service, .. } = credential;
    [date, region, service, "aws4_request"].into_iter().fold(hmac(start.as_bytes()), |key, part| {
        let next = Zeroizing::new(<[u8; 32]>::from(key.chain_update(part).finalize().into_bytes()));
        hmac(&*next)
    })
}

/// HMAC-SHA256 with a key.
fn hmac(key: &[u8]) -> Hmac<Sha256> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(hmac) => hmac,
        Err(_) => unreachable!("HMAC takes keys of any length"),
    }
}
