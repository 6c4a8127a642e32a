//! Where a record stands in the log, and the `SequenceNumber` that says so.
//!
//! ```text
//! SequenceNumber = 100000000000000000000 + commit * 100000 + change
//! ```
//!
//! Always 21 digits (the service allows 21 to 40), so that the order of the texts is the order of the
//! numbers, and the number of a commit can be read off: all but the last five digits. A commit holds
//! at most 65,536 changes, and commits fit until the nine-quadrillionth.

/// What is added to every number, so that all have 21 digits.
const BASE: u128 = 100_000_000_000_000_000_000;
/// Numbers of one commit.
const CHANGES: u128 = 100_000;

/// A place in the log: a commit, and a change in it. As a reader's place, the next one to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The commit's number.
    pub sequence: u64,
    /// The place of the change in the commit.
    pub change: u16,
}

impl Position {
    /// Before everything in this commit.
    pub const fn start_of(sequence: u64) -> Position {
        Position { sequence, change: 0 }
    }

    /// After everything a commit can hold, except the last possible change.
    pub const fn end_of(sequence: u64) -> Position {
        Position { sequence, change: u16::MAX }
    }

    /// The next place.
    pub const fn next(self) -> Position {
        match self.change.checked_add(1) {
            Some(change) => Position { sequence: self.sequence, change },
            None => Position { sequence: self.sequence.saturating_add(1), change: 0 },
        }
    }

    /// The `SequenceNumber` of the record here.
    pub fn sequence_number(self) -> String {
        (BASE + u128::from(self.sequence) * CHANGES + u128::from(self.change)).to_string()
    }

    /// The place a `SequenceNumber` names; `None` if none can have this number.
    pub fn parse(sequence_number: &str) -> Option<Position> {
        if !sequence_number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number = sequence_number.parse::<u128>().ok()?.checked_sub(BASE)?;
        let sequence = u64::try_from(number / CHANGES).ok()?;
        let change = u16::try_from(number % CHANGES).ok()?;
        Some(Position { sequence, change })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_has_21_digits_and_reads_back() {
        let places = [(0, 0), (1, 0), (1, 999), (1, 1000), (1, u16::MAX), (2, 0), (1 << 52, 7)];
        let places = places.map(|(sequence, change)| Position { sequence, change });
        let texts = places.map(Position::sequence_number);
        for (place, text) in places.iter().zip(&texts) {
            assert_eq!(text.len(), 21, "{text}");
            assert_eq!(Position::parse(text), Some(*place));
        }
        assert!(texts.is_sorted(), "{texts:?}");
    }

    #[test]
    fn what_was_never_given_out_is_no_sequence_number() {
        for text in [
            "",
            "5",
            "abc",
            "+100000000000000000005",
            "099999999999999999999",
            "100000000000000099999",
            "9999999999999999999999999999999999999999",
        ] {
            assert_eq!(Position::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_next_place_follows() {
        assert_eq!(Position::start_of(7).next(), Position { sequence: 7, change: 1 });
        assert_eq!(Position::end_of(7).next(), Position::start_of(8));
    }
}
