//! Page tokens: where a list goes on, sealed so that nobody can read or change it.
//!
//! The plaintext is a format byte, the time in milliseconds and the last key; the cipher is
//! XChaCha20-Poly1305 with a random nonce in front. What the token is bound to is not in it but
//! authenticated with it: caller, table, pattern, key values, filters. A token that is
//! opened for anything else is as bad as a forged one.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use values::{Item, codec};

use crate::error::Error;
use crate::settings::Settings;

const FORMAT: u8 = 1;
const NONCE_BYTES: usize = 24;
/// Longer than any token: keys are 3 KB at most, table and index together.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// The keys of page tokens: the first one seals, all of them open, so that a key can be replaced
/// while tokens of the old one are still about.
#[derive(Clone)]
pub struct TokenKeys(Vec<[u8; 32]>);

impl TokenKeys {
    /// One key.
    pub fn new(key: [u8; 32]) -> TokenKeys {
        TokenKeys(vec![key])
    }

    /// Seals with a new key from now on; what the old ones sealed can still be opened.
    pub fn replaced_by(mut self, key: [u8; 32]) -> TokenKeys {
        self.0.insert(0, key);
        self
    }
}

impl fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKeys")
    }
}

/// What a token is good for: a hash over parts, each with its length, so that no two lists of parts
/// are alike.
#[derive(Clone, Default)]
pub(crate) struct Binding(Sha256);

impl Binding {
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn digest(&self) -> Vec<u8> {
        self.0.clone().finalize().to_vec()
    }
}

/// Seals the last key of a page.
pub(crate) fn seal(settings: &Settings, binding: &Binding, last: &Item) -> Result<String, Error> {
    let mut nonce = [0; NONCE_BYTES];
    let no_chance = || Error::Unavailable("the system has no randomness for a token".to_owned());
    if !settings.randomness.fill(&mut nonce) {
        return Err(no_chance());
    }
    let mut plaintext = vec![FORMAT];
    plaintext.extend(settings.clock.now_millis().to_le_bytes());
    codec::encode_item(last, &mut plaintext);
    let key = settings.token_keys.0.first().ok_or_else(no_chance)?;
    let payload = Payload { msg: &plaintext, aad: &binding.digest() };
    let sealed = XChaCha20Poly1305::new(key.into()).encrypt(XNonce::from_slice(&nonce), payload);
    let mut bytes = nonce.to_vec();
    bytes.extend(sealed.map_err(|_| no_chance())?);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The last key of the page before, or [`Error::PageToken`] whatever is wrong.
pub(crate) fn open(settings: &Settings, binding: &Binding, token: &str) -> Result<Item, Error> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Error::PageToken);
    }
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| Error::PageToken)?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES).ok_or(Error::PageToken)?;
    let digest = binding.digest();
    let with = |key: &[u8; 32]| {
        let payload = Payload { msg: sealed, aad: &digest };
        XChaCha20Poly1305::new(key.into()).decrypt(XNonce::from_slice(nonce), payload).ok()
    };
    let plaintext = settings.token_keys.0.iter().find_map(with).ok_or(Error::PageToken)?;
    let (head, key) = plaintext.split_at_checked(9).ok_or(Error::PageToken)?;
    let made = head[1..].try_into().map(u64::from_le_bytes).map_err(|_| Error::PageToken)?;
    let age = settings.clock.now_millis().saturating_sub(made);
    if head[0] != FORMAT || u128::from(age) > settings.token_age_max.as_millis() {
        return Err(Error::PageToken);
    }
    codec::decode_item(key).map_err(|_| Error::PageToken)
}
