//! The order-preserving encoding: comparing two encodings byte by byte compares the numbers.
//!
//! A magnitude is written in base 100, its digits paired from the decimal point outwards:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | `80` + 65 + the power of 100 of the first pair, -65..=62 |
//! | 1 to 20 | one pair each, 0..=99, times 2, plus 1 if another pair follows |
//!
//! The first and the last pair are not zero, except that zero itself is `80 00`. A negative number
//! is the encoding of its magnitude with every byte complemented; it starts with `00`..=`7F`.
//!
//! Why it sorts: a greater power of 100 is a greater number; with equal powers the first pair that
//! differs decides; and where one number ends and the other goes on, the bit that says so makes the
//! longer one greater. That bit also marks the end, so no terminator is needed and no encoding is a
//! prefix of another. `42` takes 2 bytes, 38 digits take 20 or 21.

use super::Number;
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_LEADING_EXPONENT_MAX, NUMBER_LEADING_EXPONENT_MIN};

/// The power of 100 of the smallest first pair: that of 1E-130.
const POWER_MIN: i32 = NUMBER_LEADING_EXPONENT_MIN / 2;
/// First byte of a magnitude whose first pair has the smallest power.
const HEADER_BASE: u8 = 0x80;
/// 38 digits, when both ends fall into the middle of a pair.
const PAIRS_MAX: usize = NUMBER_DIGITS_MAX / 2 + 1;

const _: () = assert!(
    NUMBER_LEADING_EXPONENT_MAX.div_euclid(2) - POWER_MIN == 0xFF - HEADER_BASE as i32,
    "the powers of 100 fill the upper half of a byte exactly"
);

pub(super) fn encode(number: Number, out: &mut Vec<u8>) {
    if number.is_zero() {
        out.extend_from_slice(&[HEADER_BASE, 0]);
        return;
    }
    let mask = if number.negative { 0xFF } else { 0x00 };
    let power = number.leading_exponent().div_euclid(2);
    // `Number`'s range puts the power into 0..=127 above the smallest.
    out.push((HEADER_BASE + (power - POWER_MIN) as u8) ^ mask);

    // Pairs come out of the coefficient last one first.
    let mut pairs = [0_u8; PAIRS_MAX];
    let mut count = 0;
    let mut rest = number.coefficient();
    let odd = number.exponent.rem_euclid(2) == 1;
    if odd {
        // The last digit is the upper half of its pair. Taking it on its own, rather than
        // multiplying by ten, keeps 38 digits within 128 bits.
        pairs[0] = (rest % 10) as u8 * 10;
        rest /= 10;
        count = 1;
    }
    while rest > u128::from(u64::MAX) {
        pairs[count] = (rest % 100) as u8;
        rest /= 100;
        count += 1;
    }
    let mut rest = rest as u64;
    while rest != 0 {
        pairs[count] = (rest % 100) as u8;
        rest /= 100;
        count += 1;
    }
    for (index, pair) in pairs[..count].iter().enumerate().rev() {
        out.push((pair * 2 + u8::from(index != 0)) ^ mask);
    }
}

pub(super) fn decode(bytes: &[u8]) -> Option<(Number, usize)> {
    let (&header, pairs) = bytes.split_first()?;
    let negative = header < HEADER_BASE;
    let mask = if negative { 0xFF } else { 0x00 };
    let power = i32::from((header ^ mask) - HEADER_BASE) + POWER_MIN;

    let mut coefficient: u128 = 0;
    for (index, byte) in pairs.iter().take(PAIRS_MAX).enumerate() {
        let byte = byte ^ mask;
        let (pair, last) = (byte / 2, byte % 2 == 0);
        if pair > 99 || (index == 0 && pair == 0 && !(last && header == HEADER_BASE)) {
            return None;
        }
        if !last {
            coefficient = coefficient.checked_mul(100)?.checked_add(u128::from(pair))?;
            continue;
        }
        let taken = index + 2;
        if pair == 0 {
            // Only zero ends in a zero pair, and only as its first.
            return (index == 0).then_some((Number::ZERO, taken));
        }
        let pair_exponent = 2 * (power - i32::try_from(index).ok()?);
        let (shift, digits, exponent) = if pair % 10 == 0 {
            (10, pair / 10, pair_exponent + 1)
        } else {
            (100, pair, pair_exponent)
        };
        let coefficient = coefficient.checked_mul(shift)?.checked_add(u128::from(digits))?;
        let number = Number::from_parts(negative, coefficient, i16::try_from(exponent).ok()?)?;
        return Some((number, taken));
    }
    None
}
