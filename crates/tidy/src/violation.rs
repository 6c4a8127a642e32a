//! One broken rule: where, what is wrong, and what to do instead.

use std::fmt;

/// A broken rule, printed as `path:line: what is wrong; what to do instead`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The path from the repository's root, with forward slashes.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What to do instead.
    pub remedy: String,
}

impl Violation {
    pub(crate) fn new(
        path: &str,
        line: usize,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { path: path.to_owned(), line, problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, problem, remedy } = self;
        write!(formatter, "{path}:{line}: {problem}; {remedy}")
    }
}

/// The violations as a test compares them: one line of text each.
#[cfg(test)]
pub(crate) fn lines(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(Violation::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_place_problem_and_remedy_on_one_line() {
        let violation = Violation::new("crates/a/src/lib.rs", 7, "too long", "split it");
        assert_eq!(violation.to_string(), "crates/a/src/lib.rs:7: too long; split it");
    }

    #[test]
    fn sorts_by_path_then_by_line_as_a_number() {
        let mut violations = [
            Violation::new("b", 1, "", ""),
            Violation::new("a", 10, "", ""),
            Violation::new("a", 9, "", ""),
        ];
        violations.sort();
        assert_eq!(lines(&violations), ["a:9: ; ", "a:10: ; ", "b:1: ; "]);
    }
}
