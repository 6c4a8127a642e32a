//! Exact decimal numbers of up to 38 significant digits.
//!
//! A number is kept as a coefficient and a power of ten, never as binary floating point, so that
//! what a client sent is what every client reads (rules 11 to 13). Invariants of every [`Number`]:
//!
//! - the coefficient has at most 38 digits and does not end in a zero;
//! - the leading digit's power of ten lies in -130..=125;
//! - zero has exponent 0 and is not negative.
//!
//! One value therefore has one representation, and derived equality and hashing are numeric.

use std::cmp::Ordering;
use std::fmt;

use crate::ValueError;
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_LEADING_EXPONENT_MAX, NUMBER_LEADING_EXPONENT_MIN};

mod arithmetic;
mod format;
mod ordered;
mod parse;

/// A DynamoDB number: `(-1)^negative * coefficient * 10^exponent`, normalised (no trailing zeros in
/// the coefficient, zero is never negative). Two halves of the coefficient instead of a `u128` keep
/// the alignment at 8 and so an attribute value at 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    high: u64,
    low: u64,
    exponent: i16,
    negative: bool,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number { high: 0, low: 0, exponent: 0, negative: false };

    /// Exact sum; an error if the result needs more than 38 digits or leaves the range.
    pub fn checked_add(&self, other: &Number) -> Result<Number, ValueError> {
        arithmetic::add(*self, *other)
    }

    /// Exact difference; an error if the result needs more than 38 digits or leaves the range.
    pub fn checked_sub(&self, other: &Number) -> Result<Number, ValueError> {
        arithmetic::add(*self, other.negated())
    }

    /// The value as an `i64`, if it is a whole number in range.
    pub fn to_i64(&self) -> Option<i64> {
        if self.exponent < 0 { None } else { self.whole_part() }
    }

    /// The value without its fraction as an `i64`, if it is in range.
    pub fn whole_part(&self) -> Option<i64> {
        let magnitude = i128::try_from(self.coefficient()).ok()?;
        let scale = 10_i128.checked_pow(u32::from(self.exponent.unsigned_abs()));
        let magnitude = match (self.exponent >= 0, scale) {
            (true, scale) => magnitude.checked_mul(scale?)?,
            (false, Some(scale)) => magnitude / scale,
            // No coefficient has so many digits.
            (false, None) => 0,
        };
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Digits behind the decimal point, as `Display` would write them.
    pub fn decimal_places(&self) -> usize {
        usize::from(self.exponent.min(0).unsigned_abs())
    }

    /// Appends the order-preserving, self-delimiting encoding.
    pub fn encode_ordered(&self, out: &mut Vec<u8>) {
        ordered::encode(*self, out);
    }

    /// Reads what [`Number::encode_ordered`] wrote from the front of `bytes`; gives the number and
    /// how many bytes it took, or `None` if the bytes are not such an encoding.
    pub fn decode_ordered(bytes: &[u8]) -> Option<(Number, usize)> {
        ordered::decode(bytes)
    }

    /// Bytes this number weighs in an item.
    ///
    /// One byte, one for every two significant digits on each side of the decimal point, one more
    /// if negative. Leading and trailing zeros weigh nothing on either side (rule 24; the formula
    /// in the AWS developer guide, "Item sizes and formats", is wrong).
    pub fn size(&self) -> usize {
        if self.is_zero() {
            return 1;
        }
        let digits = self.digits();
        let fraction_digits = if self.exponent < 0 {
            digits.min(usize::from(self.exponent.unsigned_abs()))
        } else {
            0
        };
        let integer_digits = digits - fraction_digits;
        1 + integer_digits.div_ceil(2) + fraction_digits.div_ceil(2) + usize::from(self.negative)
    }

    /// Whether this is zero.
    pub const fn is_zero(&self) -> bool {
        self.high == 0 && self.low == 0
    }

    /// Whether this is below zero.
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number with the opposite sign.
    pub const fn negated(&self) -> Number {
        Number { negative: !self.negative && !self.is_zero(), ..*self }
    }

    /// Appends the decimal digits, as `Display` would write them, without an intermediate string.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let mut buffer = format::Buffer::new();
        out.extend_from_slice(buffer.format(*self).as_bytes());
    }

    /// The parts of a number for the stored form: sign, coefficient, power of ten.
    pub(crate) const fn parts(&self) -> (bool, u128, i16) {
        (self.negative, self.coefficient(), self.exponent)
    }

    /// A number from the parts that [`Number::parts`] gave; `None` if no number has these parts.
    pub(crate) fn from_parts(negative: bool, coefficient: u128, exponent: i16) -> Option<Number> {
        if coefficient == 0 {
            return (exponent == 0 && !negative).then_some(Number::ZERO);
        }
        if ends_in_zero(coefficient) {
            return None;
        }
        Number::checked(negative, coefficient, i64::from(exponent)).ok()
    }

    /// Brings any coefficient and exponent into normal form, or says which limit they break.
    fn normalised(negative: bool, coefficient: u128, exponent: i64) -> Result<Number, ValueError> {
        if coefficient == 0 {
            return Ok(Number::ZERO);
        }
        let (coefficient, zeros) = strip_trailing_zeros(coefficient);
        Number::checked(negative, coefficient, exponent.saturating_add(zeros))
    }

    /// Checks the limits of a coefficient that is not zero and has no trailing zeros.
    fn checked(negative: bool, coefficient: u128, exponent: i64) -> Result<Number, ValueError> {
        let digits = count_digits(coefficient);
        if digits > NUMBER_DIGITS_MAX {
            return Err(ValueError::TooManyDigits);
        }
        let leading = exponent.saturating_add(digits as i64 - 1);
        check_leading_exponent(leading)?;
        let exponent = i16::try_from(exponent).map_err(|_| ValueError::NumberUnderflow)?;
        let (high, low) = ((coefficient >> 64) as u64, coefficient as u64);
        Ok(Number { high, low, exponent, negative })
    }

    const fn coefficient(&self) -> u128 {
        ((self.high as u128) << 64) | self.low as u128
    }

    /// How many significant digits; 1 for zero.
    fn digits(&self) -> usize {
        if self.high == 0 { count_digits_u64(self.low) } else { count_digits(self.coefficient()) }
    }

    /// The power of ten of the leading digit.
    fn leading_exponent(&self) -> i32 {
        i32::from(self.exponent) + self.digits() as i32 - 1
    }

    /// Order of two numbers by their distance from zero.
    fn compare_magnitude(&self, other: &Number) -> Ordering {
        if self.exponent == other.exponent {
            return self.coefficient().cmp(&other.coefficient());
        }
        // Zero has no leading digit, so its power of ten says nothing.
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        self.leading_exponent().cmp(&other.leading_exponent()).then_with(|| {
            // Equal leading powers: padding the shorter coefficient aligns the digits, and it stays
            // below 10^38.
            let (left, right) = (self.digits(), other.digits());
            let padded_left = self.coefficient() * power_of_ten(right.saturating_sub(left));
            let padded_right = other.coefficient() * power_of_ten(left.saturating_sub(right));
            padded_left.cmp(&padded_right)
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(format::Buffer::new().format(*self))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::from_integer(value < 0, value.unsigned_abs())
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Number {
        Number::from(i64::from(value))
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Number {
        Number::from(u64::from(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number::from_integer(false, value)
    }
}

impl Number {
    /// Any 64-bit integer is in range: at most 20 digits.
    fn from_integer(negative: bool, magnitude: u64) -> Number {
        if magnitude == 0 {
            return Number::ZERO;
        }
        let (low, zeros) = strip_trailing_zeros_u64(magnitude);
        Number { high: 0, low, exponent: zeros as i16, negative }
    }
}

/// Whether a number whose leading digit has this power of ten is in range.
/// The first leading exponent that [`ValueError::NumberBeyondExponents`] is about.
const BEYOND_EXPONENTS: i64 = i32::MAX as i64 - 1;

fn check_leading_exponent(leading: i64) -> Result<(), ValueError> {
    if (BEYOND_EXPONENTS..=i64::from(i32::MAX)).contains(&leading) {
        Err(ValueError::NumberBeyondExponents)
    } else if leading > i64::from(NUMBER_LEADING_EXPONENT_MAX) {
        Err(ValueError::NumberOverflow)
    } else if leading < i64::from(NUMBER_LEADING_EXPONENT_MIN) {
        Err(ValueError::NumberUnderflow)
    } else {
        Ok(())
    }
}

fn count_digits(coefficient: u128) -> usize {
    match u64::try_from(coefficient) {
        Ok(small) => count_digits_u64(small),
        Err(_) => coefficient.checked_ilog10().map_or(1, |log| log as usize + 1),
    }
}

fn count_digits_u64(coefficient: u64) -> usize {
    coefficient.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn ends_in_zero(coefficient: u128) -> bool {
    match u64::try_from(coefficient) {
        Ok(small) => small.is_multiple_of(10),
        Err(_) => coefficient.is_multiple_of(10),
    }
}

/// Strips zeros off a coefficient that is not zero; gives how many there were.
fn strip_trailing_zeros(mut coefficient: u128) -> (u128, i64) {
    let mut zeros = 0;
    // Division of 64 bits is many times faster, and few coefficients need more.
    while coefficient > u128::from(u64::MAX) {
        if !coefficient.is_multiple_of(10) {
            return (coefficient, zeros);
        }
        coefficient /= 10;
        zeros += 1;
    }
    let (low, more) = strip_trailing_zeros_u64(coefficient as u64);
    (u128::from(low), zeros + more)
}

fn strip_trailing_zeros_u64(mut coefficient: u64) -> (u64, i64) {
    let mut zeros = 0;
    while coefficient != 0 && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        zeros += 1;
    }
    (coefficient, zeros)
}

/// `10^power` for a power below 39.
fn power_of_ten(power: usize) -> u128 {
    debug_assert!(power < 39);
    10_u128.pow(power as u32)
}

#[cfg(test)]
mod tests;
