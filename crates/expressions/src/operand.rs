//! Operands: document paths, values and function calls. Conditions and updates share them.

use values::AttributeValue;

use crate::cursor::Cursor;
use crate::error::{ExpressionError, ExpressionKind, OperandProblem, Problem, operand_error};
use crate::function::{Function, Gives};
use crate::path::{Path, RawPath};
use crate::placeholders::Placeholders;
use crate::token::TokenKind;

/// An operand as written.
#[derive(Debug)]
pub(crate) enum Operand<'t> {
    Path(RawPath<'t>),
    Value(&'t str),
    Call { name: &'t str, arguments: Vec<OperandId> },
}

/// Which operand of [`Operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperandId(usize);

/// All operands of one expression, each behind its own arguments. Kept in one list instead of
/// boxes, so that no depth of nesting can exhaust the stack.
#[derive(Debug, Default)]
pub(crate) struct Operands<'t> {
    operands: Vec<Operand<'t>>,
    /// Where the arguments of an operand, and theirs, begin.
    starts: Vec<usize>,
    calls: usize,
}

/// What stands open around the operand being read.
enum Frame<'t> {
    Group,
    Call { name: &'t str, start: usize, arguments: Vec<OperandId> },
}

impl<'t> Operands<'t> {
    /// How many function calls there are.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// One operand.
    pub fn get(&self, id: OperandId) -> Option<&Operand<'t>> {
        self.operands.get(id.0)
    }

    /// The name and the arguments of an operand that is a function call.
    pub fn as_call(&self, id: OperandId) -> Option<(&'t str, &[OperandId])> {
        match self.get(id) {
            Some(Operand::Call { name, arguments }) => Some((name, arguments)),
            _ => None,
        }
    }

    /// The operand with its arguments and theirs, innermost first.
    pub fn within(&self, id: OperandId) -> impl Iterator<Item = (OperandId, &Operand<'t>)> {
        let start = self.starts.get(id.0).copied().unwrap_or(id.0);
        let within = self.operands.get(start..=id.0).unwrap_or_default();
        within.iter().zip(start..).map(|(operand, index)| (OperandId(index), operand))
    }

    /// Reads one operand: a path, a value, a call, or one of these in parentheses.
    pub fn parse(&mut self, cursor: &mut Cursor<'t>) -> Result<OperandId, ExpressionError> {
        let mut frames = Vec::new();
        loop {
            if cursor.take(TokenKind::Open) {
                frames.push(Frame::Group);
                continue;
            }
            if cursor.at_call() {
                let name = cursor.advance();
                cursor.advance();
                let start = self.operands.len();
                frames.push(Frame::Call { name, start, arguments: Vec::new() });
                continue;
            }
            let operand = match cursor.peek() {
                Some(TokenKind::Value) => Operand::Value(cursor.advance()),
                _ => Operand::Path(cursor.path()?),
            };
            let start = self.operands.len();
            let id = self.push(operand, start);
            if let Some(done) = self.close(cursor, &mut frames, id)? {
                return Ok(done);
            }
        }
    }

    /// Closes every frame that ends behind the operand just read. Gives the outermost operand, or
    /// `None` if a call wants another argument.
    fn close(
        &mut self,
        cursor: &mut Cursor<'t>,
        frames: &mut Vec<Frame<'t>>,
        mut id: OperandId,
    ) -> Result<Option<OperandId>, ExpressionError> {
        let mut grouped = false;
        loop {
            match frames.pop() {
                None => return Ok(Some(id)),
                Some(Frame::Group) => {
                    cursor.expect(TokenKind::Close)?;
                    if grouped {
                        return Err(cursor.error(Problem::RedundantParentheses));
                    }
                    grouped = true;
                }
                Some(Frame::Call { name, start, mut arguments }) => {
                    arguments.push(id);
                    if cursor.take(TokenKind::Comma) {
                        frames.push(Frame::Call { name, start, arguments });
                        return Ok(None);
                    }
                    cursor.expect(TokenKind::Close)?;
                    self.calls += 1;
                    id = self.push(Operand::Call { name, arguments }, start);
                    grouped = false;
                }
            }
        }
    }

    fn push(&mut self, operand: Operand<'t>, start: usize) -> OperandId {
        self.operands.push(operand);
        self.starts.push(start);
        OperandId(self.operands.len() - 1)
    }

    /// Refuses reserved words and functions that do not exist or may not stand where they do, in
    /// the order written. `place` is what the operand itself must give.
    pub fn check_words(
        &self,
        kind: ExpressionKind,
        id: OperandId,
        place: Gives,
    ) -> Result<(), ExpressionError> {
        let mut pending = vec![(id, place)];
        while let Some((id, place)) = pending.pop() {
            match self.get(id) {
                Some(Operand::Path(path)) => path.check_words(kind)?,
                Some(Operand::Call { name, arguments }) => {
                    Function::find(kind, name, place)?;
                    pending.extend(arguments.iter().rev().map(|id| (*id, Gives::Value)));
                }
                Some(Operand::Value(_)) | None => {}
            }
        }
        Ok(())
    }

    /// Refuses calls with the wrong number of arguments.
    pub fn check_counts(&self, kind: ExpressionKind, id: OperandId) -> Result<(), ExpressionError> {
        let wrong = self.within(id).find_map(|(_, operand)| match operand {
            Operand::Call { name, arguments } => Function::named(name)
                .filter(|function| function.operand_count() != arguments.len())
                .map(|_| OperandProblem::Count((*name).to_owned(), arguments.len())),
            _ => None,
        });
        wrong.map_or(Ok(()), |problem| Err(operand_error(kind, problem)))
    }
}

