//! Reads whole statements.

use super::parser::{OPERATORS, Parser, RESERVED};
use super::syntax::{RawAction, RawReturning, RawSelect, RawStatement, Target};
use super::token::{TokenKind, unquoted};
use crate::error::Syntax;

/// Reads a statement to its end. Gives the number of its question marks too.
pub(super) fn parse(text: &str) -> Result<(RawStatement, usize), Syntax> {
    let mut parser = Parser::new(text)?;
    let statement = parser.statement()?;
    parser.end()?;
    Ok((statement, parser.parameters))
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<RawStatement, Syntax> {
        let exists = self.at_word(&["EXISTS"])
            && self.peek_at(1) == Some(TokenKind::Sign("("))
            && self.is_word_at(2, &["SELECT"]);
        if self.take_word("SELECT") {
            return Ok(RawStatement::Select(self.select()?));
        }
        if self.at_word(&["INSERT"]) && self.is_word_at(1, &["INTO"]) {
            return self.insert();
        }
        if self.take_word("UPDATE") {
            return self.update();
        }
        if self.take_word("DELETE") {
            return self.delete();
        }
        if self.at_word(&["FROM"])
            && matches!(self.peek_at(1), Some(TokenKind::Quoted | TokenKind::Word))
        {
            self.advance();
            return self.update_from_first();
        }
        if exists {
            self.advance();
            self.advance();
            self.advance();
            let select = self.select()?;
            let closed = self.take_sign(")");
            return closed.then_some(RawStatement::Exists(select)).ok_or(Syntax::Unclosed(')'));
        }
        if self.at_word(&["SET", "REMOVE"]) {
            self.actions()?;
            return Ok(RawStatement::WithoutTable);
        }
        Ok(RawStatement::Expression(self.expression()?))
    }

    /// One semicolon may close a statement.
    fn end(&mut self) -> Result<(), Syntax> {
        let closed = self.take_sign(";");
        match (closed, self.peek()) {
            (_, None) => Ok(()),
            (true, Some(_)) => Err(Syntax::SecondStatement),
            (false, Some(_)) => Err(Syntax::Leftover),
        }
    }

    /// What follows SELECT.
    pub fn select(&mut self) -> Result<RawSelect, Syntax> {
        let (projection, has_alias) = self.select_list()?;
        if !self.take_word("FROM") {
            return Err(if self.peek().is_none() {
                Syntax::UnexpectedTerm
            } else {
                Syntax::Leftover
            });
        }
        if !self.at_name() {
            let is_keyword = self.at_word(&RESERVED);
            return Err(if is_keyword {
                Syntax::UnexpectedKeyword
            } else {
                Syntax::UnexpectedTerm
            });
        }
        let target = self.target()?;
        let condition = self.condition()?;
        let order = self.order()?;
        Ok(RawSelect { projection, has_alias, target, condition, order })
    }

    fn select_list(&mut self) -> Result<(Option<Vec<super::syntax::Expr>>, bool), Syntax> {
        if self.at_word(&["FROM"]) {
            return Err(Syntax::EmptySelectList);
        }
        if self.take_sign("*") {
            return Ok((None, false));
        }
        let mut list = Vec::new();
        let mut has_alias = false;
        loop {
            list.push(self.expression()?);
            has_alias |= self.alias();
            if !self.take_sign(",") {
                return Ok((Some(list), has_alias));
            }
        }
    }

    fn condition(&mut self) -> Result<Option<super::syntax::Expr>, Syntax> {
        self.take_word("WHERE").then(|| self.expression()).transpose()
    }

    fn order(&mut self) -> Result<Vec<(super::syntax::Expr, bool)>, Syntax> {
        let mut terms = Vec::new();
        if !self.take_word("ORDER") {
            return Ok(terms);
        }
        if !self.take_word("BY") {
            return Err(Syntax::UnexpectedTerm);
        }
        loop {
            let term = self.expression()?;
            let descending = self.take_word("DESC");
            if !descending {
                self.take_word("ASC");
            }
            if self.take_word("NULLS") && !self.take_word("FIRST") && !self.take_word("LAST") {
                return Err(Syntax::UnexpectedTerm);
            }
            terms.push((term, descending));
            if !self.take_sign(",") {
                return Ok(terms);
            }
        }
    }

    fn insert(&mut self) -> Result<RawStatement, Syntax> {
        self.advance();
        self.advance();
        let target = self.target()?;
        if target.has_alias || !self.take_word("VALUE") {
            return Err(Syntax::Leftover);
        }
        Ok(RawStatement::Insert(target, self.expression()?))
    }

    fn update(&mut self) -> Result<RawStatement, Syntax> {
        let target = self.target()?;
        let actions = self.actions()?;
        if actions.is_empty() {
            return Err(Syntax::MissingVerb);
        }
        let condition = self.condition()?;
        Ok(RawStatement::Update(target, actions, condition, self.returning()?))
    }

    /// `FROM "T" WHERE … SET …` is an UPDATE too.
    fn update_from_first(&mut self) -> Result<RawStatement, Syntax> {
        let target = self.target()?;
        if self.at_word(&["WHERE"]) && self.is_word_at(1, &["SET", "REMOVE"]) {
            return Err(Syntax::MissingVerb);
        }
        let condition = self.condition()?;
        let actions = self.actions()?;
        if actions.is_empty() {
            return Err(Syntax::MissingVerb);
        }
        Ok(RawStatement::Update(target, actions, condition, self.returning()?))
    }

    fn delete(&mut self) -> Result<RawStatement, Syntax> {
        if !self.take_word("FROM") {
            return Err(Syntax::MissingFrom);
        }
        let target = self.target()?;
        let condition = self.condition()?;
        Ok(RawStatement::Delete(target, condition, self.returning()?))
    }

    /// Any number of SETs, each with a list of assignments, and REMOVEs, each with one path.
    fn actions(&mut self) -> Result<Vec<RawAction>, Syntax> {
        let mut actions = Vec::new();
        loop {
            if self.take_word("REMOVE") {
                actions.push(RawAction::Remove(self.path()?));
            } else if self.take_word("SET") {
                loop {
                    let path = self.path()?;
                    if !self.take_sign("=") {
                        return Err(Syntax::MissingEquals);
                    }
                    actions.push(RawAction::Set(path, self.expression()?));
                    if !self.take_sign(",") {
                        break;
                    }
                }
            } else {
                return Ok(actions);
            }
        }
    }

    fn returning(&mut self) -> Result<Option<RawReturning>, Syntax> {
        if !self.take_word("RETURNING") {
            return Ok(None);
        }
        let modified = self.take_word("MODIFIED");
        if !modified && !self.take_word("ALL") {
            return Err(Syntax::BadReturning);
        }
        let new = self.take_word("NEW");
        if !new && !self.take_word("OLD") {
            return Err(Syntax::BadReturning);
        }
        let clause = RawReturning { modified, new };
        self.take_sign("*").then_some(Some(clause)).ok_or(Syntax::BadReturning)
    }

    /// A table, perhaps with an index. How many names there may be is judged later.
    fn target(&mut self) -> Result<Target, Syntax> {
        let place = self.place();
        let mut names = vec![self.name()?];
        while self.take_sign(".") {
            let name = match self.peek() {
                Some(TokenKind::Quoted) => unquoted(self.advance()),
                Some(TokenKind::Word) => self.advance().to_owned(),
                _ => return Err(Syntax::KeywordInPath),
            };
            names.push(name);
        }
        Ok(Target { names, place, has_alias: self.alias() })
    }

    /// Steps over `AS name` or `name`.
    fn alias(&mut self) -> bool {
        let has_as = self.take_word("AS");
        let is_name = match self.peek() {
            Some(TokenKind::Quoted) => true,
            Some(TokenKind::Word) => !self.at_word(&OPERATORS) && !self.at_word(&RESERVED),
            _ => false,
        };
        if is_name {
            self.advance();
        }
        has_as || is_name
    }
}
