//! XChaCha20-Poly1305: a nonce of 24 bytes, then the text and its tag. Nonces of 24 random bytes do not
//! meet however much is sealed under one key.
//!
//! It is ChaCha20-Poly1305 under a key that HChaCha20 makes of the key and the first 16 bytes of the
//! nonce. `ring` has the former, and takes a fifth of the time of `chacha20poly1305`, which has both:
//! 0.4 µs instead of 2.1 for 250 bytes. Every answer that is kept is sealed.

use chacha20::cipher::consts::U10;
use chacha20::hchacha;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroizing;

use super::secret::Secret;

/// The length of a nonce.
const NONCE_BYTES: usize = 24;

/// A key of 32 bytes.
pub(super) type Key = Secret<[u8; 32]>;
/// Random bytes, for one thing that is sealed.
pub(super) type LongNonce = [u8; NONCE_BYTES];

/// Seals, behind what is there already. What it is bound to is not in the bytes. None only for
/// something too long to seal.
pub(super) fn seal(
    key: &Key,
    nonce: &LongNonce,
    bound: &[u8],
    plain: &[u8],
    mut sealed: Vec<u8>,
) -> Option<Vec<u8>> {
    let (cipher, inner) = within(key, nonce)?;
    sealed.reserve_exact(NONCE_BYTES + plain.len() + CHACHA20_POLY1305.tag_len());
    sealed.extend_from_slice(nonce);
    let start = sealed.len();
    sealed.extend_from_slice(plain);
    let tag = cipher.seal_in_place_separate_tag(inner, Aad::from(bound), &mut sealed[start..]);
    sealed.extend_from_slice(tag.ok()?.as_ref());
    Some(sealed)
}

/// Opens what was sealed under this key and bound to this.
pub(super) fn open(key: &Key, bound: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_first_chunk()?;
    let (cipher, inner) = within(key, nonce)?;
    let mut text = text.to_vec();
    let length = cipher.open_in_place(inner, Aad::from(bound), &mut text).ok()?.len();
    text.truncate(length);
    Some(text)
}

/// The cipher within, and its nonce.
fn within(key: &Key, nonce: &LongNonce) -> Option<(LessSafeKey, Nonce)> {
    let (of_key, rest) = nonce.split_first_chunk::<16>()?;
    let inner_key = hchacha::<U10>(key.reveal().into(), of_key.into());
    let inner_key = Zeroizing::new(<[u8; 32]>::from(inner_key));
    let mut inner = [0; ring::aead::NONCE_LEN];
    inner[4..].copy_from_slice(rest);
    let cipher = UnboundKey::new(&CHACHA20_POLY1305, &*inner_key).ok()?;
    Some((LessSafeKey::new(cipher), Nonce::assume_unique_for_key(inner)))
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
    use chacha20poly1305::{XChaCha20Poly1305, XNonce};

    use super::*;

    /// Another implementation makes the same bytes: of any length, and whatever they are.
    #[test]
    fn it_is_what_its_name_says() {
        for length in (0..300).chain([4096, 400_000]) {
            let plain: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
            let key: [u8; 32] = std::array::from_fn(|at| (at * 5) as u8);
            let nonce: LongNonce = std::array::from_fn(|at| (at + length) as u8);
            let payload = Payload { msg: &plain, aad: b"bound" };
            let other = XChaCha20Poly1305::new(&key.into());
            let text = other.encrypt(XNonce::from_slice(&nonce), payload).unwrap();
            let sealed = seal(&Key::new(key), &nonce, b"bound", &plain, b"before".to_vec());
            let sealed = sealed.unwrap();
            assert_eq!(sealed, [&b"before"[..], &nonce, &text].concat(), "{length} bytes");
            assert_eq!(open(&Key::new(key), b"bound", &sealed[6..]), Some(plain));
            assert_eq!(open(&Key::new(key), b"other", &sealed[6..]), None);
        }
    }
}
