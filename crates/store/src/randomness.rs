//! Where chance comes from.

use std::cell::RefCell;

/// A source of unpredictable bytes.
pub trait Randomness: Send + Sync + 'static {
    /// Fills the bytes; false if there is no chance to be had.
    fn fill(&self, bytes: &mut [u8]) -> bool;
}

/// The operating system's. A few bytes at a time, which every request asks for, are taken from what
/// the thread fetched before: to ask the system costs more than to use them.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

/// Bytes that were fetched and not used yet.
struct Fetched {
    bytes: [u8; Fetched::BYTES],
    left: usize,
}

impl Fetched {
    const BYTES: usize = 512;
    /// Who asks for more asks the system.
    const GIVEN_MAX: usize = 24;

    /// Gives every byte once, and keeps none that was given.
    fn give(&mut self, bytes: &mut [u8]) -> bool {
        if self.left < bytes.len() {
            if getrandom::fill(&mut self.bytes).is_err() {
                return false;
            }
            self.left = Fetched::BYTES;
        }
        let given = &mut self.bytes[self.left - bytes.len()..self.left];
        bytes.copy_from_slice(given);
        given.fill(0);
        self.left -= bytes.len();
        true
    }
}

thread_local! {
    static FETCHED: RefCell<Fetched> =
        const { RefCell::new(Fetched { bytes: [0; Fetched::BYTES], left: 0 }) };
}

impl Randomness for SystemRandomness {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        if bytes.len() > Fetched::GIVEN_MAX {
            return getrandom::fill(bytes).is_ok();
        }
        FETCHED.with_borrow_mut(|fetched| fetched.give(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// More than are fetched at once, of any length: none twice, and none that nobody filled.
    #[test]
    fn no_bytes_are_given_twice() {
        for length in [16, 24, 25, 64] {
            let mut given = BTreeSet::new();
            for _ in 0..200 {
                let mut bytes = vec![0; length];
                assert!(SystemRandomness.fill(&mut bytes));
                for part in bytes.as_chunks::<8>().0 {
                    assert!(*part != [0; 8] && given.insert(*part), "{part:?} of {length}");
                }
            }
        }
        let kept = FETCHED.with_borrow(|fetched| fetched.bytes[fetched.left..].to_vec());
        assert!(kept.iter().all(|byte| *byte == 0), "what was given is forgotten");
    }
}
