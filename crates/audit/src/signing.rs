//! The keys of the audit log: checkpoints are signed with them, heads are marked with them. They are
//! made at the first start and kept sealed; who can only write to the table can forge neither.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use kernel::PLATFORM;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::moment::Moment;
use patterns::platform::AuditLogs;
use ring::hmac;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use secrets::Seal;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use store::{Page, Store};
use values::hexadecimal;
use zeroize::Zeroizing;

use super::canonical::sha256;

/// Keys that one page of the list has; there is one more with each rotation.
const KEYS_MAX: u32 = 1000;

/// A public key, by which checkpoints are verified anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicKey {
    /// The first 16 digits of the key's SHA-256.
    pub key_id: String,
    /// The key, in hexadecimal.
    pub public_key: String,
}

impl PublicKey {
    /// A key from its hexadecimal digits.
    pub fn parse(digits: &str) -> Option<PublicKey> {
        let bytes = hexadecimal::decode(digits).filter(|bytes| bytes.len() == 32)?;
        Some(PublicKey { key_id: key_id(&bytes), public_key: digits.to_ascii_lowercase() })
    }

    /// Whether the signature is this key's, over these bytes.
    pub fn verifies(&self, bytes: &[u8], signature: &str) -> bool {
        let (Some(key), Some(signature)) =
            (hexadecimal::decode(&self.public_key), hexadecimal::decode(signature))
        else {
            return false;
        };
        UnparsedPublicKey::new(&ED25519, key).verify(bytes, &signature).is_ok()
    }
}

fn key_id(public_key: &[u8]) -> String {
    let mut id = sha256(public_key);
    id.truncate(16);
    id
}

/// One key pair with what is derived from it.
struct Pair {
    signing: Ed25519KeyPair,
    marking: hmac::Key,
    public: PublicKey,
}

impl Pair {
    fn from_seed(seed: &[u8]) -> Result<Pair, Error> {
        let signing = Ed25519KeyPair::from_seed_unchecked(seed)
            .map_err(|_| Error::internal("a signing key of the audit log has the wrong length"))?;
        let marking = hmac::Key::new(hmac::HMAC_SHA256, seed);
        let marking = hmac::sign(&marking, b"plinth.audit.mark.v1");
        let marking = hmac::Key::new(hmac::HMAC_SHA256, marking.as_ref());
        let public = signing.public_key().as_ref();
        let public = PublicKey { key_id: key_id(public), public_key: hexadecimal::encode(public) };
        Ok(Pair { signing, marking, public })
    }
}

/// The keys, the newest last. Cloning is cheap.
#[derive(Clone)]
pub struct Signing {
    inner: Arc<Inner>,
}

struct Inner {
    table: AuditLogs,
    ids: Ids,
    seal: Arc<dyn Seal>,
    keys: RwLock<Keys>,
}

#[derive(Default)]
struct Keys {
    by_id: BTreeMap<String, Arc<Pair>>,
    newest: Option<Arc<Pair>>,
    count: usize,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    key_number: String,
    key_id: String,
    public_key: String,
    sealed_key: ByteBuf,
    created_at: Moment,
}

impl Signing {
    /// Reads the keys, and makes the first one if there is none.
    pub async fn open(
        store: &Store,
        ids: Ids,
        seal: Arc<dyn Seal>,
        now: Moment,
    ) -> Result<Signing, Error> {
        let table = AuditLogs::open(store)?;
        let inner = Inner { table, ids, seal, keys: RwLock::default() };
        let signing = Signing { inner: Arc::new(inner) };
        if signing.reload().await? == 0 {
            signing.add(1, now).await?;
            signing.reload().await?;
        }
        Ok(signing)
    }

    /// Makes a new key: what is signed from now on is signed with it. Older ones go on verifying.
    pub async fn rotate(&self, now: Moment) -> Result<PublicKey, Error> {
        let count = self.reload().await?;
        self.add(count + 1, now).await?;
        self.reload().await?;
        Ok(self.newest()?.public.clone())
    }

