//! Exact addition.

use super::{Number, power_of_ten};
use crate::ValueError;
use crate::limits::NUMBER_DIGITS_MAX;

/// The exact sum, or an error: never a rounded result (rule 13).
pub(super) fn add(left: Number, right: Number) -> Result<Number, ValueError> {
    if left.is_zero() {
        return Ok(right);
    }
    if right.is_zero() {
        return Ok(left);
    }
    let (coarse, fine) =
        if left.exponent >= right.exponent { (left, right) } else { (right, left) };
    let aligned = align(coarse, fine.exponent).ok_or(ValueError::TooManyDigits)?;
    let other = fine.coefficient();
    let (negative, coefficient) = if coarse.negative == fine.negative {
        (coarse.negative, aligned.checked_add(other).ok_or(ValueError::TooManyDigits)?)
    } else if aligned >= other {
        (coarse.negative, aligned - other)
    } else {
        (fine.negative, other - aligned)
    };
    Number::normalised(negative, coefficient, i64::from(fine.exponent))
}

/// The coefficient that expresses `number` with a smaller exponent.
///
/// `None` means that a sum with a number of that exponent cannot be exact. Proof: for a gap above
/// zero the other coefficient ends in a digit that is not zero, so the sum ends in it too and no
/// trailing zero can be dropped. If the aligned coefficient has 40 digits or more, or overflows 128
/// bits and so exceeds 3.4E38, then subtracting a coefficient below 1E38 leaves more than 38 digits.
fn align(number: Number, exponent: i16) -> Option<u128> {
    let gap = usize::try_from(i32::from(number.exponent) - i32::from(exponent)).ok()?;
    if gap > NUMBER_DIGITS_MAX {
        return None;
    }
    number.coefficient().checked_mul(power_of_ten(gap))
}
