//! Cuts the text of an expression into tokens.
//!
//! All five languages share these tokens, keywords included: `set` is no attribute name even in a
//! condition. A character that no token begins with is a token of its own, so that the parser
//! meets it in its turn and can say what stands around it.

/// One token: its kind and the bytes of the text it takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A bare attribute name, or the name of a function.
    Identifier,
    /// `#name`.
    Name,
    /// `:value`.
    Value,
    /// Digits without a leading zero.
    Index,
    And,
    Or,
    Not,
    In,
    Between,
    Set,
    Remove,
    Add,
    Delete,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    Comma,
    /// A character no token begins with.
    Unknown,
}

/// Cuts a text into tokens.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text.get(start..).and_then(|rest| rest.chars().next()) {
        // Only these four; a no-break space, for one, is an unknown character.
        if matches!(first, ' ' | '\t' | '\r' | '\n') {
            start += 1;
            continue;
        }
        let (kind, length) = token_at(text.get(start..).unwrap_or_default(), first);
        tokens.push(Token { kind, start, end: start + length });
        start += length;
    }
    tokens
}

/// The kind and the length in bytes of the token at the front of `rest`.
fn token_at(rest: &str, first: char) -> (TokenKind, usize) {
    match first {
        'a'..='z' | 'A'..='Z' => {
            let word = rest.get(..word_length(rest)).unwrap_or_default();
            (keyword(word).unwrap_or(TokenKind::Identifier), word.len())
        }
        '#' | ':' => match word_length(rest.get(1..).unwrap_or_default()) {
            0 => (TokenKind::Unknown, 1),
            length if first == '#' => (TokenKind::Name, 1 + length),
            length => (TokenKind::Value, 1 + length),
        },
        // `l[00]` is the index 0 followed by another one (DX).
        '0' => (TokenKind::Index, 1),
        '1'..='9' => {
            (TokenKind::Index, rest.bytes().take_while(|byte| byte.is_ascii_digit()).count())
        }
        _ => symbol(rest, first),
    }
}

fn word_length(rest: &str) -> usize {
    rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn keyword(word: &str) -> Option<TokenKind> {
    const KEYWORDS: [(&str, TokenKind); 9] = [
        ("AND", TokenKind::And),
        ("OR", TokenKind::Or),
        ("NOT", TokenKind::Not),
        ("IN", TokenKind::In),
        ("BETWEEN", TokenKind::Between),
        ("SET", TokenKind::Set),
        ("REMOVE", TokenKind::Remove),
        ("ADD", TokenKind::Add),
        ("DELETE", TokenKind::Delete),
    ];
    KEYWORDS.iter().find(|(text, _)| text.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind)
}

fn symbol(rest: &str, first: char) -> (TokenKind, usize) {
    match first {
        '<' if rest.starts_with("<>") => (TokenKind::NotEqual, 2),
        '<' if rest.starts_with("<=") => (TokenKind::LessOrEqual, 2),
        '>' if rest.starts_with(">=") => (TokenKind::GreaterOrEqual, 2),
        '<' => (TokenKind::Less, 1),
        '>' => (TokenKind::Greater, 1),
        '=' => (TokenKind::Equal, 1),
        '+' => (TokenKind::Plus, 1),
        '-' => (TokenKind::Minus, 1),
        '(' => (TokenKind::Open, 1),
        ')' => (TokenKind::Close, 1),
        '[' => (TokenKind::OpenBracket, 1),
        ']' => (TokenKind::CloseBracket, 1),
        '.' => (TokenKind::Dot, 1),
        ',' => (TokenKind::Comma, 1),
        other => (TokenKind::Unknown, other.len_utf8()),
    }
}

/// Whether a key of a placeholder map reads as one token: `#name` or `:value`.
pub(crate) fn is_placeholder(key: &str, sign: char) -> bool {
    key.strip_prefix(sign).is_some_and(|word| !word.is_empty() && word_length(word) == word.len())
}
