//! Who may talk to the database? Access keys, as AWS has them: an id that is public and a secret that
//! signs requests.
//!
//! They are kept in the data folder beside the database, in a file that a running server reads again
//! when it changes, so that `plinth access-keys` works while the server runs and a disabled key
//! stops working at once. Verifying a signature needs the secret itself, so it cannot be hashed: it
//! is sealed with a key of its own ([`SealingKey`]), and shown once, when it is made.

mod file;
mod sealing;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use database::clock::Clock;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::sigv4::{Credentials, Keys};
use file::{KeyFile, Version};
pub use sealing::SealingKey;

/// How long a change of the file may go unnoticed.
const NOTICED_WITHIN: Duration = Duration::from_millis(100);

/// What may go wrong with access keys, in words for the person who manages them.
#[derive(Debug)]
pub struct AccessKeyError(String);

impl AccessKeyError {
    fn new(text: impl Into<String>) -> Self {
        AccessKeyError(text.into())
    }
}

impl std::fmt::Display for AccessKeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AccessKeyError {}

/// An access key as it is listed: everything but its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccessKey {
    /// The public id: `AKIA…`, or `ASIA…` if it expires.
    pub id: String,
    /// What it is for, in the words of whoever made it.
    pub note: String,
    /// Whether requests signed with it are taken.
    pub enabled: bool,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it stops working, in milliseconds since 1970.
    pub expires: Option<u64>,
    /// The secret and the session token under the sealing key.
    sealed: String,
}

/// A key that was just made. This is the only time its secret is seen.
pub struct NewAccessKey {
    /// The public id.
    pub id: String,
    /// The secret, for the person who asked for the key.
    pub secret: Zeroizing<String>,
    /// The token that goes with the secret of a key that expires.
    pub session_token: Option<Zeroizing<String>>,
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Secrets {
    secret: String,
    session_token: Option<String>,
}

/// The access keys of a data folder.
pub struct AccessKeys {
    file: KeyFile,
    sealing_key: SealingKey,
    clock: Arc<dyn Clock>,
    known: ArcSwap<HashMap<String, Known>>,
    /// When this began, and how long after that the file is looked at next: most requests learn from
    /// these that it need not be.
    began: Instant,
    next_look_millis: AtomicU64,
    /// What the file looked like; held while somebody looks.
    looked: Mutex<Option<Version>>,
}

struct Known {
    credentials: Arc<Credentials>,
    enabled: bool,
    expires: Option<u64>,
}

impl AccessKeys {
    /// The access keys in this file, which need not exist yet.
    pub fn open(
        path: PathBuf,
        sealing_key: SealingKey,
        clock: Arc<dyn Clock>,
    ) -> Result<AccessKeys, AccessKeyError> {
        let keys = AccessKeys {
            file: KeyFile::new(path),
            sealing_key,
            clock,
            known: ArcSwap::default(),
            began: Instant::now(),
            next_look_millis: AtomicU64::new(0),
            looked: Mutex::default(),
        };
        keys.read_again()?;
        Ok(keys)
    }

    /// Makes a key; one with a time to live needs its session token in every request.
    pub fn create(
        &self,
        note: &str,
        time_to_live: Option<Duration>,
    ) -> Result<NewAccessKey, AccessKeyError> {
        let now = self.clock.now_millis();
        let life = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let expires = time_to_live.map(|time| now.saturating_add(life(time)));
        let id = new_id(if expires.is_some() { "ASIA" } else { "AKIA" })?;
        let secret = random_text::<30>()?;
        let session_token = expires.is_some().then(random_text::<48>).transpose()?;
        let secrets = Secrets { secret: secret.clone(), session_token: session_token.clone() };
        let plain = Zeroizing::new(serde_json::to_vec(&secrets).map_err(unreadable)?);
        let sealed = self.sealing_key.seal(&plain, &context(&id, expires))?;
        let key = AccessKey {
            id: id.clone(),
            note: note.to_owned(),
            enabled: true,
            created: now,
            expires,
            sealed: STANDARD.encode(sealed),
        };
        self.file.change(|keys| {
            keys.push(key);
            Ok(())
        })?;
        self.read_again()?;
        let session_token = session_token.map(Zeroizing::new);
        Ok(NewAccessKey { id, secret: Zeroizing::new(secret), session_token })
    }

    /// All keys, in the order in which they were made.
    pub fn list(&self) -> Result<Vec<AccessKey>, AccessKeyError> {
        self.file.read()
    }