    /// Reads the keys again, as another process may have added one. Gives how many there are.
    pub async fn reload(&self) -> Result<usize, Error> {
        let list = self.inner.table.list_signing_keys();
        let page: Page<Stored> = list.page("", KEYS_MAX, None).await?;
        let mut keys = Keys::default();
        for stored in page.items {
            let place = place(&stored.key_number, stored.created_at);
            let seed = self.inner.seal.unseal(PLATFORM, &place, &stored.sealed_key).await?;
            let pair = Arc::new(Pair::from_seed(&Zeroizing::new(seed))?);
            if pair.public.public_key != stored.public_key || pair.public.key_id != stored.key_id {
                let number = &stored.key_number;
                let why = format!("the signing key {number} of the audit log was changed");
                return Err(Error::internal(why));
            }
            keys.newest = Some(Arc::clone(&pair));
            keys.by_id.insert(stored.key_id, pair);
            keys.count += 1;
        }
        let count = keys.count;
        let mut known = self.inner.keys.write().unwrap_or_else(PoisonError::into_inner);
        if count < known.count {
            // Those that are known go on working.
            return Err(Error::internal("a signing key of the audit log is missing"));
        }
        *known = keys;
        Ok(count)
    }

    async fn add(&self, number: usize, now: Moment) -> Result<(), Error> {
        let seed = Zeroizing::new(self.inner.ids.bytes::<32>()?);
        let pair = Pair::from_seed(&seed[..])?;
        let key_number = format!("{number:04}");
        let place = place(&key_number, now);
        let stored = Stored {
            key_number,
            key_id: pair.public.key_id,
            public_key: pair.public.public_key,
            sealed_key: ByteBuf::from(self.inner.seal.seal(PLATFORM, &place, &seed[..]).await?),
            created_at: now,
        };
        match self.inner.table.signing_key().create(&stored)?.run().await {
            // Another process made it at the same time: that one counts.
            Ok(_) | Err(store::Error::ConditionFailed { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Every public key, by id.
    pub fn public_keys(&self) -> Vec<PublicKey> {
        let keys = self.inner.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.by_id.values().map(|pair| pair.public.clone()).collect()
    }

    fn newest(&self) -> Result<Arc<Pair>, Error> {
        let keys = self.inner.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.newest.clone().ok_or_else(|| Error::internal("the audit log has no signing key"))
    }

    fn pair(&self, key_id: &str) -> Option<Arc<Pair>> {
        let keys = self.inner.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.by_id.get(key_id).cloned()
    }

    /// The id of the key that signs and marks now.
    pub(super) fn key_id(&self) -> Result<String, Error> {
        Ok(self.newest()?.public.key_id.clone())
    }

    /// A signature over bytes, with the key of this id.
    pub(super) fn sign(&self, key_id: &str, bytes: &[u8]) -> Result<String, Error> {
        let pair = self.pair(key_id).ok_or_else(|| no_key(key_id))?;
        Ok(hexadecimal::encode(pair.signing.sign(bytes).as_ref()))
    }

    /// A mark over bytes, with the key of this id.
    pub(super) fn mark(&self, key_id: &str, bytes: &[u8]) -> Result<String, Error> {
        let pair = self.pair(key_id).ok_or_else(|| no_key(key_id))?;
        Ok(hexadecimal::encode(hmac::sign(&pair.marking, bytes).as_ref()))
    }

    /// Whether a mark is that of the key of this id. A key that is not known may be a new one.
    pub(super) async fn is_marked(
        &self,
        key_id: &str,
        bytes: &[u8],
        mark: &str,
    ) -> Result<bool, Error> {
        if self.pair(key_id).is_none() {
            self.reload().await?;
        }
        let (Some(pair), Some(mark)) = (self.pair(key_id), hexadecimal::decode(mark)) else {
            return Ok(false);
        };
        Ok(hmac::verify(&pair.marking, bytes, &mark).is_ok())
    }
}

/// A key is sealed for its number and time: as another one it does not open.
fn place(key_number: &str, created_at: Moment) -> String {
    format!("platform/audit_logs/signing_key/{key_number}/{created_at}")
}

fn no_key(key_id: &str) -> Error {
    Error::internal(format!("the audit log has no signing key {key_id}"))
}
