//! A parser's place in the tokens of one expression, and the syntax error at that place.

use values::limits::EXPRESSION_BYTES_MAX;

use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::path::{RawName, RawPath, RawSegment};
use crate::token::{Token, TokenKind, tokenize};

/// The tokens of one expression and which of them is next.
pub(crate) struct Cursor<'t> {
    kind: ExpressionKind,
    text: &'t str,
    tokens: Vec<Token>,
    position: usize,
}

impl<'t> Cursor<'t> {
    /// Starts at the first token of a text that is neither empty nor too long (rule 8).
    pub fn new(kind: ExpressionKind, text: &'t str) -> Result<Self, ExpressionError> {
        match text.len() {
            0 => Err(ExpressionError::Expression(kind, Problem::Empty)),
            1..=EXPRESSION_BYTES_MAX => {
                Ok(Cursor { kind, text, tokens: tokenize(text), position: 0 })
            }
            _ => Err(ExpressionError::Expression(kind, Problem::TooLong)),
        }
    }

    /// The kind of the next token; `None` at the end.
    pub fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.position).map(|token| token.kind)
    }

    /// Whether the next tokens are a function's name and its parenthesis.
    pub fn at_call(&self) -> bool {
        self.peek() == Some(TokenKind::Identifier)
            && self.tokens.get(self.position + 1).map(|token| token.kind) == Some(TokenKind::Open)
    }

    /// Steps over the next token and gives its text.
    pub fn advance(&mut self) -> &'t str {
        let text = self.tokens.get(self.position).map_or("", |token| self.slice(*token));
        self.position += 1;
        text
    }

    /// Steps over the next token if it is of this kind.
    pub fn take(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == Some(kind);
        if found {
            self.position += 1;
        }
        found
    }

    /// Steps over the next token, which must be of this kind, and gives its text.
    pub fn expect(&mut self, kind: TokenKind) -> Result<&'t str, ExpressionError> {
        if self.peek() == Some(kind) { Ok(self.advance()) } else { Err(self.syntax_error()) }
    }

    /// A document path: a name, then any number of `.name` and `[index]`.
    pub fn path(&mut self) -> Result<RawPath<'t>, ExpressionError> {
        let name = self.path_name()?;
        let mut rest = Vec::new();
        loop {
            if self.take(TokenKind::Dot) {
                rest.push(RawSegment::Name(self.path_name()?));
            } else if self.take(TokenKind::OpenBracket) {
                rest.push(RawSegment::Index(self.expect(TokenKind::Index)?));
                self.expect(TokenKind::CloseBracket)?;
            } else {
                return Ok(RawPath { name, rest });
            }
        }
    }

    fn path_name(&mut self) -> Result<RawName<'t>, ExpressionError> {
        match self.peek() {
            Some(TokenKind::Identifier) => Ok(RawName::Bare(self.advance())),
            Some(TokenKind::Name) => Ok(RawName::Placeholder(self.advance())),
            _ => Err(self.syntax_error()),
        }
    }

    /// An error in this expression.
    pub fn error(&self, problem: Problem) -> ExpressionError {
        ExpressionError::Expression(self.kind, problem)
    }

    /// The syntax error about the next token. What is "near" reaches from the token before it to
    /// the token after it; at the end it is the last token, or the blanks if there is none (DX).
    pub fn syntax_error(&self) -> ExpressionError {
        let before = self.position.checked_sub(1).and_then(|index| self.tokens.get(index));
        let (token, near) = match self.tokens.get(self.position) {
            Some(token) => {
                let start = before.map_or(token.start, |before| before.start);
                let end = self.tokens.get(self.position + 1).map_or(token.end, |after| after.end);
                (self.slice(*token), self.text.get(start..end).unwrap_or_default())
            }
            None => ("<EOF>", self.tokens.last().map_or(self.text, |last| self.slice(*last))),
        };
        self.error(Problem::Syntax { token: token.to_owned(), near: near.to_owned() })
    }

    fn slice(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }
}