    /// Lets a key work, or stops it working until it is enabled again.
    pub fn set_enabled(&self, id: &str, enabled: bool) -> Result<(), AccessKeyError> {
        self.file.change(|keys| {
            let key = keys.iter_mut().find(|key| key.id == id).ok_or_else(|| no_such(id))?;
            key.enabled = enabled;
            Ok(())
        })?;
        self.read_again()
    }

    /// Forgets a key.
    pub fn delete(&self, id: &str) -> Result<(), AccessKeyError> {
        self.file.change(|keys| {
            let count = keys.len();
            keys.retain(|key| key.id != id);
            if keys.len() == count { Err(no_such(id)) } else { Ok(()) }
        })?;
        self.read_again()
    }

    fn read_again(&self) -> Result<(), AccessKeyError> {
        // The version first: a change in between is then seen the next time.
        let version = self.file.version();
        let mut known = HashMap::new();
        for key in self.file.read()? {
            let credentials = Arc::new(self.unseal(&key)?);
            known.insert(key.id, Known { credentials, enabled: key.enabled, expires: key.expires });
        }
        self.known.store(Arc::new(known));
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = version;
        Ok(())
    }

    fn unseal(&self, key: &AccessKey) -> Result<Credentials, AccessKeyError> {
        let damaged = || {
            AccessKeyError::new(format!(
                "The secret of access key {} cannot be unsealed: {1} was changed, or the sealing key \
                 is another one. Bring back the sealing key; or move {1} away and make new keys with \
                 `plinth access-keys create`.",
                key.id,
                self.file.path().display()
            ))
        };
        let sealed = STANDARD.decode(&key.sealed).map_err(|_| damaged())?;
        let context = context(&key.id, key.expires);
        let plain = self.sealing_key.unseal(&sealed, &context).ok_or_else(damaged)?;
        let secrets: Secrets = serde_json::from_slice(&plain).map_err(|_| damaged())?;
        Ok(Credentials {
            secret: Zeroizing::new(secrets.secret),
            session_token: secrets.session_token.map(Zeroizing::new),
        })
    }

    /// Looks at the file now and then, and reads it if it has changed.
    fn refresh(&self) {
        let now = self.began.elapsed();
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        if millis(now) < self.next_look_millis.load(Ordering::Relaxed) {
            return;
        }
        // Someone else is looking: what is known is at most a moment old.
        let Ok(looked) = self.looked.try_lock() else { return };
        self.next_look_millis.store(millis(now + NOTICED_WITHIN), Ordering::Relaxed);
        let is_changed = *looked != self.file.version();
        drop(looked);
        if is_changed && let Err(error) = self.read_again() {
            // A key that cannot be read must not go on working because of it.
            self.known.store(Arc::default());
            tracing::error!(%error, "the access keys cannot be read: every request is refused");
        }
    }
}

impl Keys for AccessKeys {
    fn credentials(&self, access_key_id: &str) -> Option<Arc<Credentials>> {
        self.refresh();
        let known = self.known.load();
        let key = known.get(access_key_id)?;
        let is_over = key.expires.is_some_and(|expires| expires <= self.clock.now_millis());
        (key.enabled && !is_over).then(|| Arc::clone(&key.credentials))
    }
}

/// What a sealed secret belongs to: it cannot be moved to another key, nor its life be prolonged.
fn context(id: &str, expires: Option<u64>) -> Vec<u8> {
    format!("plinth access key 1\n{id}\n{}", expires.unwrap_or(u64::MAX)).into_bytes()
}

fn random<const N: usize>() -> Result<[u8; N], AccessKeyError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| AccessKeyError::new(format!("No randomness from the system: {error}")))?;
    Ok(bytes)
}

fn random_text<const N: usize>() -> Result<String, AccessKeyError> {
    Ok(STANDARD.encode(random::<N>()?))
}

/// Four letters and sixteen more, as AWS has them.
fn new_id(prefix: &str) -> Result<String, AccessKeyError> {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let letters = random::<16>()?.map(|byte| char::from(LETTERS[usize::from(byte & 31)]));
    Ok(prefix.chars().chain(letters).collect())
}

fn no_such(id: &str) -> AccessKeyError {
    AccessKeyError::new(format!(
        "There is no access key {id}. `plinth access-keys list` shows all."
    ))
}

fn unreadable(error: impl std::fmt::Display) -> AccessKeyError {
    AccessKeyError::new(format!("The access keys cannot be written as JSON: {error}"))
}

#[cfg(test)]
mod tests;
