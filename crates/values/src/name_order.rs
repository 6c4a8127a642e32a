//! The order of attribute names: that of their bytes, as `str` has it.
//!
//! Names are compared more often than anything else, and nearly always differ within eight bytes: those
//! are compared as one number, without a call.

use std::cmp::Ordering;

/// Compares two names.
#[inline]
pub fn compare(one: &str, other: &str) -> Ordering {
    NameOrder::of(other).of_other(one)
}

/// A name that others are compared with.
#[derive(Clone, Copy, Debug)]
pub struct NameOrder<'n> {
    name: &'n str,
    beginning: u64,
}

impl<'n> NameOrder<'n> {
    /// Of this name.
    #[inline]
    pub fn of(name: &'n str) -> NameOrder<'n> {
        NameOrder { name, beginning: beginning(name.as_bytes()) }
    }

    /// Where another name stands, seen from this one.
    #[inline]
    pub fn of_other(&self, other: &str) -> Ordering {
        let order = beginning(other.as_bytes()).cmp(&self.beginning);
        order.then_with(|| match other.len().max(self.name.len()) {
            // All of both is alike, but for zeros at the end of the longer one.
            0..=8 => other.len().cmp(&self.name.len()),
            _ => other.cmp(self.name),
        })
    }
}

/// The first eight bytes as a number that orders as they do; what is missing counts as zeros, which is
/// never more than what another name has there.
#[inline]
fn beginning(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // Four to seven bytes: the two parts overlap, and what stands in both falls out on the left.
        let missing = 8 * (8 - bytes.len() as u32);
        let behind = u32::from_be_bytes(*last).unbounded_shl(missing);
        return u64::from(u32::from_be_bytes(*first)) << 32 | u64::from(behind);
    }
    let at = |place: usize| u64::from(bytes.get(place).copied().unwrap_or(0));
    at(0) << 56 | at(1) << 48 | at(2) << 40
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the length of the names, and wherever they differ: also where one ends and the other
    /// goes on with a zero.
    #[test]
    fn names_have_the_order_of_their_bytes() {
        let mut names = vec![String::new()];
        for length in 1..12 {
            for changed in 0..length {
                for sign in ['\0', '!', 'a', 'b', '\u{7F}', 'é', '🍿'] {
                    let sign_at = |place| if place == changed { sign } else { 'a' };
                    names.push((0..length).map(sign_at).collect());
                }
            }
        }
        for one in &names {
            for other in &names {
                assert_eq!(compare(one, other), one.cmp(other), "{one:?} {other:?}");
            }
        }
    }
}
