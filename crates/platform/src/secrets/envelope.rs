//! The bytes of something sealed, and how they are bound to their place.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format, 1 |
//! | 16 | the account key's identifier |
//! | 4 | its version, most significant byte first |
//! | 24 | nonce |
//! | rest | XChaCha20-Poly1305 with its tag |
//!
//! Not in the bytes but authenticated with them: the header, the account and the place. Nonces of 24
//! random bytes do not meet however much is sealed under one key.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::secret::Secret;

const FORMAT: u8 = 1;
const KEY_ID_BYTES: usize = 16;
const HEADER_BYTES: usize = 1 + KEY_ID_BYTES + 4;
/// The length of a nonce.
pub(super) const NONCE_BYTES: usize = 24;

/// A key of 32 bytes.
pub(super) type Key = Secret<[u8; 32]>;
/// Tells one account key from every other.
pub(super) type KeyId = [u8; KEY_ID_BYTES];

/// Which key something is sealed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub key_id: KeyId,
    pub version: u32,
}

impl Header {
    /// The header of something sealed, if it is that.
    pub fn read(sealed: &[u8]) -> Option<Header> {
        let (format, rest) = sealed.split_first()?;
        let (key_id, rest) = rest.split_first_chunk()?;
        let (version, _) = rest.split_first_chunk()?;
        let header = Header { key_id: *key_id, version: u32::from_be_bytes(*version) };
        (*format == FORMAT).then_some(header)
    }

    fn bytes(self) -> Vec<u8> {
        [&[FORMAT], self.key_id.as_slice(), &self.version.to_be_bytes()].concat()
    }
}

/// Seals for a place. None only for something too long to seal.
pub(super) fn seal(
    key: &Key,
    header: Header,
    nonce: [u8; NONCE_BYTES],
    place: [&str; 2],
    plain: &[u8],
) -> Option<Vec<u8>> {
    let header = header.bytes();
    let bound = bound(&header, place);
    let payload = Payload { msg: plain, aad: &bound };
    let cipher = XChaCha20Poly1305::new(key.reveal().into());
    let text = cipher.encrypt(XNonce::from_slice(&nonce), payload).ok()?;
    Some([&*header, &nonce, &text].concat())
}

/// Opens what was sealed under this key for this place.
pub(super) fn open(key: &Key, place: [&str; 2], sealed: &[u8]) -> Option<Vec<u8>> {
    let (header, rest) = sealed.split_at_checked(HEADER_BYTES)?;
    let (nonce, text) = rest.split_at_checked(NONCE_BYTES)?;
    let bound = bound(header, place);
    let payload = Payload { msg: text, aad: &bound };
    let cipher = XChaCha20Poly1305::new(key.reveal().into());
    cipher.decrypt(XNonce::from_slice(nonce), payload).ok()
}

/// Parts with their lengths, so that no two lists of parts are alike.
fn bound(header: &[u8], [account, place]: [&str; 2]) -> Vec<u8> {
    let length = |part: &str| (part.len() as u64).to_be_bytes();
    let (account_length, place_length) = (length(account), length(place));
    [header, &account_length, account.as_bytes(), &place_length, place.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header { key_id: [7; 16], version: 3 };

    #[test]
    fn every_changed_byte_is_noticed() {
        let key = Key::new([1; 32]);
        let sealed = seal(&key, HEADER, [2; 24], ["account", "place"], b"secret").unwrap();
        assert_eq!(Header::read(&sealed), Some(HEADER));
        assert_eq!(open(&key, ["account", "place"], &sealed).unwrap(), b"secret");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(open(&key, ["account", "place"], &changed), None, "byte {at}");
            assert_eq!(open(&key, ["account", "place"], &sealed[..at]), None, "cut at {at}");
        }
        assert_eq!(open(&key, ["accountp", "lace"], &sealed), None);
        assert_eq!(open(&Key::new([2; 32]), ["account", "place"], &sealed), None);
    }
}
