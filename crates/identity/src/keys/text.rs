//! The text of a key: `plk_live_`, 43 letters and digits for 32 random bytes, and six for the CRC-32 of
//! everything before. A key that was mistyped or cut off is known without asking anybody.

use secrets::Secret;
use sha2::{Digest as _, Sha256};

use super::key::Environment;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of 32 bytes: 62^43 is just above 2^256.
const SECRET_DIGITS: usize = 43;
/// Digits of a CRC-32: 62^6 is above 2^32.
const CHECKSUM_DIGITS: usize = 6;
/// Characters of the secret that are kept to recognise the key by; 39 remain.
const SHOWN_DIGITS: usize = 4;

/// Whether a text is a key as far as can be told without looking it up. For scanners, too.
pub fn is_well_formed(text: &str) -> bool {
    read(text).is_some()
}

/// The environment of a key, if it is well formed.
pub(super) fn read(text: &str) -> Option<Environment> {
    let environment =
        Environment::ALL.into_iter().find(|known| text.starts_with(known.prefix()))?;
    let digits = &text[environment.prefix().len()..];
    let is_digits = digits.len() == SECRET_DIGITS + CHECKSUM_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_digits {
        return None;
    }
    let (body, checksum) = text.split_at(text.len() - CHECKSUM_DIGITS);
    (checksum_of(body) == checksum).then_some(environment)
}

/// The key of 32 random bytes.
pub(super) fn make(environment: Environment, bytes: &Secret<[u8; 32]>) -> Secret {
    let mut text = format!("{}{}", environment.prefix(), base62(bytes.reveal(), SECRET_DIGITS));
    let checksum = checksum_of(&text);
    text.push_str(&checksum);
    Secret::new(text)
}

/// What is stored of a key.
pub(super) fn hash(text: &str) -> String {
    values::hexadecimal::encode(&Sha256::digest(text))
}

/// What may be shown of a key.
pub(super) fn shown(text: &str) -> String {
    let environment = Environment::ALL.into_iter().find(|known| text.starts_with(known.prefix()));
    let length = environment.map_or(0, |known| known.prefix().len() + SHOWN_DIGITS);
    text.get(..length).unwrap_or_default().to_owned()
}

fn checksum_of(text: &str) -> String {
    base62(&crc32fast::hash(text.as_bytes()).to_be_bytes(), CHECKSUM_DIGITS)
}

/// A number, most significant byte first, in so many digits.
fn base62(bytes: &[u8], width: usize) -> String {
    let mut number = bytes.to_vec();
    let mut digits = vec![b'0'; width];
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0_u32;
        for byte in &mut number {
            let value = remainder << 8 | u32::from(*byte);
            *byte = (value / 62) as u8;
            remainder = value % 62;
        }
        *digit = DIGITS[remainder as usize];
    }
    digits.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_one_width() {
        assert_eq!(base62(&[0], 3), "000");
        assert_eq!(base62(&[61], 3), "00z");
        assert_eq!(base62(&[1, 0], 3), "048");
        assert_eq!(base62(&[255; 4], 6), "4gfFC3");
        let all = base62(&[255; 32], SECRET_DIGITS);
        assert_ne!(all.as_bytes()[0], b'0', "every digit is needed");
    }

    #[test]
    fn a_key_has_one_form() {
        let key = make(Environment::Live, &Secret::new([7; 32]));
        let text = key.reveal();
        assert_eq!(text.len(), 9 + 43 + 6);
        assert_eq!(read(text), Some(Environment::Live));
        assert_eq!(read(&text.replace("live", "test")), None, "the prefix is in the checksum");
        assert_eq!(shown(text).len(), 13);
        for text in ["", "plk_live_", "plk_live_é", &text[..57], &format!("{text}0")] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
