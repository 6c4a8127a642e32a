//! Rust source with comments and literals blanked out, so that the other checks see only code.
//!
//! The line breaks stay, so a line number in the masked text is the line number in the source.
//! This is a scanner for the five things in which a brace or a bracket can hide (line comments,
//! nested block comments, strings, raw strings, characters), not a Rust lexer.

/// The source with every comment, string and character literal replaced by blanks.
pub(crate) fn mask(source: &str) -> String {
    let mut masked = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let hidden = hidden_length(rest, masked.chars().next_back());
        let taken = if hidden > 0 { hidden } else { next.len_utf8() };
        let (piece, tail) = rest.split_at(taken);
        if hidden > 0 {
            masked.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            masked.push_str(piece);
        }
        rest = tail;
    }
    masked
}

/// The line, counted from 1, on which the byte at `offset` stands.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

/// Whether a character can be part of an identifier.
pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// How many bytes of `rest` are one comment or literal; 0 if it opens with code.
fn hidden_length(rest: &str, previous: Option<char>) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_length(rest);
    }
    if rest.starts_with('"') {
        return quoted_length(rest, '"');
    }
    if rest.starts_with('\'') {
        return if is_character_literal(rest) { quoted_length(rest, '\'') } else { 0 };
    }
    if previous.is_some_and(is_word) { 0 } else { raw_string_length(rest) }
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tail) = rest.get(at..) {
        if tail.is_empty() {
            break;
        } else if tail.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if tail.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a literal that `quote` opens and closes and in which a backslash escapes.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return at + character.len_utf8();
        }
    }
    rest.len()
}

/// `'a'` and `'\n'` are characters; `'a` is a lifetime or a label.
fn is_character_literal(rest: &str) -> bool {
    let mut characters = rest.chars().skip(1);
    match characters.next() {
        Some('\\') => true,
        Some(_) => characters.next() == Some('\''),
        None => false,
    }
}

/// The length of `r"…"`, `r#"…"#`, `br"…"` or `cr"…"`; 0 if `rest` opens with something else.
fn raw_string_length(rest: &str) -> usize {
    let Some(opening) = ["r", "br", "cr"].into_iter().find(|prefix| {
        rest.strip_prefix(prefix).is_some_and(|tail| tail.trim_start_matches('#').starts_with('"'))
    }) else {
        return 0;
    };
    let body = &rest[opening.len()..];
    let hashes = body.len() - body.trim_start_matches('#').len();
    let closing = format!("\"{}", "#".repeat(hashes));
    let start = opening.len() + hashes + 1;
    rest[start..].find(&closing).map_or(rest.len(), |at| start + at + closing.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left when the blanks are squeezed out.
    #[track_caller]
    fn check(source: &str, expected: &str) {
        let masked = mask(source);
        assert_eq!(masked.split_whitespace().collect::<Vec<_>>().join(" "), expected);
        assert_eq!(masked.lines().count(), source.lines().count(), "lines moved in {source}");
    }

    #[test]
    fn code_stays() {
        check("fn f() { a[0] }", "fn f() { a[0] }");
    }

    #[test]
    fn comments_go() {
        check("a // { \" '\nb", "a b");
        check("a /* { /* } */ \n { */ b", "a b");
        check("a /* never closed {", "a");
        check("a / b", "a / b");
    }

    #[test]
    fn strings_go() {
        check(r#"a("{", b)"#, "a( , b)");
        check(r#"a("\"{\\", b)"#, "a( , b)");
        check(r#"a(b"{", c"{")"#, "a(b , c )");
        check("a(\"// {\n{\") b", "a( ) b");
        check("a(\"é\u{1F600}{\") b", "a( ) b");
    }

    #[test]
    fn raw_strings_go() {
        check(r##"a(r"{\", b)"##, "a( , b)");
        check(r###"a(r#"{" "{"#, br##"}"# "##, cr"{") b"###, "a( , , ) b");
        check("a(r#\"never closed {", "a(");
    }

    #[test]
    fn raw_identifiers_and_names_that_end_in_r_stay() {
        check("r#fn bar br r", "r#fn bar br r");
    }

    #[test]
    fn characters_go_and_lifetimes_stay() {
        check(r"a('{', '\'', '\\', '\u{7b}', b'}', 'é', '\n') b", "a( , , , , b , , ) b");
        check("'outer: loop { f::<'a>(&'static x) }", "'outer: loop { f::<'a>(&'static x) }");
        check("a('\"', '\"') b", "a( , ) b");
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(line_at("a\nb\nc", 0), 1);
        assert_eq!(line_at("a\nb\nc", 1), 1);
        assert_eq!(line_at("a\nb\nc", 4), 3);
    }
}
