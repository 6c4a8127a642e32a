//! The types of Ion literals, which the service reads only to refuse them by name.

/// The type of a literal between backticks; `None` if it does not read as Ion.
pub(super) fn type_of(token: &str) -> Option<&'static str> {
    let inner = token.trim_matches('`').trim();
    let first = inner.chars().next()?;
    let ends = |end: &str| inner.ends_with(end);
    match first {
        '{' if inner.starts_with("{{") => {
            let blob = inner.strip_prefix("{{")?.strip_suffix("}}")?.trim();
            Some(if blob.starts_with(['"', '\'']) { "CLOB" } else { "BLOB" })
        }
        '{' => ends("}").then_some("STRUCT"),
        '[' => ends("]").then_some("LIST"),
        '(' => ends(")").then_some("SEXP"),
        '"' => Some("STRING"),
        '\'' if inner.starts_with("'''") => Some("STRING"),
        '0'..='9' | '-' => Some(number_type(inner)),
        _ if inner == "null" || inner.starts_with("null.") => Some("NULL"),
        _ if inner == "true" || inner == "false" => Some("BOOL"),
        _ => Some("SYMBOL"),
    }
}

fn number_type(text: &str) -> &'static str {
    if text.contains(['T', ':']) || text.matches('-').count() > 1 {
        "TIMESTAMP"
    } else if text.contains(['e', 'E']) {
        "FLOAT"
    } else if text.contains(['.', 'd', 'D']) {
        "DECIMAL"
    } else {
        "INT"
    }
}
