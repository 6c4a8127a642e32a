//! The keys that sign access tokens, kept sealed in the store, and how one follows another.
//!
//! A new key is published before it signs, so that whoever caches the key set knows it in time. The
//! key before it verifies until the last of its tokens has expired, so that nobody is logged out; then
//! it is dropped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::clock::Clock;
use kernel::error::{CONFLICT, Error, NOT_FOUND};
use kernel::ids::Ids;
use kernel::moment::Moment;
use secrets::Seal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use zeroize::Zeroizing;

use super::jws::{Algorithm, PublicKey, SigningKey};
use super::records::USERS;
use super::settings::Settings;
use super::tables::Tables;

const RING: &str = "access-tokens";
/// Whose key seals the signing keys: no account's.
const SEALED_FOR: &str = "platform";
/// An unknown key id makes the ring be read again, but not more often than this.
const RELOAD_MILLIS_MIN: u64 = 1_000;
/// How often a change is tried again when somebody else changed the ring.
const TRIES_MAX: usize = 5;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ring {
    ring: String,
    signing_keys: Vec<KeyRecord>,
    version: i64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyRecord {
    kid: String,
    alg: String,
    sealed: String,
    public_key: BTreeMap<String, String>,
    created_at: Moment,
    signs_from: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    verifies_until: Option<Moment>,
}

impl KeyRecord {
    fn verifies(&self, now: Moment) -> bool {
        self.verifies_until.is_none_or(|until| now < until)
    }
}

struct Live {
    record: KeyRecord,
    public: PublicKey,
    private: SigningKey,
}

struct Loaded {
    keys: Vec<Live>,
    read_at: Moment,
}

/// The signing keys. Cloning is cheap; clones share what was read.
#[derive(Clone)]
pub struct SigningKeys {
    tables: Arc<Tables>,
    seal: Arc<dyn Seal>,
    ids: Ids,
    clock: Arc<dyn Clock>,
    settings: Settings,
    loaded: Arc<Mutex<Option<Arc<Loaded>>>>,
}

impl SigningKeys {
    /// The keys in this store.
    pub(super) fn new(
        tables: Arc<Tables>,
        seal: Arc<dyn Seal>,
        ids: Ids,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> SigningKeys {
        SigningKeys { tables, seal, ids, clock, settings, loaded: Arc::default() }
    }

    /// Signs claims with the key whose turn it is. Makes the first key if there is none. If the clock
    /// was set back, and it is nobody's turn yet, the oldest signs.
    pub(super) async fn sign(&self, typ: &str, claims: &Value) -> Result<String, Error> {
        let (loaded, now) = (self.loaded().await?, self.now());
        let due = |live: &&Live| live.record.signs_from <= now;
        let newest = loaded.keys.iter().filter(due).max_by_key(|live| live.record.signs_from);
        let oldest = || loaded.keys.iter().min_by_key(|live| live.record.signs_from);
        let live = newest.or_else(oldest);
        let live = live.ok_or_else(|| Error::internal("no key signs tokens now"))?;
        live.private.sign(&live.record.kid, typ, claims)
    }

    /// The key of this id, if its tokens are accepted now.
    pub(super) async fn find(&self, kid: &str) -> Result<Option<PublicKey>, Error> {
        let now = self.now();
        let known = |loaded: &Loaded| {
            let mut keys = loaded.keys.iter();
            keys.find(|live| live.record.kid == kid)
                .map(|live| live.record.verifies(now).then(|| live.public.clone()))
        };
        let loaded = self.loaded().await?;
        if let Some(found) = known(&loaded) {
            return Ok(found);
        }
        // Another instance may have made it since.
        if now.millis().saturating_sub(loaded.read_at.millis()) < RELOAD_MILLIS_MIN {
            return Ok(None);
        }
        Ok(known(&*Box::pin(self.reload()).await?).flatten())
    }

    /// The key set that others verify our tokens with.
    pub async fn jwks(&self) -> Result<Value, Error> {
        let (loaded, now) = (self.loaded().await?, self.now());
        let keys = loaded.keys.iter().filter(|live| live.record.verifies(now));
        let keys: Vec<Value> = keys
            .map(|live| {
                let mut jwk = live.public.to_jwk();
                jwk.insert("kid".to_owned(), live.record.kid.clone());
                json!(jwk)
            })
            .collect();
        Ok(json!({ "keys": keys }))
    }

    /// Makes a new key that signs when it has been published long enough. Gives its id.
    pub async fn rotate(&self) -> Result<String, Error> {
        let seed: Zeroizing<[u8; 32]> = Zeroizing::new(self.ids.bytes()?);
        self.follow(Algorithm::EdDsa, &*seed).await
    }

    /// The same if the newest key is older than this, and an EdDSA key: of several instances that ask at
    /// once, one makes it. A key that an operator imported is theirs to replace.
    pub async fn rotate_if_older(&self, age: Duration) -> Result<Option<String>, Error> {
        let ring = self.read().await?;
        let newest = ring.signing_keys.iter().max_by_key(|key| key.signs_from);
        let own = Algorithm::EdDsa.name();
        let is_due =
            newest.is_some_and(|key| key.alg == own && self.now().since(key.created_at) >= age);
        if !is_due {
            return Ok(None);
        }
        match self.rotate().await {
            Ok(kid) => Ok(Some(kid)),
            // Another instance was first.
            Err(error) if error.code() == CONFLICT => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lets an RSA key of 2048 bits or more (PKCS #8, DER) follow the one that signs now: RS256, for
    /// clients that know no EdDSA.
    pub async fn import_rsa(&self, pkcs8: &[u8]) -> Result<String, Error> {
        self.follow(Algorithm::Rs256, pkcs8).await
    }

    /// Drops a key at once, because somebody else may have it: its tokens are refused from now on.
    pub async fn revoke(&self, kid: &str) -> Result<(), Error> {
        for _ in 0..TRIES_MAX {
            let mut ring = self.read().await?;
            let before = ring.signing_keys.len();
            ring.signing_keys.retain(|key| key.kid != kid);
            if ring.signing_keys.len() == before {
                return Err(Error::new(NOT_FOUND, "There is no such key"));
            }
            let now = self.now();
            let signs = |key: &KeyRecord| key.signs_from <= now && key.verifies_until.is_none();
            if !ring.signing_keys.iter().any(signs) {
                let seed: Zeroizing<[u8; 32]> = Zeroizing::new(self.ids.bytes()?);
                ring.signing_keys.push(self.record(Algorithm::EdDsa, &*seed, now).await?);
            }
            if self.replace(&ring).await? {
                return Ok(());
            }
        }
        Err(Error::unavailable("the signing keys are being changed by others"))
    }

    async fn follow(&self, algorithm: Algorithm, private: &[u8]) -> Result<String, Error> {
        for _ in 0..TRIES_MAX {
            let mut ring = self.read().await?;
            let now = self.now();
            if ring.signing_keys.iter().any(|key| key.signs_from > now) {
                let message = "Another key is about to sign: wait until it does";
                return Err(Error::new(CONFLICT, message));
            }
            let key = self.record(algorithm, private, now.after(self.settings.key_publish_ahead));
            let key = key.await?;
            // Others may sign with the old key for as long as they keep the ring in memory.
            let last = key.signs_from.after(self.settings.key_cache);
            let until = last.after(self.settings.access_life + self.settings.clock_skew);
            ring.signing_keys.retain(|key| key.verifies(now));
            for old in &mut ring.signing_keys {
                old.verifies_until.get_or_insert(until);
            }
            let kid = key.kid.clone();
            ring.signing_keys.push(key);
            if self.replace(&ring).await? {
                return Ok(kid);
            }
        }
        Err(Error::unavailable("the signing keys are being changed by others"))
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    async fn record(
        &self,
        algorithm: Algorithm,
        private: &[u8],
        signs_from: Moment,
    ) -> Result<KeyRecord, Error> {
        let public = SigningKey::read(algorithm, private)?.public();
        let kid = self.ids.prefixed("key", self.now())?;
        let sealed = self.seal.seal(SEALED_FOR, &place(&kid), private).await?;
        Ok(KeyRecord {
            kid,
            alg: algorithm.name().to_owned(),
            sealed: STANDARD.encode(sealed),
            public_key: public.to_jwk(),
            created_at: self.now(),
            signs_from,
            verifies_until: None,
        })
    }

    async fn loaded(&self) -> Result<Arc<Loaded>, Error> {
        let fresh =
            |loaded: &Arc<Loaded>| self.now().since(loaded.read_at) < self.settings.key_cache;
        let known = self.loaded.lock().await.clone();
        match known.filter(fresh) {
            Some(loaded) => Ok(loaded),
            None => Box::pin(self.reload()).await,
        }
    }

    async fn reload(&self) -> Result<Arc<Loaded>, Error> {
        let mut held = self.loaded.lock().await;
        let read_at = self.now();
        let mut keys = Vec::new();
        for record in self.read().await?.signing_keys {
            keys.push(self.live(record).await?);
        }
        let loaded = Arc::new(Loaded { keys, read_at });
        *held = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    async fn live(&self, record: KeyRecord) -> Result<Live, Error> {
        let unreadable = || Error::internal(format!("the signing key {} is damaged", record.kid));
        let jwk = record.public_key.iter();
        let jwk = jwk.map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        let public = PublicKey::from_jwk(&jwk).ok_or_else(unreadable)?;
        let sealed = STANDARD.decode(&record.sealed).map_err(|_| unreadable())?;
        let bytes = self.seal.unseal(SEALED_FOR, &place(&record.kid), &sealed).await?;
        let private = SigningKey::read(public.algorithm(), &Zeroizing::new(bytes))?;
        Ok(Live { public, private, record })
    }

    async fn read(&self) -> Result<Ring, Error> {
        let users = &self.tables.users;
        for _ in 0..2 {
            if let Some(ring) = users.get_key_ring(RING).get::<Ring>().await? {
                return Ok(ring);
            }
            let seed: Zeroizing<[u8; 32]> = Zeroizing::new(self.ids.bytes()?);
            let first = self.record(Algorithm::EdDsa, &*seed, self.now()).await?;
            let ring = Ring { ring: RING.to_owned(), signing_keys: vec![first], version: 1 };
            match users.key_ring().create(&ring)?.run().await {
                Ok(_) => return Ok(ring),
                // Another instance was first: its ring is the ring.
                Err(store::Error::ConditionFailed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::internal("the ring of signing keys comes and goes"))
    }

    /// Stores a changed ring; false if somebody else changed it meanwhile.
    async fn replace(&self, ring: &Ring) -> Result<bool, Error> {
        let write = self.tables.users.key_ring().replace_version(ring)?;
        match write.run().await {
            Ok(_) => self.reload().await.map(|_| true),
            Err(store::Error::ConditionFailed { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn place(kid: &str) -> String {
    format!("{USERS}/KEYRING#{RING}/signingKeys/{kid}")
}
