//! Reads the text of an update into its sections and actions.

use crate::cursor::Cursor;
use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::function::Gives;
use crate::operand::{OperandId, Operands};
use crate::path::RawPath;
use crate::token::TokenKind;

const KIND: ExpressionKind = ExpressionKind::Update;

/// An update as written.
pub(super) struct Tree<'t> {
    pub operands: Operands<'t>,
    pub sections: Vec<Section<'t>>,
}

/// A keyword and what follows it.
pub(super) struct Section<'t> {
    pub keyword: Keyword,
    pub actions: Vec<RawAction<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Set,
    Remove,
    Add,
    Delete,
}

/// One action as written.
pub(super) struct RawAction<'t> {
    pub path: RawPath<'t>,
    pub change: RawChange<'t>,
}

/// What an action does, as written. ADD and DELETE take a `:value` and nothing else.
pub(super) enum RawChange<'t> {
    Set(RawValue),
    Remove,
    Add(&'t str),
    Delete(&'t str),
}

/// The right-hand side of a SET: one operand, or two with a sign between them.
pub(super) struct RawValue {
    pub left: OperandId,
    pub right: Option<(Sign, OperandId)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

impl Keyword {
    pub fn text(self) -> &'static str {
        match self {
            Keyword::Set => "SET",
            Keyword::Remove => "REMOVE",
            Keyword::Add => "ADD",
            Keyword::Delete => "DELETE",
        }
    }
}

impl Sign {
    pub fn symbol(self) -> &'static str {
        match self {
            Sign::Plus => "+",
            Sign::Minus => "-",
        }
    }
}

impl<'t> RawAction<'t> {
    /// The right-hand side of a SET.
    pub fn set_value(&self) -> Option<&RawValue> {
        match &self.change {
            RawChange::Set(value) => Some(value),
            RawChange::Remove | RawChange::Add(_) | RawChange::Delete(_) => None,
        }
    }

    /// The `:value` of an ADD or DELETE.
    pub fn section_value(&self) -> Option<(Keyword, &'t str)> {
        match self.change {
            RawChange::Add(name) => Some((Keyword::Add, name)),
            RawChange::Delete(name) => Some((Keyword::Delete, name)),
            RawChange::Set(_) | RawChange::Remove => None,
        }
    }
}

impl RawValue {
    /// The operands in the order written.
    pub fn operands(&self) -> impl Iterator<Item = OperandId> {
        std::iter::once(self.left).chain(self.right.map(|(_, id)| id))
    }
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Tree<'_>, ExpressionError> {
    let mut cursor = Cursor::new(KIND, text)?;
    let mut tree = Tree { operands: Operands::default(), sections: Vec::new() };
    loop {
        let keyword = match cursor.peek() {
            Some(TokenKind::Set) => Keyword::Set,
            Some(TokenKind::Remove) => Keyword::Remove,
            Some(TokenKind::Add) => Keyword::Add,
            Some(TokenKind::Delete) => Keyword::Delete,
            None if !tree.sections.is_empty() => return Ok(tree),
            _ => return Err(cursor.syntax_error()),
        };
        cursor.advance();
        let mut actions = vec![action(keyword, &mut cursor, &mut tree.operands)?];
        while cursor.take(TokenKind::Comma) {
            actions.push(action(keyword, &mut cursor, &mut tree.operands)?);
        }
        tree.sections.push(Section { keyword, actions });
    }
}

fn action<'t>(
    keyword: Keyword,
    cursor: &mut Cursor<'t>,
    operands: &mut Operands<'t>,
) -> Result<RawAction<'t>, ExpressionError> {
    let path = cursor.path()?;
    let change = match keyword {
        Keyword::Set => {
            cursor.expect(TokenKind::Equal)?;
            RawChange::Set(set_value(cursor, operands)?)
        }
        Keyword::Remove => RawChange::Remove,
        Keyword::Add => RawChange::Add(cursor.expect(TokenKind::Value)?),
        Keyword::Delete => RawChange::Delete(cursor.expect(TokenKind::Value)?),
    };
    Ok(RawAction { path, change })
}

/// One operand, or a sum or difference of two (rule 38). Parentheses may enclose an operand or the
/// whole, each once.
fn set_value<'t>(
    cursor: &mut Cursor<'t>,
    operands: &mut Operands<'t>,
) -> Result<RawValue, ExpressionError> {
    let mut open = 0_usize;
    while cursor.take(TokenKind::Open) {
        open += 1;
    }
    let mut value = RawValue { left: operands.parse(cursor)?, right: None };
    let mut grouped = false;
    loop {
        let sign = match cursor.peek() {
            Some(TokenKind::Close) if open > 0 => {
                cursor.advance();
                if grouped {
                    return Err(cursor.error(Problem::RedundantParentheses));
                }
                (open, grouped) = (open - 1, true);
                continue;
            }
            Some(TokenKind::Plus) if value.right.is_none() => Sign::Plus,
            Some(TokenKind::Minus) if value.right.is_none() => Sign::Minus,
            _ if open > 0 => return Err(cursor.syntax_error()),
            _ => return Ok(value),
        };
        cursor.advance();
        value.right = Some((sign, operands.parse(cursor)?));
        grouped = false;
    }
}

impl Tree<'_> {
    /// Refuses reserved words and misused functions, then sections written twice; section by
    /// section, in the order of their first appearance.
    pub fn check_words(&self) -> Result<(), ExpressionError> {
        for (position, first) in self.sections.iter().enumerate() {
            let same = || self.sections.iter().filter(|other| other.keyword == first.keyword);
            let is_first =
                !self.sections.iter().take(position).any(|other| other.keyword == first.keyword);
            if is_first {
                same().try_for_each(|section| self.check_section_words(section))?;
                if same().count() > 1 {
                    let problem = Problem::RepeatedSection(first.keyword.text());
                    return Err(ExpressionError::Expression(KIND, problem));
                }
            }
        }
        Ok(())
    }

    fn check_section_words(&self, section: &Section<'_>) -> Result<(), ExpressionError> {
        for action in &section.actions {
            action.path.check_words(KIND)?;
            for id in action.set_value().into_iter().flat_map(RawValue::operands) {
                self.operands.check_words(KIND, id, Gives::Value)?;
            }
        }
        Ok(())
    }
}
