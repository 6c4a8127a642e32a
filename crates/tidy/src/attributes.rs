//! No test is switched off, no lint is allowed for a whole file, and each allowance has a reason.

use crate::Violation;
use crate::mask::{is_word, line_at};

/// The attributes in masked `code` that break a rule.
pub(crate) fn check(path: &str, code: &str) -> Vec<Violation> {
    attributes(code).iter().flat_map(|attribute| check_attribute(path, attribute)).collect()
}

/// `#[body]`, or `#![body]` if inner.
struct Attribute<'a> {
    body: &'a str,
    inner: bool,
    line: usize,
}

fn check_attribute(path: &str, attribute: &Attribute<'_>) -> Option<Violation> {
    let &Attribute { body, inner, line } = attribute;
    let violation = |problem: &str, remedy: &str| Some(Violation::new(path, line, problem, remedy));
    if is_ignore(body) {
        return violation("a test is switched off", "repair the test or delete it");
    }
    let allows = calls(body, "allow");
    if allows && inner {
        return violation(
            "a lint is allowed for the whole file",
            "put `#[expect(lint, reason = \"…\")]` on the one item that needs it",
        );
    }
    if (allows || calls(body, "expect")) && !has_reason(body) {
        return violation("a lint is allowed without a reason", "add `reason = \"…\"`");
    }
    None
}

/// Every attribute of masked code, in order.
fn attributes(code: &str) -> Vec<Attribute<'_>> {
    code.match_indices('#')
        .filter_map(|(at, _)| {
            let after = &code[at + 1..];
            let (inner, after) = match after.strip_prefix('!') {
                Some(after) => (true, after),
                None => (false, after),
            };
            let body = bracketed(after)?;
            Some(Attribute { body, inner, line: line_at(code, at) })
        })
        .collect()
}

/// What stands between the bracket that `text` opens with and the one that closes it.
fn bracketed(text: &str) -> Option<&str> {
    let text = text.strip_prefix('[')?;
    let mut depth = 1_usize;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

/// `ignore` by itself, or given by a `cfg_attr`.
fn is_ignore(body: &str) -> bool {
    let head: String = body.trim_start().chars().take_while(|&c| is_word(c)).collect();
    head == "ignore" || (head == "cfg_attr" && words(body).any(|(word, _)| word == "ignore"))
}

/// Whether `name(…)` stands in the attribute, also inside a `cfg_attr`.
fn calls(body: &str, name: &str) -> bool {
    words(body).any(|(word, after)| word == name && after.trim_start().starts_with('('))
}

fn has_reason(body: &str) -> bool {
    words(body).any(|(word, after)| word == "reason" && after.trim_start().starts_with('='))
}

/// Each word with the text after it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = &rest[rest.find(is_word)?..];
        let (word, after) = start.split_at(start.find(|c| !is_word(c)).unwrap_or(start.len()));
        rest = after;
        Some((word, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::mask;
    use crate::violation::lines;

    #[track_caller]
    fn check_problems(source: &str, expected: &[&str]) {
        let found: Vec<String> = check("a.rs", &mask(source))
            .into_iter()
            .map(|violation| format!("{} {}", violation.line, violation.problem))
            .collect();
        assert_eq!(found, expected, "in {source}");
    }

    #[test]
    fn ordinary_attributes_pass() {
        check_problems("#[derive(Debug)]\n#[test]\n#[should_panic(expected = \"x\")]\n", &[]);
        check_problems("#![doc = \"x\"]\n#[arg(ignore_case)]\n#[serde(default)]\n", &[]);
        check_problems("let x = y.expect(\"z\"); // #[allow(x)]\n", &[]);
    }

    #[test]
    fn switched_off_tests_fail() {
        let problem = "a test is switched off";
        check_problems("\n#[ignore]\n", &[&format!("2 {problem}")]);
        check_problems("#[ignore = \"slow\"]\n", &[&format!("1 {problem}")]);
        check_problems("#[cfg_attr(windows, ignore)]\n", &[&format!("1 {problem}")]);
    }

    #[test]
    fn allowances_need_a_reason() {
        let problem = "a lint is allowed without a reason";
        check_problems("#[allow(dead_code)]\n", &[&format!("1 {problem}")]);
        check_problems("\n\n#[expect(\n    dead_code,\n)]\n", &[&format!("3 {problem}")]);
        check_problems("#[cfg_attr(test, allow(dead_code))]\n", &[&format!("1 {problem}")]);
        check_problems("#[allow(dead_code)] // reason = \"no\"\n", &[&format!("1 {problem}")]);
        check_problems("#[allow(reason::x)]\n", &[&format!("1 {problem}")]);
        check_problems("#[a([1], allow(dead_code))]\n", &[&format!("1 {problem}")]);
        check_problems("#[allow(dead_code, reason = \"[kept]\")]\n", &[]);
        check_problems("#[expect(\n    dead_code,\n    reason = \"x\"\n)]\n", &[]);
    }

    #[test]
    fn whole_files_are_never_allowed_anything() {
        let problem = "a lint is allowed for the whole file";
        check_problems("#![allow(dead_code)]\n", &[&format!("1 {problem}")]);
        check_problems("#![allow(dead_code, reason = \"x\")]\n", &[&format!("1 {problem}")]);
        check_problems("#![cfg_attr(test, allow(a))]\n", &[&format!("1 {problem}")]);
        check_problems("#![expect(dead_code, reason = \"x\")]\n", &[]);
    }

    #[test]
    fn the_report_says_what_to_do() {
        assert_eq!(
            lines(&check("a.rs", "#[allow(dead_code)]\n")),
            ["a.rs:1: a lint is allowed without a reason; add `reason = \"…\"`"]
        );
    }
}
