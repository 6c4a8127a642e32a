//! Reads tokens: the parser's place in them, names and paths.
//!
//! The parser recurses where the text nests; [`NESTING_MAX`] bounds that, and what else could pile up
//! (chains of operators, runs of NOT) is kept in lists and counts, so that no text can exhaust the
//! stack.

use super::token::{Token, TokenKind, is_keyword, place, tokenize, unquoted};
use crate::error::{Place, Syntax};
use crate::path::{Path, Segment};

/// How deep expressions may nest. The service stores at most 32 levels.
const NESTING_MAX: usize = 64;

/// The tokens of a statement and which of them is next.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    /// How many question marks have been read.
    pub parameters: usize,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Result<Self, Syntax> {
        Ok(Parser { text, tokens: tokenize(text)?, position: 0, depth: 0, parameters: 0 })
    }

    pub fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.position).map(|token| token.kind)
    }

    /// The kind of the token so many behind the next.
    pub fn peek_at(&self, offset: usize) -> Option<TokenKind> {
        self.tokens.get(self.position + offset).map(|token| token.kind)
    }

    /// Where the next token stands.
    pub fn place(&self) -> Place {
        self.tokens.get(self.position).map_or(Place::default(), |token| place(self.text, *token))
    }

    /// Steps over the next token and gives its text.
    pub fn advance(&mut self) -> &'t str {
        let text = self.slice(self.position);
        self.position += 1;
        text
    }

    pub fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(TokenKind::Sign(found)) if found == sign)
    }

    /// Steps over the next token if it is this sign.
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        self.position += usize::from(found);
        found
    }

    /// Whether the next token is one of these words, in any case.
    pub fn at_word(&self, words: &[&str]) -> bool {
        self.is_word_at(0, words)
    }

    /// The same of the token so many behind the next.
    pub fn is_word_at(&self, offset: usize, words: &[&str]) -> bool {
        let text = self.slice(self.position + offset);
        self.peek_at(offset) == Some(TokenKind::Word)
            && words.iter().any(|word| word.eq_ignore_ascii_case(text))
    }

    /// Steps over the next token if it is this word.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(&[word]);
        self.position += usize::from(found);
        found
    }

    /// Whether a name of a table or an attribute comes next.
    pub fn at_name(&self) -> bool {
        match self.peek() {
            Some(TokenKind::Quoted) => true,
            Some(TokenKind::Word) => !self.at_word(&OPERATORS) && !self.at_word(&RESERVED),
            _ => false,
        }
    }

    /// Runs `read` one level deeper.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Syntax>,
    ) -> Result<T, Syntax> {
        if self.depth >= NESTING_MAX {
            return Err(Syntax::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A name, which must come next.
    pub fn name(&mut self) -> Result<String, Syntax> {
        if !self.at_name() {
            return Err(Syntax::MissingPath);
        }
        Ok(match self.peek() {
            Some(TokenKind::Quoted) => unquoted(self.advance()),
            _ => self.advance().to_owned(),
        })
    }

    /// A path to an attribute: a name and steps.
    pub fn path(&mut self) -> Result<Path, Syntax> {
        let name = self.name()?;
        self.steps(name)
    }

    /// The steps behind a name: `.name`, `."name"` and `[index]`.
    pub fn steps(&mut self, name: String) -> Result<Path, Syntax> {
        let mut rest = Vec::new();
        loop {
            if self.take_sign(".") {
                rest.push(Segment::Name(self.dot_component()?));
            } else if self.take_sign("[") {
                let index = match self.peek() {
                    Some(TokenKind::Number) => self.advance().parse::<u32>().ok(),
                    _ => None,
                };
                let index = index.and_then(|index| usize::try_from(index).ok());
                rest.push(Segment::Index(index.ok_or(Syntax::UnexpectedTerm)?));
                if !self.take_sign("]") {
                    return Err(Syntax::Unclosed(']'));
                }
            } else {
                return Ok(Path { name, rest });
            }
        }
    }

    fn dot_component(&mut self) -> Result<String, Syntax> {
        match self.peek() {
            Some(TokenKind::Quoted) => Ok(unquoted(self.advance())),
            Some(TokenKind::Word) if !is_keyword(self.slice(self.position)) => {
                Ok(self.advance().to_owned())
            }
            _ => Err(Syntax::KeywordInPath),
        }
    }

    fn slice(&self, position: usize) -> &'t str {
        let token = self.tokens.get(position);
        token.and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }
}

/// Words that are operators.
pub(super) const OPERATORS: [&str; 7] = ["AND", "OR", "NOT", "IS", "IN", "LIKE", "BETWEEN"];

/// Words that cannot begin an expression and are no names (DX).
pub(super) const RESERVED: [&str; 33] = [
    "SELECT",
    "FROM",
    "WHERE",
    "INSERT",
    "INTO",
    "VALUE",
    "VALUES",
    "UPDATE",
    "DELETE",
    "SET",
    "REMOVE",
    "ORDER",
    "BY",
    "GROUP",
    "HAVING",
    "LIMIT",
    "AS",
    "AT",
    "ON",
    "RETURNING",
    "UNION",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "ASC",
    "DESC",
    "EXISTS",
    "TRUE",
    "FALSE",
    "NULL",
    "MISSING",
];
