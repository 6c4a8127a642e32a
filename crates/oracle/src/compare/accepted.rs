//! The differences that are accepted. Each has an entry of the same name in
//! `accepted_differences.md`, which says who is right and how we know.
//!
//! An accepted difference is a small function: it looks at a case that differs and, if the case is
//! the one it is about, takes the difference out by giving the reference's side our content. What
//! it does not speak of stays, and is reported.

use super::Case;

/// An accepted difference.
pub struct Accepted {
    /// Its name in the document.
    pub name: &'static str,
    /// Takes it out of a case.
    pub apply: fn(&mut Case<'_>) -> Applied,
}

/// Whether a case was the one.
pub enum Applied {
    /// No.
    No,
    /// Yes, and nothing else follows from it.
    Yes,
    /// Yes, and the two hold different data from here on.
    YesAndEnds,
}

/// All of them.
pub const ALL: &[Accepted] = &[];
