//! The rules that do not need an item: placeholders, numbers and types of operands.
//!
//! The tests of a condition are checked in the order written; for each, first that its
//! placeholders are defined, then the number of operands, then that the operands differ, then
//! their types. The first fault is the one reported.

use values::AttributeType;
use values::limits::IN_OPERANDS_MAX;

use super::rules::{self, has_size, is_orderable, is_string_or_binary};
use super::tree::{Leaf, Tree, TreeNode};
use super::{Comparator, Node, Term, Test};
use crate::error::{ExpressionError, ExpressionKind, OperandProblem, operand_error};
use crate::function::{Function, Gives};
use crate::operand::{Atom, Atoms, OperandId, Operands};
use crate::path::Path;
use crate::placeholders::Placeholders;

/// Checks a condition and replaces its placeholders.
pub(super) fn compile(
    kind: ExpressionKind,
    tree: Tree<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Vec<Node>, ExpressionError> {
    let mut nodes = Vec::with_capacity(tree.nodes.len());
    let mut checker =
        Checker { kind, operands: &tree.operands, placeholders, atoms: Atoms::default() };
    for node in &tree.nodes {
        nodes.push(match node {
            TreeNode::Leaf(leaf) => Node::Test(checker.test(leaf)?),
            TreeNode::Not(node) => Node::Not(*node),
            TreeNode::And(left, right) => Node::All(vec![*left, *right]),
            TreeNode::Or(left, right) => Node::Any(vec![*left, *right]),
        });
    }
    tree.check_size(kind)?;
    Ok(nodes)
}

struct Checker<'c, 't, 'a> {
    kind: ExpressionKind,
    operands: &'c Operands<'t>,
    placeholders: &'c mut Placeholders<'a>,
    atoms: Atoms,
}

impl Checker<'_, '_, '_> {
    fn test(&mut self, leaf: &Leaf) -> Result<Test, ExpressionError> {
        let operands = leaf.operands();
        for id in &operands {
            let (kind, both) = (self.kind, (true, true));
            self.atoms.resolve(kind, self.operands, self.placeholders, *id, both)?;
        }
        operands.iter().try_for_each(|id| self.operands.check_counts(self.kind, *id))?;
        match leaf {
            Leaf::Compare(comparator, left, right) => {
                self.distinct(comparator.symbol(), &operands)?;
                let (left, right) = (self.term(*left)?, self.term(*right)?);
                if !matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
                    self.types(comparator.symbol(), &[&left, &right], is_orderable)?;
                }
                Ok(Test::Compare(*comparator, left, right))
            }
            Leaf::Between(operand, low, high) => {
                self.distinct("BETWEEN", &operands)?;
                let term = self.term(*operand)?;
                let (low, high) = (self.term(*low)?, self.term(*high)?);
                self.types("BETWEEN", &[&term, &low, &high], is_orderable)?;
                self.bounds(&low, &high)?;
                Ok(Test::Between(term, low, high))
            }
            Leaf::In(operand, list) => {
                if list.len() > IN_OPERANDS_MAX {
                    return Err(self.error(OperandProblem::TooMany(list.len())));
                }
                self.distinct("IN", &operands)?;
                let term = self.term(*operand)?;
                let list = list.iter().map(|id| self.term(*id)).collect::<Result<_, _>>()?;
                Ok(Test::In(term, list))
            }
            Leaf::Function(id) => self.function(*id),
        }
    }

    fn function(&mut self, id: OperandId) -> Result<Test, ExpressionError> {
        let (name, arguments) = self.operands.as_call(id).unwrap_or_default();
        let function = Function::find(self.kind, name, Gives::Truth)?;
        self.distinct(name, arguments)?;
        match (function, arguments) {
            (Function::AttributeExists, [path]) => Ok(Test::Exists(self.path(name, *path)?)),
            (Function::AttributeNotExists, [path]) => Ok(Test::NotExists(self.path(name, *path)?)),
            (Function::AttributeType, [operand, type_name]) => {
                // The documentation wants a path as the first operand; any will do (ALT).
                let (term, type_name) = (self.term(*operand)?, self.term(*type_name)?);
                Ok(Test::HasType(term, self.type_named(&type_name)?))
            }
            (Function::BeginsWith, [operand, prefix]) => {
                let (term, prefix) = (self.term(*operand)?, self.term(*prefix)?);
                self.types(name, &[&term, &prefix], is_string_or_binary)?;
                Ok(Test::BeginsWith(term, prefix))
            }
            (Function::Contains, [operand, part]) => {
                Ok(Test::Contains(self.term(*operand)?, self.term(*part)?))
            }
            (_, arguments) => {
                Err(self.error(OperandProblem::Count(name.to_owned(), arguments.len())))
            }
        }
    }

    /// The operand as a term, its own calls checked first. Inside a test only `size` gives a value,
    /// and what it gives has no size, so that calls nest at most once.
    fn term(&mut self, id: OperandId) -> Result<Term, ExpressionError> {
        match self.atoms.take(id) {
            Some(Atom::Path(path)) => return Ok(Term::Path(path)),
            Some(Atom::Value(value)) => return Ok(Term::Value(value)),
            None => {}
        }
        let mut sized = None;
        for (inner, _) in self.operands.within(id) {
            let term = match self.atoms.take(inner) {
                Some(Atom::Path(path)) => Term::Path(path),
                Some(Atom::Value(value)) => Term::Value(value),
                None => match sized.take() {
                    Some(term) => {
                        self.types("size", &[&term], has_size)?;
                        Term::Size(Box::new(term))
                    }
                    None => continue,
                },
            };
            sized = Some(term);
        }
        sized.ok_or_else(|| self.error(OperandProblem::Count("size".to_owned(), 0)))
    }

    fn path(&mut self, function: &str, id: OperandId) -> Result<Path, ExpressionError> {
        match self.atoms.take(id) {
            Some(Atom::Path(path)) => Ok(path),
            _ => Err(self.error(OperandProblem::PathRequired(function.to_owned()))),
        }
    }

    /// The second operand of `attribute_type` (rule 21).
    fn type_named(&self, term: &Term) -> Result<AttributeType, ExpressionError> {
        /// The service lists the types in its own order.
        const ANY: &str = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
        rules::type_named(term, ANY).map_err(|problem| self.error(problem))
    }

    fn types(
        &self,
        operator: &str,
        terms: &[&Term],
        fits: fn(AttributeType) -> bool,
    ) -> Result<(), ExpressionError> {
        rules::check_types(operator, terms, fits).map_err(|problem| self.error(problem))
    }

    fn bounds(&self, low: &Term, high: &Term) -> Result<(), ExpressionError> {
        rules::check_bounds(low, high).map_err(|problem| self.error(problem))
    }

    fn distinct(&self, operator: &str, operands: &[OperandId]) -> Result<(), ExpressionError> {
        self.atoms.check_distinct(self.kind, operator, operands)
    }

    fn error(&self, problem: OperandProblem) -> ExpressionError {
        operand_error(self.kind, problem)
    }
}
