//! Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 (`v1`) and ed25519 (`v1a`) over
//! `id.timestamp.body`. docs/webhooks.md has vectors to check other implementations with.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::error::Error;
use kernel::ids::Ids;
use ring::hmac;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use zeroize::Zeroizing;

const HMAC_PREFIX: &str = "whsec_";
const SIGNING_PREFIX: &str = "whsk_";
const PUBLIC_PREFIX: &str = "whpk_";
/// Bytes of an HMAC secret, fewest and most.
const HMAC_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// Bytes of an HMAC secret that is made here.
const HMAC_BYTES_MADE: usize = 32;
const SEED_BYTES: usize = 32;

/// How events are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// HMAC-SHA256, `v1`: both sides have the secret.
    Hmac,
    /// ed25519, `v1a`: only Plinth has the secret, anybody may have the public key.
    Ed25519,
}

impl SecretKind {
    /// Its name in the table and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            SecretKind::Hmac => "hmac",
            SecretKind::Ed25519 => "ed25519",
        }
    }
}

/// A signing secret. It cannot be printed by accident: [`Secret::reveal`] is the only way.
#[derive(Clone)]
pub struct Secret {
    kind: SecretKind,
    bytes: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A new one.
    pub fn make(kind: SecretKind, ids: &Ids) -> Result<Secret, Error> {
        let bytes: [u8; HMAC_BYTES_MADE] = ids.bytes()?;
        Ok(Secret { kind, bytes: Zeroizing::new(bytes.to_vec()) })
    }

    /// A secret from its text: `whsec_` and 24 to 64 bytes, or `whsk_` and a key pair or seed, in
    /// base64.
    pub fn parse(text: &str) -> Option<Secret> {
        let (kind, encoded) = match text.strip_prefix(HMAC_PREFIX) {
            Some(encoded) => (SecretKind::Hmac, encoded),
            None => (SecretKind::Ed25519, text.strip_prefix(SIGNING_PREFIX)?),
        };
        let mut bytes = Zeroizing::new(STANDARD.decode(encoded).ok()?);
        if kind == SecretKind::Hmac {
            return HMAC_BYTES.contains(&bytes.len()).then_some(Secret { kind, bytes });
        }
        let public = (bytes.len() == 2 * SEED_BYTES).then(|| bytes[SEED_BYTES..].to_vec());
        if public.is_none() && bytes.len() != SEED_BYTES {
            return None;
        }
        bytes.truncate(SEED_BYTES);
        let pair = Ed25519KeyPair::from_seed_unchecked(&bytes).ok()?;
        let fits = public.is_none_or(|public| public == pair.public_key().as_ref());
        fits.then_some(Secret { kind, bytes })
    }

    /// Its kind.
    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    /// Its text, for the one who may know it.
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(match (self.kind, self.pair()) {
            (SecretKind::Ed25519, Some(pair)) => {
                let mut both = Zeroizing::new(self.bytes.to_vec());
                both.extend_from_slice(pair.public_key().as_ref());
                format!("{SIGNING_PREFIX}{}", STANDARD.encode(&*both))
            }
            _ => format!("{HMAC_PREFIX}{}", STANDARD.encode(&*self.bytes)),
        })
    }

    fn pair(&self) -> Option<Ed25519KeyPair> {
        (self.kind == SecretKind::Ed25519)
            .then(|| Ed25519KeyPair::from_seed_unchecked(&self.bytes).ok())
            .flatten()
    }

    fn signature(&self, signed: &[u8]) -> String {
        match self.pair() {
            Some(pair) => format!("v1a,{}", STANDARD.encode(pair.sign(signed).as_ref())),
            None => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, &self.bytes);
                format!("v1,{}", STANDARD.encode(hmac::sign(&key, signed).as_ref()))
            }
        }
    }
}

/// The public key of an ed25519 secret, `whpk_` and base64; an HMAC secret has none.
pub fn public_key(secret: &Secret) -> Option<String> {
    let pair = secret.pair()?;
    Some(format!("{PUBLIC_PREFIX}{}", STANDARD.encode(pair.public_key().as_ref())))
}

/// The header `webhook-signature`: one signature for each secret that is valid now.
pub fn sign(secrets: &[Secret], id: &str, timestamp: u64, body: &[u8]) -> String {
    let mut signed = format!("{id}.{timestamp}.").into_bytes();
    signed.extend_from_slice(body);
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.signature(&signed)).collect();
    signatures.join(" ")
}
