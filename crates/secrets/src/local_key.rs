//! A master key of 32 bytes in this process.

use std::future::ready;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::error::Error;
use kernel::ids::Ids;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::cipher::{self, Key, LongNonce};
use super::key_service::{Context, KeyService};
use super::seal::Sealing;

/// A master key in this process.
pub struct LocalKey {
    id: String,
    key: Key,
    ids: Ids,
}

impl LocalKey {
    /// The key of these bytes.
    pub fn new(key: Key, ids: Ids) -> LocalKey {
        // A name that every instance gives it alike. Of 32 random bytes a hash says nothing.
        let digest = Sha256::new().chain_update(b"plinth master key").chain_update(key.reveal());
        let name = values::hexadecimal::encode(&digest.finalize()[..8]);
        LocalKey { id: format!("local-{name}"), key, ids }
    }

    /// The key in a text: 32 bytes in base64. None if it is anything else.
    pub fn from_text(text: &str, ids: Ids) -> Option<LocalKey> {
        let bytes = Zeroizing::new(STANDARD.decode(text.trim()).ok()?);
        let key: [u8; 32] = bytes.as_slice().try_into().ok()?;
        Some(LocalKey::new(Key::new(key), ids))
    }

    fn seal(&self, context: &Context, key: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce: LongNonce = self.ids.bytes()?;
        let sealed = cipher::seal(&self.key, &nonce, &bound(context), key, Vec::new());
        sealed.ok_or_else(|| Error::internal("a key is too long to wrap"))
    }

    fn open(&self, context: &Context, wrapped: &[u8]) -> Result<Vec<u8>, Error> {
        let account = &context.account;
        let why = || format!("the key of the account {account} was changed, or is another's");
        let opened = cipher::open(&self.key, &bound(context), wrapped);
        opened.ok_or_else(|| Error::internal(why()))
    }
}

impl KeyService for LocalKey {
    fn id(&self) -> &str {
        &self.id
    }

    fn wrap<'a>(&'a self, context: &'a Context, key: &'a [u8]) -> Sealing<'a> {
        Box::pin(ready(self.seal(context, key)))
    }

    fn unwrap<'a>(&'a self, context: &'a Context, wrapped: &'a [u8]) -> Sealing<'a> {
        Box::pin(ready(self.open(context, wrapped)))
    }
}

impl std::fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LocalKey({})", self.id)
    }
}

fn bound(context: &Context) -> Vec<u8> {
    let mut bytes = b"plinth account key".to_vec();
    for part in [&context.account, &context.key_id] {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    bytes
}
