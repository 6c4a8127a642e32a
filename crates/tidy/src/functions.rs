//! No function is longer than a screen.

use crate::Violation;
use crate::mask::{is_word, line_at};

/// The longest function allowed, in lines from the `fn` line to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// The functions in masked `code` that are too long.
pub(crate) fn check(path: &str, code: &str) -> Vec<Violation> {
    functions(code)
        .into_iter()
        .filter(|function| function.lines > FUNCTION_LINES_MAX)
        .map(|Function { name, line, lines }| {
            Violation::new(
                path,
                line,
                format!("function `{name}` has {lines} lines, the limit is {FUNCTION_LINES_MAX}"),
                "move a step of it into a function with a name of its own",
            )
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// Every function with a body, nested ones too.
fn functions(code: &str) -> Vec<Function> {
    code.match_indices("fn").filter_map(|(at, _)| function_at(code, at)).collect()
}

fn function_at(code: &str, at: usize) -> Option<Function> {
    let (before, after) = (&code[..at], &code[at + "fn".len()..]);
    let follows_a_word = before.ends_with(|c| is_word(c) || c == '#');
    if follows_a_word || !after.starts_with(char::is_whitespace) {
        return None;
    }
    let signature = after.trim_start();
    // `$` because a macro may name the function it writes; a bare `fn(…)` is a type.
    let name: String = signature.chars().take_while(|&c| is_word(c) || c == '$').collect();
    if name.is_empty() {
        return None;
    }
    let end = code.len() - signature.len() + body_end(signature)?;
    let (line, last) = (line_at(code, at), line_at(code, end));
    Some(Function { name, line, lines: last - line + 1 })
}

/// The offset of the brace that closes the body; none for a declaration without one.
fn body_end(signature: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut resume = 0;
    for (at, character) in signature.char_indices() {
        match character {
            _ if at < resume => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return None,
            '{' if depth == 0 => {
                let end = at + closing_brace(&signature[at..])?;
                if !is_const_argument(&signature[..at], &signature[end + 1..]) {
                    return Some(end);
                }
                resume = end + 1;
            }
            _ => {}
        }
    }
    None
}

/// `Array<{ N + 1 }>` in a signature is not the body.
fn is_const_argument(before: &str, after: &str) -> bool {
    before.trim_end().ends_with('<') || after.trim_start().starts_with('>')
}

/// The offset of the brace that closes the one which `text` opens with.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::mask;
    use crate::violation::lines;

    /// The functions found, as `name line+lines`.
    #[track_caller]
    fn check_found(source: &str, expected: &[&str]) {
        let found: Vec<String> = functions(&mask(source))
            .iter()
            .map(|function| format!("{} {}+{}", function.name, function.line, function.lines))
            .collect();
        assert_eq!(found, expected, "in {source}");
    }

    fn function_of(lines: usize) -> String {
        format!("//! Doc.\n\npub fn long() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    #[test]
    fn seventy_lines_pass_and_one_more_fails() {
        assert_eq!(check("a.rs", &function_of(70)), []);
        assert_eq!(
            lines(&check("a.rs", &function_of(71))),
            ["a.rs:3: function `long` has 71 lines, the limit is 70; \
              move a step of it into a function with a name of its own"]
        );
    }

    #[test]
    fn bodies_are_measured_to_their_own_brace() {
        check_found("fn a() {}\nfn b() {\n}\n", &["a 1+1", "b 2+2"]);
        check_found("fn a()\nwhere\n    T: X,\n{\n    if b { c } else { d }\n}\n", &["a 1+6"]);
        check_found("impl A {\n    async fn b(&self) {\n        c()\n    }\n}\n", &["b 2+3"]);
        check_found("fn outer() {\n    fn inner() {\n    }\n}\n", &["outer 1+4", "inner 2+2"]);
    }

    #[test]
    fn braces_in_literals_and_comments_do_not_count() {
        check_found("fn a() {\n    \"}\"; '}'; r#\"}\"#; // }\n    /* } */\n}\n", &["a 1+4"]);
        check_found("// fn a() {}\nconst S: &str = \"fn b() {}\";\n", &[]);
    }

    #[test]
    fn const_arguments_and_array_lengths_are_not_bodies() {
        check_found("fn a(x: A<{ N }>) -> [u8; { 2 }] {\n}\n", &["a 1+2"]);
        for argument in ["{ N }", "{ N }, 1", "1, { N }", "\n{ N }\n"] {
            let source = format!("fn a() -> A<{argument}> {{\n\n\n\n}}\n");
            let lines = source.lines().count();
            check_found(&source, &[&format!("a 1+{lines}")]);
        }
    }

    #[test]
    fn types_declarations_and_words_are_not_functions() {
        check_found("trait A { fn b(&self); }\nstruct C { d: fn(u8) -> u8 }\n", &[]);
        check_found("m! { r#fn a() {} my_fn b() {} fnord c() {} }\n", &[]);
    }

    #[test]
    fn functions_in_macros_count() {
        check_found("macro_rules! m { ($n:ident) => { fn $n() {\n} } }\n", &["$n 1+2"]);
        check_found("macro_rules! m { (fn $n:ident $b:block) => {} }\nfn a() {}\n", &["a 2+1"]);
    }
}
