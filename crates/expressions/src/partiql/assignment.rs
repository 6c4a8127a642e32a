//! Makes an update of the SET and REMOVE clauses of an UPDATE.

use values::AttributeType;

use super::literal::{self, Parameters};
use super::syntax::{Expr, Kind, RawAction};
use super::where_clause::{checked_path, operand_problem};
use crate::error::{ExpressionError, ExpressionKind, OperandProblem, StatementProblem};
use crate::path::Path;
use crate::path_tree::PathTree;
use crate::update::{Action, Change, Operand, SetValue, Update};

/// Refuses terms that no assignment can hold, in the order written.
pub(super) fn check_terms(
    actions: &[RawAction],
    parameters: Parameters<'_>,
) -> Result<(), StatementProblem> {
    actions.iter().try_for_each(|action| match action {
        RawAction::Set(_, expr) => check_value(expr, parameters, true),
        RawAction::Remove(_) => Ok(()),
    })
}

fn check_value(
    expr: &Expr,
    parameters: Parameters<'_>,
    is_whole: bool,
) -> Result<(), StatementProblem> {
    match &expr.kind {
        Kind::Path(_) => Ok(()),
        Kind::Arithmetic(_, left, right) => {
            check_value(left, parameters, false)?;
            check_value(right, parameters, false)
        }
        Kind::Call(name, arguments) => {
            // SET_ADD and SET_DELETE must be all of the value.
            let known = is_call(name, "list_append") || is_whole && set_call(name).is_some();
            if !known {
                return Err(StatementProblem::UnknownFunction(name.clone(), expr.place));
            }
            arguments.iter().try_for_each(|argument| check_value(argument, parameters, false))
        }
        _ => literal::value(expr, parameters).map(drop),
    }
}

/// Makes the update. The terms have been checked.
pub(super) fn lower(
    actions: &[RawAction],
    parameters: Parameters<'_>,
) -> Result<Update, StatementProblem> {
    let mut lowered = Vec::with_capacity(actions.len());
    for action in actions {
        let (path, change) = match action {
            RawAction::Remove(path) => (path, Change::Remove),
            RawAction::Set(path, expr) => (path, change(path, expr, parameters)?),
        };
        lowered.push(Action { path: checked_path(path)?, change });
    }
    let targets = targets(&lowered)?;
    Ok(Update::new(lowered, targets, false))
}

/// The paths joined. The service names the later of two that overlap first (DX).
fn targets(actions: &[Action]) -> Result<PathTree, StatementProblem> {
    let paths: Vec<Path> = actions.iter().rev().map(|action| action.path.clone()).collect();
    PathTree::new(ExpressionKind::Update, &paths).map_err(|error| match error {
        ExpressionError::Expression(_, problem) => StatementProblem::Expression(problem),
        // No other error can come of joining paths.
        _ => StatementProblem::NotACondition,
    })
}

fn change(
    path: &Path,
    expr: &Expr,
    parameters: Parameters<'_>,
) -> Result<Change, StatementProblem> {
    match &expr.kind {
        Kind::Call(name, arguments) => match set_call(name) {
            Some(name) => set_change(name, path, expr, arguments, parameters),
            None => Ok(Change::Set(SetValue::Operand(list_append(arguments, parameters)?))),
        },
        Kind::Arithmetic(sign, left, right) => {
            let operand = |expr: &Expr| operand(expr, parameters, sign, AttributeType::N);
            let (left, right) = (operand(left)?, operand(right)?);
            match *sign {
                "+" => Ok(Change::Set(SetValue::Sum(left, right))),
                "-" => Ok(Change::Set(SetValue::Difference(left, right))),
                other => Err(StatementProblem::Operator(other)),
            }
        }
        Kind::Path(path) => Ok(Change::Set(SetValue::Operand(Operand::Path(checked_path(path)?)))),
        _ => {
            let value = literal::value(expr, parameters)?;
            Ok(Change::Set(SetValue::Operand(Operand::Value(value))))
        }
    }
}

/// `SET a = set_add(a, <<…>>)`: the first argument is the path assigned to, the second a set.
fn set_change(
    name: &'static str,
    path: &Path,
    call: &Expr,
    arguments: &[Expr],
    parameters: Parameters<'_>,
) -> Result<Change, StatementProblem> {
    let [first, second] = arguments else {
        return Err(StatementProblem::SetCallArguments(name, call.place));
    };
    if !matches!(&first.kind, Kind::Path(first) if first == path) {
        return Err(StatementProblem::SetCallPath(name, call.place));
    }
    let not_a_set = StatementProblem::SetCallValue(name, first.place);
    if !literal::is_value(second) {
        return Err(not_a_set);
    }
    let value = literal::value(second, parameters)?;
    match value.attribute_type() {
        AttributeType::Ss | AttributeType::Ns | AttributeType::Bs if name == SET_ADD => {
            Ok(Change::Add(value))
        }
        AttributeType::Ss | AttributeType::Ns | AttributeType::Bs => Ok(Change::Delete(value)),
        _ => Err(not_a_set),
    }
}

fn list_append(
    arguments: &[Expr],
    parameters: Parameters<'_>,
) -> Result<Operand, StatementProblem> {
    let [first, second] = arguments else {
        let problem = OperandProblem::Count("list_append".to_owned(), arguments.len());
        return Err(operand_problem(problem));
    };
    let operand = |expr: &Expr| operand(expr, parameters, "list_append", AttributeType::L);
    Ok(Operand::ListAppend(Box::new(operand(first)?), Box::new(operand(second)?)))
}

/// A path, or a value of the type that the operator takes.
fn operand(
    expr: &Expr,
    parameters: Parameters<'_>,
    operator: &str,
    wanted: AttributeType,
) -> Result<Operand, StatementProblem> {
    match &expr.kind {
        Kind::Path(path) => Ok(Operand::Path(checked_path(path)?)),
        Kind::Call(name, arguments) if is_call(name, "list_append") => {
            list_append(arguments, parameters)
        }
        Kind::Arithmetic(sign, ..) => Err(StatementProblem::Operator(sign)),
        _ => {
            let value = literal::value(expr, parameters)?;
            let found = value.attribute_type();
            if found != wanted {
                let problem = OperandProblem::Type(operator.to_owned(), found.descriptor());
                return Err(operand_problem(problem));
            }
            Ok(Operand::Value(value))
        }
    }
}

const SET_ADD: &str = "SET_ADD";
const SET_DELETE: &str = "SET_DELETE";

fn set_call(name: &str) -> Option<&'static str> {
    [SET_ADD, SET_DELETE].into_iter().find(|function| is_call(name, function))
}

fn is_call(name: &str, function: &str) -> bool {
    name.eq_ignore_ascii_case(function)
}