/// A path or a value with its placeholders replaced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    Path(Path),
    Value(AttributeValue),
}

impl Atom {
    /// The path, if it is one.
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            Atom::Path(path) => Some(path),
            Atom::Value(_) => None,
        }
    }

    /// The value, if it is one.
    pub fn as_value(&self) -> Option<&AttributeValue> {
        match self {
            Atom::Path(_) => None,
            Atom::Value(value) => Some(value),
        }
    }
}

/// The paths and values among [`Operands`] with their placeholders replaced.
#[derive(Debug, Default)]
pub(crate) struct Atoms(Vec<Option<Atom>>);

impl Atoms {
    /// Replaces the placeholders of the operand's paths (`paths`) and values (`values`), in the
    /// order written.
    pub fn resolve(
        &mut self,
        kind: ExpressionKind,
        operands: &Operands<'_>,
        placeholders: &mut Placeholders<'_>,
        id: OperandId,
        (paths, values): (bool, bool),
    ) -> Result<(), ExpressionError> {
        self.0.resize(self.0.len().max(id.0 + 1), None);
        for (id, operand) in operands.within(id) {
            let atom = match operand {
                Operand::Path(path) if paths => Atom::Path(placeholders.path(kind, path)?),
                Operand::Value(name) if values => {
                    Atom::Value(placeholders.value(kind, name)?.clone())
                }
                _ => continue,
            };
            if let Some(slot) = self.0.get_mut(id.0) {
                *slot = Some(atom);
            }
        }
        Ok(())
    }

    /// One path or value; `None` for a call.
    pub fn get(&self, id: OperandId) -> Option<&Atom> {
        self.0.get(id.0).and_then(Option::as_ref)
    }

    /// Takes one path or value out.
    pub fn take(&mut self, id: OperandId) -> Option<Atom> {
        self.0.get_mut(id.0).and_then(Option::take)
    }

    /// Refuses an operator or function whose first operand, a path, comes again (rule 8).
    pub fn check_distinct(
        &self,
        kind: ExpressionKind,
        operator: &str,
        operands: &[OperandId],
    ) -> Result<(), ExpressionError> {
        let path = |id: &OperandId| self.get(*id).and_then(Atom::as_path);
        let Some((first, others)) = operands.split_first() else { return Ok(()) };
        match path(first) {
            Some(first) if others.iter().any(|other| path(other) == Some(first)) => {
                let problem = OperandProblem::NotDistinct(operator.to_owned(), first.to_string());
                Err(operand_error(kind, problem))
            }
            _ => Ok(()),
        }
    }
}
