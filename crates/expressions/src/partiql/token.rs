//! Cuts the text of a statement into tokens.
//!
//! Unlike the expression languages, a statement is cut as a whole before it is read: a character or
//! a quotation that no token can be made of refuses it without saying where.

use super::parser::OPERATORS;
use crate::error::{Place, Syntax};

/// One token: its kind and the bytes of the text it takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword, or a name that stands for itself.
    Word,
    /// A name in double quotes, which are part of the token.
    Quoted,
    /// A string in single quotes, which are part of the token.
    Text,
    Number,
    /// An Ion literal between backticks.
    Ion,
    /// An operator, a bracket or another sign.
    Sign(&'static str),
}

/// Longer signs before those they begin with.
const SIGNS: [&str; 27] = [
    "<<", ">>", "<>", "<=", ">=", "!=", "||", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "@",
];

/// Cuts a text into tokens.
pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, Syntax> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        if let Some(length) = blank_length(rest)? {
            start += length;
            continue;
        }
        let before = tokens.last().and_then(|token| text.get(token.start..token.end));
        let (kind, length) = token_at(rest, before)?;
        tokens.push(Token { kind, start, end: start + length });
        start += length;
    }
    Ok(tokens)
}

/// The length of a blank or a comment at the front of `rest`.
fn blank_length(rest: &str) -> Result<Option<usize>, Syntax> {
    if rest.starts_with([' ', '\t', '\r', '\n']) {
        return Ok(Some(1));
    }
    if rest.starts_with("--") {
        return Ok(Some(rest.find('\n').unwrap_or(rest.len())));
    }
    match rest.strip_prefix("/*") {
        Some(comment) => comment.find("*/").map(|end| Some(end + 4)).ok_or(Syntax::Unreadable),
        None => Ok(None),
    }
}

fn token_at(rest: &str, before: Option<&str>) -> Result<(TokenKind, usize), Syntax> {
    let first = rest.chars().next().unwrap_or_default();
    match first {
        'a'..='z' | 'A'..='Z' | '_' | '$' => {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
            Ok((TokenKind::Word, rest.bytes().take_while(is_part).count()))
        }
        '"' => Ok((TokenKind::Quoted, quoted_length(rest, b'"')?)),
        '\'' => Ok((TokenKind::Text, quoted_length(rest, b'\'')?)),
        '`' => {
            let end = rest.get(1..).and_then(|inner| inner.find('`')).ok_or(Syntax::Unreadable)?;
            Ok((TokenKind::Ion, end + 2))
        }
        '0'..='9' => Ok((TokenKind::Number, number_length(rest)?)),
        '.' if begins_fraction(rest, before) => Ok((TokenKind::Number, number_length(rest)?)),
        _ => {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            sign.map(|sign| (TokenKind::Sign(sign), sign.len())).ok_or(Syntax::Unreadable)
        }
    }
}

/// A quotation with its quotes; a doubled quote inside stands for one.
fn quoted_length(rest: &str, quote: u8) -> Result<usize, Syntax> {
    let bytes = rest.as_bytes();
    let mut at = 1;
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) => return Err(Syntax::Unreadable),
            (Some(one), Some(two)) if *one == quote && *two == quote => at += 2,
            (Some(one), _) if *one == quote => return Ok(at + 1),
            _ => at += 1,
        }
    }
}

/// `.5` is a number where a value can begin, and a step of a path behind a name or a bracket.
fn begins_fraction(rest: &str, before: Option<&str>) -> bool {
    let after_value = before.is_some_and(|before| {
        before.ends_with(|last: char| last.is_alphanumeric() || "_$\")]".contains(last))
            && !OPERATORS.iter().any(|operator| operator.eq_ignore_ascii_case(before))
    });
    !after_value && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// Digits, one point, and an exponent that must have digits.
fn number_length(rest: &str) -> Result<usize, Syntax> {
    let bytes = rest.as_bytes();
    let digits =
        |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if !bytes.get(length).is_some_and(|byte| matches!(byte, b'e' | b'E')) {
        return Ok(length);
    }
    let sign = usize::from(bytes.get(length + 1).is_some_and(|byte| matches!(byte, b'+' | b'-')));
    match digits(length + 1 + sign) {
        0 => Err(Syntax::Unreadable),
        count => Ok(length + 1 + sign + count),
    }
}

/// The content of a quotation: without its quotes, doubled ones made one.
pub(super) fn unquoted(token: &str) -> String {
    let mut characters = token.chars();
    let quote = characters.next().unwrap_or_default();
    characters.next_back();
    let inner = characters.as_str();
    inner.replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// Where a token stands.
pub(super) fn place(text: &str, token: Token) -> Place {
    let before = text.get(..token.start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: 1 + before.matches('\n').count(),
        column: 1 + before.get(line_start..).unwrap_or_default().chars().count(),
        length: text.get(token.start..token.end).unwrap_or_default().chars().count(),
    }
}

/// The words that cannot follow a dot unless they are quoted: PartiQL's keywords (DX).
pub(super) fn is_keyword(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    KEYWORDS.split(' ').any(|keyword| keyword == lower)
}

const KEYWORDS: &str = "absolute action add all allocate alter and any are as asc assertion at authorization avg \
     bag begin between bigint bit bit_length blob bool boolean by can_cast can_lossless_cast \
     cascade cascaded case cast catalog char char_length character character_length check \
     clob close coalesce collate collation column commit conflict connect connection \
     constraint constraints continue convert corresponding count create cross current \
     current_date current_time current_timestamp current_user cursor date date_add date_diff \
     deallocate dec decimal declare default deferrable deferred delete desc describe \
     descriptor diagnostics disconnect distinct do domain double drop else end escape except \
     exception exec execute exists external extract false fetch first float for foreign found \
     from full get global go goto grant group having identity immediate in index indicator \
     initially inner input insensitive insert int integer integer2 integer4 integer8 \
     intersect interval into is isolation join key language last left let level like limit \
     list local lower match max min missing modified module names national natural nchar new \
     next no not nothing null nullif nulls numeric octet_length of offset old on only open \
     option or order outer output overlaps pad partial pivot position precision prepare \
     preserve primary prior privileges procedure public read real references relative remove \
     restrict returning revoke right rollback rows schema scroll section select session \
     session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string \
     struct substring sum symbol system_user table temporary then time timestamp to \
     transaction translate trim true tuple union unique unknown unpivot update upper usage \
     user using value values varchar varying view when whenever where with work write zone";
