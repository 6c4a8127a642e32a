//! Codes that change with time: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which is what
//! every authenticator app knows.
//!
//! Written here because the crates for it answer yes or no: which step matched must be known, so that
//! each code is accepted once.

use kernel::moment::Moment;
use ring::hmac;

use super::records::same;

const STEP_SECONDS: u64 = 30;
/// Steps before and after the present one whose codes are accepted: clocks differ, people type slowly.
const STEPS_AROUND: u64 = 1;
/// The alphabet of RFC 4648 in which apps take secrets.
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Bytes of a secret: as many as SHA-1 gives.
pub(super) const SECRET_BYTES: usize = 20;

/// The step whose code this is, if it is one of those around now and later than the last accepted.
pub(super) fn matching_step(secret: &[u8], code: &str, now: Moment, last: u64) -> Option<u64> {
    let present = now.seconds() / STEP_SECONDS;
    let around = present.saturating_sub(STEPS_AROUND)..=present + STEPS_AROUND;
    // All are compared, so that the time does not tell which.
    let matches: Vec<u64> = around.filter(|step| same(&code_of(secret, *step), code)).collect();
    matches.into_iter().find(|step| *step > last)
}

/// The code of a step.
pub(super) fn code_of(secret: &[u8], step: u64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let bytes = tag.as_ref();
    let at = usize::from(bytes.last().copied().unwrap_or_default() & 15);
    let four = bytes.iter().skip(at).take(4);
    let number = four.fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// The secret as apps take it.
pub(super) fn base32(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            text.push(char::from(BASE32[(bits >> count & 31) as usize]));
        }
    }
    if count > 0 {
        text.push(char::from(BASE32[(bits << (5 - count) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, the last six of its eight digits.
    #[test]
    fn codes_agree_with_the_rfc() {
        let secret = b"12345678901234567890";
        let cases = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ];
        for (seconds, code) in cases {
            assert_eq!(code_of(secret, seconds / STEP_SECONDS), code, "{seconds}");
        }
    }

    #[test]
    fn a_code_is_accepted_one_step_around_and_once() {
        let secret = [3; SECRET_BYTES];
        let now = Moment::from_seconds(30 * 1000);
        let at = |step: u64, last: u64| matching_step(&secret, &code_of(&secret, step), now, last);
        assert_eq!((at(999, 0), at(1000, 0), at(1001, 0)), (Some(999), Some(1000), Some(1001)));
        assert_eq!((at(998, 0), at(1002, 0)), (None, None));
        assert_eq!((at(1000, 1000), at(999, 1000), at(1001, 1000)), (None, None, Some(1001)));
        assert_eq!(matching_step(&secret, "", now, 0), None);
    }

    /// RFC 4648, section 10.
    #[test]
    fn base32_agrees_with_the_rfc() {
        let cases = [
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("foobar", "MZXW6YTBOI"),
        ];
        for (plain, text) in cases {
            assert_eq!(base32(plain.as_bytes()), text);
        }
    }
}
