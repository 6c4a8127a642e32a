//! The bytes of something sealed, and how they are bound to their place.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format, 1 |
//! | 16 | the account key's identifier |
//! | 4 | its version, most significant byte first |
//! | rest | the nonce, the text and its tag (`cipher.rs`) |
//!
//! Not in the bytes but authenticated with them: the header, the account and the place.

use super::cipher::{self, Key, LongNonce};

const FORMAT: u8 = 1;
const KEY_ID_BYTES: usize = 16;
const HEADER_BYTES: usize = 1 + KEY_ID_BYTES + 4;

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
    nonce: &LongNonce,
    place: [&str; 2],
    plain: &[u8],
) -> Option<Vec<u8>> {
    let header = header.bytes();
    cipher::seal(key, nonce, &bound(&header, place), plain, header)
}

/// Opens what was sealed under this key for this place.
pub(super) fn open(key: &Key, place: [&str; 2], sealed: &[u8]) -> Option<Vec<u8>> {
    let (header, rest) = sealed.split_at_checked(HEADER_BYTES)?;
    cipher::open(key, &bound(header, place), rest)
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
        let sealed = seal(&key, HEADER, &[2; 24], ["account", "place"], b"secret").unwrap();
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
