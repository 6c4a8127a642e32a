//! Identifiers that say what they name and sort by when they were made: `evt_01JC…`, a ULID after a
//! prefix; and the other things that rest on chance.

use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use store::Randomness;

use crate::error::Error;
use crate::moment::Moment;

/// Crockford's alphabet, in which ULIDs are written.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The most that the 80 bits of chance hold.
const CHANCE_MAX: u128 = (1 << 80) - 1;

/// A maker of identifiers and secrets. Cloning is cheap.
#[derive(Clone)]
pub struct Ids {
    randomness: Arc<dyn Randomness>,
    /// Moment and chance of the last ULID.
    last: Arc<Mutex<(u64, u128)>>,
}

impl Ids {
    /// Identifiers from this chance.
    pub fn new(randomness: Arc<dyn Randomness>) -> Ids {
        Ids { randomness, last: Arc::default() }
    }

    /// Unpredictable bytes.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        if self.randomness.fill(&mut bytes) {
            return Ok(bytes);
        }
        Err(Error::unavailable("the system has no randomness"))
    }

    /// A new ULID of this moment, 26 characters long. Those of one moment sort as they were made, so
    /// that what happened first in a millisecond is first in every history.
    pub fn ulid(&self, now: Moment) -> Result<String, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let chance = if last.0 == now.millis() && last.1 < CHANCE_MAX {
            last.1 + 1
        } else {
            let chance: [u8; 10] = self.bytes()?;
            chance.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte))
        };
        *last = (now.millis(), chance);
        drop(last);
        let bits = u128::from(now.millis()) << 80 | chance;
        let mut digits = [0; 26];
        for (place, digit) in digits.iter_mut().rev().enumerate() {
            *digit = ALPHABET[(bits >> (5 * place) & 31) as usize];
        }
        Ok(str::from_utf8(&digits).unwrap_or_default().to_owned())
    }

    /// A new identifier with a prefix, as `evt_01JC…`.
    pub fn prefixed(&self, prefix: &str, now: Moment) -> Result<String, Error> {
        Ok([prefix, "_", &self.ulid(now)?].concat())
    }

    /// A new random UUID, as the tables of document 001 want them.
    pub fn uuid(&self) -> Result<String, Error> {
        let bits = u128::from_be_bytes(self.bytes()?);
        Ok(uuid(bits, 4))
    }
}

/// A UUID of this version with these bits, as the tables have it.
pub fn uuid(bits: u128, version: u8) -> String {
    let bits = bits & !(0xf << 76) | u128::from(version & 0xf) << 76;
    let bits = bits & !(0x3 << 62) | 2 << 62;
    let text = format!("{bits:032x}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// The UUID that stands for a text: always the same one, and nobody finds another text for it.
/// Version 8: a UUID whose bits mean what its maker says.
pub fn hashed_uuid(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    uuid(digest.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte)), 8)
}

/// Whether a text is a UUID, as the tables have it: in lower case.
pub fn is_uuid(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use store::SystemRandomness;

    use super::*;

    #[test]
    fn ids_of_one_moment_sort_as_they_were_made() {
        let ids = Ids::new(Arc::new(SystemRandomness));
        let now = Moment::from_millis(1_000);
        let made: Vec<String> = (0..100).map(|_| ids.clone().ulid(now).unwrap()).collect();
        assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
    }

    #[test]
    fn later_ids_sort_later() {
        let ids = Ids::new(Arc::new(SystemRandomness));
        let early = ids.prefixed("evt", Moment::from_millis(1_000)).unwrap();
        let late = ids.prefixed("evt", Moment::from_millis(1_001)).unwrap();
        assert!(early < late, "{early} {late}");
        assert_eq!(early.len(), "evt_".len() + 26);
    }

    #[test]
    fn a_uuid_says_that_it_is_random() {
        let uuid = Ids::new(Arc::new(SystemRandomness)).uuid().unwrap();
        let bytes = uuid.as_bytes();
        assert_eq!((uuid.len(), bytes[14]), (36, b'4'));
        assert!(b"89ab".contains(&bytes[19]), "{uuid}");
    }
}
