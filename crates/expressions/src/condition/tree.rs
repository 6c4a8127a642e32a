//! Reads the text of a condition into a tree.
//!
//! Precedence, tightest first: comparisons, BETWEEN and IN; NOT; AND; OR. What stands open is kept
//! on a stack of its own instead of the program's, so that no text can exhaust the latter.

use values::limits::EXPRESSION_OPERATORS_MAX;

use super::Comparator;
use crate::cursor::Cursor;
use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::function::Gives;
use crate::operand::{OperandId, Operands};
use crate::token::TokenKind;

/// A condition as written. Every node stands behind those it joins.
pub(super) struct Tree<'t> {
    pub operands: Operands<'t>,
    pub nodes: Vec<TreeNode>,
}

pub(super) enum TreeNode {
    Leaf(Leaf),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
}

/// A condition without AND, OR and NOT.
pub(super) enum Leaf {
    Compare(Comparator, OperandId, OperandId),
    Between(OperandId, OperandId, OperandId),
    In(OperandId, Vec<OperandId>),
    Function(OperandId),
}

/// What stands open to the left of the place being read.
enum Frame {
    Parenthesis,
    Not,
    And(usize),
    Or(usize),
}

/// What has just been read; `grouped` says that parentheses enclose exactly this.
enum Read {
    Operand { id: OperandId, grouped: bool },
    Condition { node: usize, grouped: bool },
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    tree: Tree<'t>,
    frames: Vec<Frame>,
}

/// Reads a whole text.
pub(super) fn parse(kind: ExpressionKind, text: &str) -> Result<Tree<'_>, ExpressionError> {
    let tree = Tree { operands: Operands::default(), nodes: Vec::new() };
    let mut parser = Parser { cursor: Cursor::new(kind, text)?, tree, frames: Vec::new() };
    while parser.part()? {}
    Ok(parser.tree)
}

impl Tree<'_> {
    /// Refuses reserved words and misused functions, in the order written.
    pub fn check_words(&self, kind: ExpressionKind) -> Result<(), ExpressionError> {
        let check = |id: &OperandId| self.operands.check_words(kind, *id, Gives::Value);
        self.nodes.iter().try_for_each(|node| match node {
            TreeNode::Leaf(Leaf::Function(id)) => {
                self.operands.check_words(kind, *id, Gives::Truth)
            }
            TreeNode::Leaf(leaf) => leaf.operands().iter().try_for_each(check),
            TreeNode::Not(_) | TreeNode::And(..) | TreeNode::Or(..) => Ok(()),
        })
    }

    /// Refuses too many operators and functions (rule 8).
    pub fn check_size(&self, kind: ExpressionKind) -> Result<(), ExpressionError> {
        let is_operator = |node: &&TreeNode| !matches!(node, TreeNode::Leaf(Leaf::Function(_)));
        let operators = self.nodes.iter().filter(is_operator).count() + self.operands.calls();
        if operators > EXPRESSION_OPERATORS_MAX {
            return Err(ExpressionError::Expression(kind, Problem::TooManyOperators));
        }
        Ok(())
    }
}

impl Leaf {
    /// The operands in the order written.
    pub fn operands(&self) -> Vec<OperandId> {
        match self {
            Leaf::Compare(_, left, right) => vec![*left, *right],
            Leaf::Between(operand, low, high) => vec![*operand, *low, *high],
            Leaf::In(operand, list) => std::iter::once(*operand).chain(list.clone()).collect(),
            Leaf::Function(id) => vec![*id],
        }
    }
}

impl<'t> Parser<'t> {
    /// Reads up to and including the next AND or OR; `false` at the end of the text.
    fn part(&mut self) -> Result<bool, ExpressionError> {
        loop {
            if self.cursor.take(TokenKind::Not) {
                self.frames.push(Frame::Not);
            } else if self.cursor.take(TokenKind::Open) {
                self.frames.push(Frame::Parenthesis);
            } else {
                break;
            }
        }
        let id = self.tree.operands.parse(&mut self.cursor)?;
        let mut read = Read::Operand { id, grouped: false };
        loop {
            read = match (self.cursor.peek(), read) {
                (Some(TokenKind::Close), read) => self.close(read)?,
                (Some(TokenKind::And), read) => {
                    let left = self.condition(read)?;
                    let left = self.reduce(left, |frame| matches!(frame, Frame::And(_)));
                    self.frames.push(Frame::And(left));
                    self.cursor.advance();
                    return Ok(true);
                }
                (Some(TokenKind::Or), read) => {
                    let left = self.condition(read)?;
                    let left =
                        self.reduce(left, |frame| matches!(frame, Frame::And(_) | Frame::Or(_)));
                    self.frames.push(Frame::Or(left));
                    self.cursor.advance();
                    return Ok(true);
                }
                (None, read) => {
                    let node = self.condition(read)?;
                    self.reduce(node, |frame| matches!(frame, Frame::And(_) | Frame::Or(_)));
                    // A parenthesis still open.
                    return if self.frames.is_empty() {
                        Ok(false)
                    } else {
                        Err(self.cursor.syntax_error())
                    };
                }
                (Some(operator), Read::Operand { id, .. }) => {
                    let leaf = self.comparison(operator, id)?;
                    let node = self.push(TreeNode::Leaf(leaf));
                    Read::Condition { node, grouped: false }
                }
                (Some(_), Read::Condition { .. }) => return Err(self.cursor.syntax_error()),
            };
        }
    }

