//! Names and comments of the Rust source.

use std::fmt::Write as _;

/// The width of the source.
pub(super) const WIDTH: usize = 100;

/// Words that cannot be names, without those that no document would use.
const KEYWORDS: [&str; 24] = [
    "as", "async", "break", "const", "dyn", "else", "enum", "fn", "for", "if", "impl", "in", "let",
    "loop", "match", "mod", "move", "ref", "static", "struct", "trait", "type", "use", "where",
];

/// The name of a function, or of a parameter of one: `tenantId` as `tenant_id`.
pub(crate) fn function_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut before = '_';
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && !before.is_ascii_uppercase() && before != '_';
        if begins {
            text.push('_');
        }
        before = if letter.is_ascii_alphanumeric() { letter } else { '_' };
        text.push(before.to_ascii_lowercase());
    }
    if KEYWORDS.contains(&text.as_str()) { format!("r#{text}") } else { text }
}

/// A comment of as many lines as it takes, with what lines of it begin with.
pub(super) fn comment(text: &mut String, opening: &str, sentence: &str) {
    let mut line = opening.to_owned();
    for word in sentence.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line != opening {
            let _ = writeln!(text, "{line}");
            opening.clone_into(&mut line);
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_snake_case_and_no_keywords() {
        for (name, expected) in [
            ("get-tenant", "get_tenant"),
            ("tenantId", "tenant_id"),
            ("externalIDMarker", "external_idmarker"),
            ("chain_head", "chain_head"),
            ("move", "r#move"),
        ] {
            assert_eq!(function_name(name), expected);
        }
    }

    #[test]
    fn a_comment_keeps_to_the_width() {
        let mut text = String::new();
        comment(&mut text, "    ///", &"word ".repeat(30));
        let widths: Vec<_> = text.lines().map(str::len).collect();
        assert_eq!(widths, [97, 67]);
        assert!(text.lines().all(|line| line.starts_with("    /// word")));
    }
}
