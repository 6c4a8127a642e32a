//! From text to number.
//!
//! Grammar: `sign? coefficient exponent?`, where the coefficient has at least one digit and at most
//! one point (`5`, `5.`, `.5`), and the exponent is `e` or `E` and a signed 64-bit integer. Nothing
//! else is accepted, no blank in particular (rule 4).
//!
//! No step depends on the size of the exponent, and a coefficient of a million digits is read in
//! one pass without being stored.

use std::str::FromStr;

use super::{Number, check_leading_exponent};
use crate::ValueError;
use crate::limits::NUMBER_DIGITS_MAX;

/// An integer of this many digits fits a `u64`, whatever they are.
const SHORT_DIGITS_MAX: usize = 19;

impl FromStr for Number {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Number, ValueError> {
        short_integer(text).map_or_else(|| general(text), Ok)
    }
}

/// The common case, `-?[0-9]{1,19}`; `None` for everything else.
fn short_integer(text: &str) -> Option<Number> {
    let bytes = text.as_bytes();
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > SHORT_DIGITS_MAX {
        return None;
    }
    let mut magnitude: u64 = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        magnitude = magnitude * 10 + u64::from(byte - b'0');
    }
    Some(Number::from_integer(negative, magnitude))
}

fn general(text: &str) -> Result<Number, ValueError> {
    let unreadable = || ValueError::NotANumber(text.to_owned());
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (coefficient, exponent) = match unsigned.split_once(['e', 'E']) {
        // An exponent that does not fit 64 bits is text the service cannot convert, not an overflow
        // (DX, October 2026, eu-west-2).
        Some((coefficient, exponent)) => {
            (coefficient, exponent.parse::<i64>().map_err(|_| unreadable())?)
        }
        None => (unsigned, 0),
    };
    let digits = Digits::read(coefficient.as_bytes()).ok_or_else(unreadable)?;
    let last_digit_exponent = exponent.saturating_sub(digits.fraction);
    if digits.coefficient == 0 {
        // Zero is held to the range too, as if its last digit were a 1: `0e126` overflows and
        // `0.0e-130` underflows (DX, October 2026, eu-west-2).
        return check_leading_exponent(last_digit_exponent).map(|()| Number::ZERO);
    }
    if digits.significant > NUMBER_DIGITS_MAX {
        return Err(ValueError::TooManyDigits);
    }
    let exponent = last_digit_exponent.saturating_add(digits.trailing_zeros);
    Number::checked(negative, digits.coefficient, exponent)
}

/// The digits of a coefficient, without leading and trailing zeros.
#[derive(Default)]
struct Digits {
    /// The value of the significant digits; meaningless beyond 38 of them.
    coefficient: u128,
    /// How many digits from the first to the last that is not zero.
    significant: usize,
    /// Zeros after the last significant digit, on either side of the point.
    trailing_zeros: i64,
    /// Digits after the point.
    fraction: i64,
}

impl Digits {
    fn read(bytes: &[u8]) -> Option<Digits> {
        let mut digits = Digits::default();
        let mut any = false;
        let mut point = false;
        for &byte in bytes {
            match byte {
                b'.' if !point => point = true,
                b'0'..=b'9' => {
                    any = true;
                    digits.fraction += i64::from(point);
                    digits.push(byte - b'0');
                }
                _ => return None,
            }
        }
        any.then_some(digits)
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 {
            self.trailing_zeros += i64::from(self.coefficient != 0);
            return;
        }
        let zeros = std::mem::take(&mut self.trailing_zeros) as usize;
        self.significant = self.significant.saturating_add(zeros).saturating_add(1);
        if self.significant <= NUMBER_DIGITS_MAX {
            let shift = super::power_of_ten(zeros + 1);
            self.coefficient = self.coefficient * shift + u128::from(digit);
        }
    }
}
