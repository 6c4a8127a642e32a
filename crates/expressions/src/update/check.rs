//! The rules that do not need an item: placeholders, paths, numbers and types of operands.
//!
//! Each rule is applied to the whole expression before the next: names, values, overlaps, the
//! operands of ADD and DELETE, then functions and arithmetic.

use values::AttributeType;
use values::limits::EXPRESSION_OPERATORS_MAX;

use super::tree::{Keyword, RawAction, RawValue, Sign, Tree};
use super::{Action, Change, Operand, SetValue, Update};
use crate::error::{ExpressionError, ExpressionKind, OperandProblem, Problem, operand_error};
use crate::function::Function;
use crate::operand::{Atom, Atoms, OperandId, Operands};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;

const KIND: ExpressionKind = ExpressionKind::Update;

/// Checks an update and replaces its placeholders.
pub(super) fn compile(
    tree: &Tree<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Update, ExpressionError> {
    let actions: Vec<(Keyword, &RawAction<'_>)> = tree
        .sections
        .iter()
        .flat_map(|section| section.actions.iter().map(|action| (section.keyword, action)))
        .collect();
    let operands = || actions.iter().flat_map(|(_, action)| &action.value);
    let mut checker = Checker { operands: &tree.operands, atoms: Atoms::default() };
    let mut paths = Vec::with_capacity(actions.len());
    for (_, action) in &actions {
        paths.push(placeholders.path(KIND, &action.path)?);
        checker.resolve(action.value.as_ref(), placeholders, (true, false))?;
    }
    for value in operands() {
        checker.resolve(Some(value), placeholders, (false, true))?;
    }
    let targets = PathTree::new(KIND, &paths)?;
    for (keyword, action) in &actions {
        checker.section_type(*keyword, action)?;
    }
    operands().try_for_each(|value| checker.value(value))?;
    check_size(tree, operands())?;
    let compiled: Vec<Action> = actions
        .iter()
        .zip(paths)
        .filter_map(|((keyword, action), path)| {
            let change = checker.change(*keyword, action.value.as_ref())?;
            Some(Action { path, change })
        })
        .collect();
    Ok(Update::new(compiled, targets, false))
}

/// Refuses too many operators and functions (rule 8).
fn check_size<'v>(
    tree: &Tree<'_>,
    values: impl Iterator<Item = &'v RawValue>,
) -> Result<(), ExpressionError> {
    let signs = values.filter(|value| value.right.is_some()).count();
    if signs + tree.operands.calls() > EXPRESSION_OPERATORS_MAX {
        return Err(ExpressionError::Expression(KIND, Problem::TooManyOperators));
    }
    Ok(())
}

struct Checker<'c, 't> {
    operands: &'c Operands<'t>,
    atoms: Atoms,
}

impl Checker<'_, '_> {
    fn resolve(
        &mut self,
        value: Option<&RawValue>,
        placeholders: &mut Placeholders<'_>,
        which: (bool, bool),
    ) -> Result<(), ExpressionError> {
        value
            .into_iter()
            .flat_map(RawValue::operands)
            .try_for_each(|id| self.atoms.resolve(KIND, self.operands, placeholders, id, which))
    }

    /// ADD takes numbers and sets, DELETE only sets (rule 41).
    fn section_type(
        &self,
        keyword: Keyword,
        action: &RawAction<'_>,
    ) -> Result<(), ExpressionError> {
        let operand = action.value.as_ref().and_then(|value| self.static_type(value.left));
        let Some(found) = operand else { return Ok(()) };
        let fits = match keyword {
            Keyword::Set | Keyword::Remove => true,
            Keyword::Add => found == AttributeType::N || is_set(found),
            Keyword::Delete => is_set(found),
        };
        if fits {
            return Ok(());
        }
        let problem = OperandProblem::SectionType(keyword.text(), long_name(found));
        Err(operand_error(KIND, problem))
    }

    /// Functions, innermost first, then the arithmetic around them.
    fn value(&self, value: &RawValue) -> Result<(), ExpressionError> {
        for id in value.operands() {
            self.operands.check_counts(KIND, id)?;
            for (inner, _) in self.operands.within(id) {
                if let Some((name, arguments)) = self.operands.as_call(inner) {
                    self.call(name, arguments)?;
                }
            }
        }
        let Some((sign, _)) = value.right else { return Ok(()) };
        value.operands().try_for_each(|id| self.operand_type(sign.symbol(), id, AttributeType::N))
    }

    fn call(&self, name: &str, arguments: &[OperandId]) -> Result<(), ExpressionError> {
        match (Function::named(name), arguments) {
            (Some(Function::IfNotExists), [first, ..]) => {
                if self.atoms.get(*first).and_then(Atom::as_path).is_none() {
                    let problem = OperandProblem::PathRequired(name.to_owned());
                    return Err(operand_error(KIND, problem));
                }
                self.atoms.check_distinct(KIND, name, arguments)
            }
            (Some(Function::ListAppend), arguments) => {
                let nested = |id: &OperandId| {
                    self.operands.as_call(*id).map(|(name, _)| name) == Some("list_append")
                };
                if arguments.iter().any(nested) {
                    // For no known reason [ALT].
                    let problem = Problem::MisplacedFunction(name.to_owned());
                    return Err(ExpressionError::Expression(KIND, problem));
                }
                arguments.iter().try_for_each(|id| self.operand_type(name, *id, AttributeType::L))
            }
            _ => Ok(()),
        }
    }

    fn operand_type(
        &self,
        operator: &str,
        id: OperandId,
        wanted: AttributeType,
    ) -> Result<(), ExpressionError> {
        match self.static_type(id) {
            Some(found) if found != wanted => {
                let problem = OperandProblem::Type(operator.to_owned(), found.descriptor());
                Err(operand_error(KIND, problem))
            }
            _ => Ok(()),
        }
    }

    /// The type of an operand that is a value. That of a function is only known with the item.
    fn static_type(&self, id: OperandId) -> Option<AttributeType> {
        let value = self.atoms.get(id).and_then(Atom::as_value)?;
        Some(value.attribute_type())
    }

    /// The change of an action that passed all checks.
    fn change(&mut self, keyword: Keyword, value: Option<&RawValue>) -> Option<Change> {
        let Some(RawValue { left, right }) = value else { return Some(Change::Remove) };
        let left = self.operand(*left)?;
        match keyword {
            Keyword::Remove => Some(Change::Remove),
            Keyword::Add => left.into_value().map(Change::Add),
            Keyword::Delete => left.into_value().map(Change::Delete),
            Keyword::Set => Some(Change::Set(match right {
                None => SetValue::Operand(left),
                Some((Sign::Plus, right)) => SetValue::Sum(left, self.operand(*right)?),
                Some((Sign::Minus, right)) => SetValue::Difference(left, self.operand(*right)?),
            })),
        }
    }

    /// Builds an operand from the inside out.
    fn operand(&mut self, id: OperandId) -> Option<Operand> {
        let mut built: Vec<Operand> = Vec::new();
        for (inner, operand) in self.operands.within(id) {
            let next = match (self.atoms.take(inner), operand) {
                (Some(Atom::Path(path)), _) => Operand::Path(path),
                (Some(Atom::Value(value)), _) => Operand::Value(value),
                (None, crate::operand::Operand::Call { name, .. }) => {
                    let (second, first) = (Box::new(built.pop()?), built.pop()?);
                    match (Function::named(name)?, first) {
                        (Function::IfNotExists, Operand::Path(path)) => {
                            Operand::IfNotExists(path, second)
                        }
                        (_, first) => Operand::ListAppend(Box::new(first), second),
                    }
                }
                (None, _) => return None,
            };
            built.push(next);
        }
        built.pop()
    }
}

impl Operand {
    fn into_value(self) -> Option<values::AttributeValue> {
        match self {
            Operand::Value(value) => Some(value),
            _ => None,
        }
    }
}

fn is_set(attribute_type: AttributeType) -> bool {
    matches!(attribute_type, AttributeType::Ss | AttributeType::Ns | AttributeType::Bs)
}

/// How the refusals of ADD and DELETE call a type; all other texts use the descriptors [DX].
fn long_name(attribute_type: AttributeType) -> &'static str {
    match attribute_type {
        AttributeType::S => "STRING",
        AttributeType::N => "NUMBER",
        AttributeType::B => "Binary",
        AttributeType::M => "MAP",
        AttributeType::L => "LIST",
        other => other.descriptor(),
    }
}
