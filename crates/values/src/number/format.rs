//! From number to text, as the service returns it: plain decimal digits, never an exponent (rule
//! 12), so that `1E125` is written as 126 digits.

use super::Number;
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_LEADING_EXPONENT_MIN};

/// The longest text is a negative fraction: `-0.`, the zeros down to 1E-130, and 38 digits of which
/// the first takes the place of the last zero. Longer than 126 integer digits and a sign.
const TEXT_BYTES_MAX: usize =
    3 + NUMBER_LEADING_EXPONENT_MIN.unsigned_abs() as usize + NUMBER_DIGITS_MAX - 1;

/// `10^19`, the largest power of ten in 64 bits.
const CHUNK: u128 = 10_000_000_000_000_000_000;
const CHUNK_DIGITS: usize = 19;

/// Where a number is written; on the stack, since every number fits.
pub(super) struct Buffer {
    bytes: [u8; TEXT_BYTES_MAX],
    length: usize,
}

impl Buffer {
    pub(super) fn new() -> Buffer {
        Buffer { bytes: [b'0'; TEXT_BYTES_MAX], length: 0 }
    }

    /// Writes a number into an unused buffer.
    pub(super) fn format(&mut self, number: Number) -> &str {
        let mut digits = [b'0'; 2 * CHUNK_DIGITS + 1];
        let digits = write_digits(number.coefficient(), &mut digits);
        if number.negative {
            self.push(b"-");
        }
        if number.exponent >= 0 {
            self.push(digits);
            self.push_zeros(number.exponent.unsigned_abs());
        } else {
            let fraction = usize::from(number.exponent.unsigned_abs());
            let (integer, fraction_digits) = digits.split_at(digits.len().saturating_sub(fraction));
            self.push(if integer.is_empty() { b"0" } else { integer });
            self.push(b".");
            self.push_zeros((fraction - fraction_digits.len()) as u16);
            self.push(fraction_digits);
        }
        let written = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(written).unwrap_or_default()
    }

    fn push(&mut self, text: &[u8]) {
        if let Some(target) = self.bytes.get_mut(self.length..self.length + text.len()) {
            target.copy_from_slice(text);
            self.length += text.len();
        }
    }

    /// The buffer starts out as zeros, so writing some is stepping over them.
    fn push_zeros(&mut self, count: u16) {
        self.length = TEXT_BYTES_MAX.min(self.length + usize::from(count));
    }
}

/// Writes the decimal digits right-aligned into `buffer` and gives the part used.
fn write_digits(coefficient: u128, buffer: &mut [u8; 2 * CHUNK_DIGITS + 1]) -> &[u8] {
    let end = buffer.len();
    let start = match u64::try_from(coefficient) {
        Ok(small) => write_u64(small, buffer, end),
        Err(_) => {
            // A coefficient is below 10^38: two chunks.
            write_u64((coefficient % CHUNK) as u64, buffer, end);
            write_u64((coefficient / CHUNK) as u64, buffer, end - CHUNK_DIGITS)
        }
    };
    &buffer[start..]
}

/// Writes the digits so that they end before `end`; gives where they start.
fn write_u64(mut value: u64, buffer: &mut [u8], end: usize) -> usize {
    let mut start = end;
    loop {
        start -= 1;
        buffer[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return start;
        }
    }
}
