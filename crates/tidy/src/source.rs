//! How a Rust file opens, how big it is, and the words that may not stay in it.
//!
//! The forbidden words are put together from pieces here, so that this file obeys its own rule.

use crate::Violation;
use crate::mask::is_word;

/// The largest source file allowed. Nobody reads more than this in one sitting.
pub(crate) const FILE_BYTES_MAX: usize = 40 * 1024;

/// The rules about a Rust file that need no knowledge of Rust.
pub(crate) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    violations.extend(check_opening(path, text));
    violations.extend(check_size(path, text));
    violations.extend(check_words(path, text));
    violations
}

fn check_opening(path: &str, text: &str) -> Option<Violation> {
    let first = text.lines().next().unwrap_or_default();
    let says_something = first.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty());
    (!says_something).then(|| {
        Violation::new(
            path,
            1,
            "the file does not open with a `//!` module doc",
            "say in one line which question the module answers",
        )
    })
}

fn check_size(path: &str, text: &str) -> Option<Violation> {
    (text.len() > FILE_BYTES_MAX).then(|| {
        Violation::new(
            path,
            1,
            format!("the file has {} bytes, the limit is {FILE_BYTES_MAX}", text.len()),
            "split it by concept",
        )
    })
}

fn check_words(path: &str, text: &str) -> Vec<Violation> {
    let forbidden = forbidden_words();
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (word, remedy) in &forbidden {
            if contains_word(line, word) {
                let problem = format!("`{word}` is not allowed");
                violations.push(Violation::new(path, index + 1, problem, *remedy));
            }
        }
    }
    violations
}

/// Each forbidden word with what to do instead.
fn forbidden_words() -> [(String, &'static str); 5] {
    [
        (["todo", "!("].concat(), "finish it or return an error that says what is missing"),
        (
            ["unimplemented", "!("].concat(),
            "finish it or return an error that says what is missing",
        ),
        (["dbg", "!("].concat(), "remove it"),
        (["FIX", "ME"].concat(), "repair it now or write down the limit in the documentation"),
        (["XX", "X"].concat(), "repair it now or write down the limit in the documentation"),
    ]
}

/// Whether `word` stands in the line and not as a part of a longer word.
fn contains_word(line: &str, word: &str) -> bool {
    let ends_open = word.ends_with(is_word);
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let goes_on = ends_open && after.starts_with(is_word);
        !before.ends_with(is_word) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::lines;

    #[test]
    fn a_module_doc_on_the_first_line_passes() {
        assert_eq!(check("a.rs", "//! What is it?\n"), []);
    }

    #[test]
    fn any_other_opening_fails() {
        for text in ["", "\n//! Late.\n", "use std::fmt;\n", "// Comment.\n", "//!\n//! Late.\n"] {
            assert_eq!(
                lines(&check("a.rs", text)),
                ["a.rs:1: the file does not open with a `//!` module doc; \
                  say in one line which question the module answers"],
                "for {text:?}"
            );
        }
    }

    #[test]
    fn forty_kilobytes_pass_and_one_more_byte_fails() {
        let at_the_limit = format!("//! {}", "a".repeat(FILE_BYTES_MAX - 4));
        assert_eq!(check("a.rs", &at_the_limit), []);
        assert_eq!(
            lines(&check("a.rs", &format!("{at_the_limit}\n"))),
            ["a.rs:1: the file has 40961 bytes, the limit is 40960; split it by concept"]
        );
    }

    #[test]
    fn every_forbidden_word_is_found_in_code_and_comments() {
        for (word, remedy) in forbidden_words() {
            let text = format!("//! Doc.\n    {word}\n// {word}: see below\n");
            let expected = [2, 3].map(|n| format!("a.rs:{n}: `{word}` is not allowed; {remedy}"));
            assert_eq!(lines(&check("a.rs", &text)), expected);
        }
    }

    #[test]
    fn parts_of_longer_words_pass() {
        for (word, _) in forbidden_words() {
            assert_eq!(check("a.rs", &format!("//! Doc.\n// a{word}\n")), []);
        }
        let longer = ["XX", "XX"].concat();
        assert_eq!(check("a.rs", &format!("//! Doc.\n// {longer}\n")), []);
    }
}
