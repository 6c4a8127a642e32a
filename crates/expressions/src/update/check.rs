//! The rules that do not need an item: placeholders, paths, numbers and types of operands.
//!
//! Each rule is applied to the whole expression before the next: names, values, overlaps, the
//! operands of ADD and DELETE, then functions and arithmetic.

use values::AttributeType;
use values::limits::EXPRESSION_OPERATORS_MAX;

use super::tree::{Keyword, RawAction, RawChange, RawValue, Sign, Tree};
use super::{Action, Change, Operand, SetValue, Update};
use crate::error::{ExpressionError, ExpressionKind, OperandProblem, Problem, operand_error};
use crate::function::Function;
use crate::operand::{Atom, Atoms, Operand as RawOperand, OperandId, Operands};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;

const KIND: ExpressionKind = ExpressionKind::Update;

/// Checks an update and replaces its placeholders.
pub(super) fn compile(
    tree: &Tree<'_>,
    placeholders: &mut Placeholders<'_>,
) -> Result<Update, ExpressionError> {
    let actions: Vec<&RawAction<'_>> =
        tree.sections.iter().flat_map(|section| &section.actions).collect();
    let set_values = || actions.iter().filter_map(|action| action.set_value());
    let mut checker = Checker { operands: &tree.operands, atoms: Atoms::default() };
    let mut paths = Vec::with_capacity(actions.len());
    for action in &actions {
        paths.push(placeholders.path(KIND, &action.path)?);
        checker.resolve(action.set_value(), placeholders, (true, false))?;
    }
    let mut values = Vec::with_capacity(actions.len());
    for action in &actions {
        checker.resolve(action.set_value(), placeholders, (false, true))?;
        let value = action.section_value();
        values.push(value.map(|(_, name)| placeholders.value(KIND, name)).transpose()?);
    }
    let targets = PathTree::new(KIND, &paths)?;
    for (action, value) in actions.iter().zip(&values) {
        if let (Some((keyword, _)), Some(value)) = (action.section_value(), value) {
            check_section_type(keyword, value.attribute_type())?;
        }
    }
    set_values().try_for_each(|value| checker.value(value))?;
    check_size(tree, set_values())?;
    let mut compiled = Vec::with_capacity(actions.len());
    for ((action, path), value) in actions.iter().zip(paths).zip(values) {
        let change = match (&action.change, value) {
            (RawChange::Set(value), _) => Change::Set(checker.set_value(value)?),
            (RawChange::Add(_), Some(value)) => Change::Add(value.clone()),
            (RawChange::Delete(_), Some(value)) => Change::Delete(value.clone()),
            (RawChange::Remove, _) => Change::Remove,
            (RawChange::Add(name) | RawChange::Delete(name), None) => {
                let problem = OperandProblem::UndefinedValue((*name).to_owned());
                return Err(operand_error(KIND, problem));
            }
        };
        compiled.push(Action { path, change });
    }
    Ok(Update::new(compiled, targets, false))
}

/// ADD takes numbers and sets, DELETE only sets (rule 41).
fn check_section_type(keyword: Keyword, found: AttributeType) -> Result<(), ExpressionError> {
    let is_number = found == AttributeType::N && keyword == Keyword::Add;
    if is_number || matches!(found, AttributeType::Ss | AttributeType::Ns | AttributeType::Bs) {
        return Ok(());
    }
    let problem = OperandProblem::SectionType(keyword.text(), long_name(found));
    Err(operand_error(KIND, problem))
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
                    // For no known reason (ALT).
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

    /// The right-hand side of a SET that passed all checks.
    fn set_value(&mut self, value: &RawValue) -> Result<SetValue, ExpressionError> {
        let left = self.operand(value.left)?;
        Ok(match value.right {
            None => SetValue::Operand(left),
            Some((Sign::Plus, right)) => SetValue::Sum(left, self.operand(right)?),
            Some((Sign::Minus, right)) => SetValue::Difference(left, self.operand(right)?),
        })
    }

    /// Builds an operand from the inside out.
    fn operand(&mut self, id: OperandId) -> Result<Operand, ExpressionError> {
        let mut built: Vec<Operand> = Vec::new();
        // Cannot be, since counts were checked; but an action must not get lost if it is.
        let incomplete = |name: &str| operand_error(KIND, OperandProblem::Count(name.into(), 0));
        for (inner, operand) in self.operands.within(id) {
            let next = match (operand, self.atoms.take(inner)) {
                (_, Some(Atom::Path(path))) => Operand::Path(path),
                (_, Some(Atom::Value(value))) => Operand::Value(value),
                (RawOperand::Call { name, .. }, None) => {
                    match (Function::named(name), built.pop(), built.pop()) {
                        (Some(Function::IfNotExists), Some(default), Some(Operand::Path(path))) => {
                            Operand::IfNotExists(path, Box::new(default))
                        }
                        (Some(Function::ListAppend), Some(second), Some(first)) => {
                            Operand::ListAppend(Box::new(first), Box::new(second))
                        }
                        _ => return Err(incomplete(name)),
                    }
                }
                (RawOperand::Path(_) | RawOperand::Value(_), None) => return Err(incomplete("")),
            };
            built.push(next);
        }
        built.pop().ok_or_else(|| incomplete(""))
    }
}

/// How the refusals of ADD and DELETE call a type; all other texts use the descriptors (DX).
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
