//! The differences that are accepted. Each has an entry of the same name in
//! `accepted_differences.md`, which says who is right and how we know.
//!
//! An accepted difference is a small function: it looks at a case that differs and, if the case is
//! the one it is about, takes the difference out. What it does not speak of stays, and is reported.

mod answers;
mod failures;

use super::Case;

/// An accepted difference.
pub struct Accepted {
    /// Its name in the document, which is the name of its function.
    pub name: &'static str,
    /// Takes it out of a case.
    pub apply: fn(&mut Case<'_>) -> Applied,
}

/// Whether a case was the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// No.
    No,
    /// Yes, and nothing else follows from it.
    Yes,
    /// Yes, and the two hold different data from here on.
    YesAndEnds,
}

macro_rules! accepted {
    ($($module:ident::$name:ident),+ $(,)?) => {
        &[$(Accepted { name: stringify!($name), apply: $module::$name }),+]
    };
}

/// All of them.
pub const ALL: &[Accepted] = accepted![
    answers::description_has_more_members,
    failures::reference_answers_unreadable_bodies_with_serde_texts,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_accepted_difference_is_documented_and_the_other_way_round() {
        let document = include_str!("../../../accepted_differences.md");
        let documented: Vec<&str> =
            document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let known: Vec<&str> = ALL.iter().map(|accepted| accepted.name).collect();
        assert_eq!(documented, known);
    }
}