    /// Reads the operator behind an operand, and what follows it.
    fn comparison(
        &mut self,
        operator: TokenKind,
        left: OperandId,
    ) -> Result<Leaf, ExpressionError> {
        let comparator = match operator {
            TokenKind::Equal => Some(Comparator::Equal),
            TokenKind::NotEqual => Some(Comparator::NotEqual),
            TokenKind::Less => Some(Comparator::Less),
            TokenKind::LessOrEqual => Some(Comparator::LessOrEqual),
            TokenKind::Greater => Some(Comparator::Greater),
            TokenKind::GreaterOrEqual => Some(Comparator::GreaterOrEqual),
            _ => None,
        };
        if let Some(comparator) = comparator {
            self.cursor.advance();
            return Ok(Leaf::Compare(comparator, left, self.operand()?));
        }
        if self.cursor.take(TokenKind::Between) {
            let low = self.operand()?;
            self.cursor.expect(TokenKind::And)?;
            return Ok(Leaf::Between(left, low, self.operand()?));
        }
        self.cursor.expect(TokenKind::In)?;
        self.cursor.expect(TokenKind::Open)?;
        let mut list = vec![self.operand()?];
        while self.cursor.take(TokenKind::Comma) {
            list.push(self.operand()?);
        }
        self.cursor.expect(TokenKind::Close)?;
        Ok(Leaf::In(left, list))
    }

    fn operand(&mut self) -> Result<OperandId, ExpressionError> {
        self.tree.operands.parse(&mut self.cursor)
    }

    /// Closes the innermost parenthesis. Around an operand it gives an operand.
    fn close(&mut self, read: Read) -> Result<Read, ExpressionError> {
        if let (Read::Operand { id, grouped }, Some(Frame::Parenthesis)) =
            (&read, self.frames.last())
        {
            let id = *id;
            self.close_parenthesis(*grouped)?;
            return Ok(Read::Operand { id, grouped: true });
        }
        let was_grouped = matches!(read, Read::Condition { grouped: true, .. });
        let first = self.condition(read)?;
        let node = self.reduce(first, |frame| matches!(frame, Frame::And(_) | Frame::Or(_)));
        if self.frames.is_empty() {
            return Err(self.cursor.syntax_error());
        }
        self.close_parenthesis(was_grouped && node == first)?;
        Ok(Read::Condition { node, grouped: true })
    }

    fn close_parenthesis(&mut self, redundant: bool) -> Result<(), ExpressionError> {
        self.cursor.advance();
        self.frames.pop();
        if redundant { Err(self.cursor.error(Problem::RedundantParentheses)) } else { Ok(()) }
    }

    /// What was read, as a condition: of the operands only a function call can be one.
    fn condition(&mut self, read: Read) -> Result<usize, ExpressionError> {
        match read {
            Read::Condition { node, .. } => Ok(node),
            Read::Operand { id, .. } if self.tree.operands.as_call(id).is_some() => {
                Ok(self.push(TreeNode::Leaf(Leaf::Function(id))))
            }
            Read::Operand { .. } => Err(self.cursor.syntax_error()),
        }
    }

    /// Joins a condition with everything to its left that binds it: every NOT, and what `binds`
    /// says.
    fn reduce(&mut self, mut node: usize, binds: impl Fn(&Frame) -> bool) -> usize {
        while let Some(frame) =
            self.frames.pop_if(|frame| matches!(frame, Frame::Not) || binds(frame))
        {
            node = self.push(match frame {
                Frame::And(left) => TreeNode::And(left, node),
                Frame::Or(left) => TreeNode::Or(left, node),
                Frame::Not | Frame::Parenthesis => TreeNode::Not(node),
            });
        }
        node
    }

    fn push(&mut self, node: TreeNode) -> usize {
        self.tree.nodes.push(node);
        self.tree.nodes.len() - 1
    }
}
