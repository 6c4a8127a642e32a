//! A decimal that is easy to see to be right: a sign and 1,000 digits with the point in the middle.
//! It holds any number in range and any sum of two of them without rounding.

use std::cmp::Ordering;

const HALF: usize = 500;

/// Digits from the most significant; the first `HALF` stand before the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: Vec<u8>,
}

impl Decimal {
    /// Reads plain decimal text or text with an exponent, as the service's grammar has it.
    pub fn read(text: &str) -> Decimal {
        let (coefficient, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().expect("an exponent");
        let negative = coefficient.starts_with('-');
        let coefficient = coefficient.trim_start_matches(['+', '-']);
        let (integer, fraction) = coefficient.split_once('.').unwrap_or((coefficient, ""));
        let mut digits = vec![0; 2 * HALF];
        let first = HALF as i64 - integer.len() as i64 - exponent;
        for (place, digit) in integer.bytes().chain(fraction.bytes()).enumerate() {
            if digit != b'0' {
                digits[usize::try_from(first + place as i64).expect("in range")] = digit - b'0';
            }
        }
        Decimal::with_sign(negative, digits)
    }

    pub fn add(&self, other: &Decimal) -> Decimal {
        if self.negative == other.negative {
            return Decimal::with_sign(self.negative, add_digits(&self.digits, &other.digits));
        }
        match self.digits.cmp(&other.digits) {
            Ordering::Less => {
                Decimal::with_sign(other.negative, subtract_digits(&other.digits, &self.digits))
            }
            _ => Decimal::with_sign(self.negative, subtract_digits(&self.digits, &other.digits)),
        }
    }

    pub fn negated(&self) -> Decimal {
        Decimal::with_sign(!self.negative, self.digits.clone())
    }

    pub fn compare(&self, other: &Decimal) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.digits.cmp(&other.digits),
            (true, true) => other.digits.cmp(&self.digits),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }

    /// Digits from the first to the last that is not zero; the power of ten of the first.
    pub fn significant(&self) -> Option<(usize, i64)> {
        let first = self.digits.iter().position(|&digit| digit != 0)?;
        let last = self.digits.iter().rposition(|&digit| digit != 0)?;
        Some((last - first + 1, HALF as i64 - 1 - first as i64))
    }

    /// Rule 24, counted over the digits on each side of the point.
    pub fn size(&self) -> usize {
        let Some((count, leading)) = self.significant() else { return 1 };
        let integer = usize::try_from(leading + 1).unwrap_or(0).min(count);
        1 + integer.div_ceil(2) + (count - integer).div_ceil(2) + usize::from(self.negative)
    }

    /// Plain decimal text without an exponent.
    pub fn to_text(&self) -> String {
        let text: String = self.digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        let (integer, fraction) = text.split_at(HALF);
        let integer = integer.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let sign = if self.negative { "-" } else { "" };
        let integer = if integer.is_empty() { "0" } else { integer };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{integer}{point}{fraction}")
    }

    fn with_sign(negative: bool, digits: Vec<u8>) -> Decimal {
        let zero = digits.iter().all(|&digit| digit == 0);
        Decimal { negative: negative && !zero, digits }
    }
}

fn add_digits(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut sum = vec![0; left.len()];
    for place in (0..left.len()).rev() {
        let digit = left[place] + right[place] + carry;
        (sum[place], carry) = (digit % 10, digit / 10);
    }
    assert_eq!(carry, 0);
    sum
}

/// `left` is not the smaller one.
fn subtract_digits(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let mut difference = vec![0; left.len()];
    for place in (0..left.len()).rev() {
        let digit = 10 + left[place] - right[place] - borrow;
        (difference[place], borrow) = (digit % 10, u8::from(digit < 10));
    }
    assert_eq!(borrow, 0);
    difference
}
