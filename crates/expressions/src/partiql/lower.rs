//! From a statement as written to what it means: first its terms, then its operands.

use super::literal::{self, Parameters};
use super::order::{Order, OrderTerm};
use super::syntax::{Expr, Kind, RawReturning, RawSelect, RawStatement, Target};
use super::{Returning, Select, Statement, Where, assignment, where_clause};
use crate::error::StatementProblem;
use crate::path::Path;
use crate::projection::Projection;

/// The terms of a statement in the order in which the service looks at them.
pub(super) fn check_terms(
    raw: &RawStatement,
    parameters: Parameters<'_>,
) -> Result<(), StatementProblem> {
    let check_where = |condition: &Option<Expr>| match condition {
        Some(expr) => where_clause::check_terms(expr, parameters),
        None => Ok(()),
    };
    match raw {
        RawStatement::Select(select) | RawStatement::Exists(select) => {
            check_table(&select.target, 2)?;
            let mut list = select.projection.iter().flatten();
            if let Some(expr) = list.find(|expr| !matches!(expr.kind, Kind::Path(_))) {
                return Err(StatementProblem::NotAPath(expr.place));
            }
            if select.has_alias {
                return Err(StatementProblem::Alias);
            }
            check_where(&select.condition)
        }
        RawStatement::Insert(target, expr) => {
            if target.names.len() > 1 {
                return Err(StatementProblem::InsertIntoIndex(target.place));
            }
            check_table(target, 1)?;
            literal::item(expr, parameters).map(drop)
        }
        RawStatement::Update(target, actions, condition, _) => {
            check_table(target, 2)?;
            check_where(condition)?;
            assignment::check_terms(actions, parameters)
        }
        RawStatement::Delete(target, condition, _) => {
            check_table(target, 2)?;
            check_where(condition)
        }
        RawStatement::WithoutTable => Err(StatementProblem::NoTable),
        RawStatement::Expression(expr) => Err(match &expr.kind {
            Kind::Missing
            | Kind::Null
            | Kind::Bool(_)
            | Kind::Text(_)
            | Kind::Number(_)
            | Kind::Ion(_)
            | Kind::Parameter(_)
            | Kind::Path(_)
            | Kind::List(_)
            | Kind::Sequence(_)
            | Kind::Map(_)
            | Kind::Bag(_)
            | Kind::Is(..) => StatementProblem::NotAStatement(expr.name()),
            _ => StatementProblem::ExistsOutsideTransaction,
        }),
    }
}

fn check_table(target: &Target, names_max: usize) -> Result<(), StatementProblem> {
    if target.names.len() > names_max {
        return Err(StatementProblem::LongTablePath);
    }
    if target.names.iter().any(String::is_empty) {
        return Err(StatementProblem::EmptyName);
    }
    if target.has_alias { Err(StatementProblem::Alias) } else { Ok(()) }
}

pub(super) fn lower(
    raw: RawStatement,
    parameters: Parameters<'_>,
) -> Result<Statement, StatementProblem> {
    let filter = |condition: Option<Expr>| {
        let condition = condition.map(|expr| where_clause::lower(&expr, parameters));
        Ok(Where(condition.transpose()?))
    };
    Ok(match raw {
        RawStatement::Select(select) => Statement::Select(lower_select(select, parameters)?),
        RawStatement::Exists(select) => Statement::Exists(lower_select(select, parameters)?),
        RawStatement::Insert(target, expr) => Statement::Insert {
            table_name: table_only(target)?,
            item: literal::item(&expr, parameters)?,
        },
        RawStatement::Update(target, actions, condition, returning) => {
            let filter = filter(condition)?;
            let table_name = table_only(target)?;
            let update = assignment::lower(&actions, parameters)?;
            let returning = returning.map(RawReturning::meaning);
            Statement::Update { table_name, update, filter, returning }
        }
        RawStatement::Delete(target, condition, returning) => {
            let filter = filter(condition)?;
            let returning = returning.map(RawReturning::meaning);
            if let Some(clause) = returning.filter(|clause| *clause != Returning::AllOld) {
                return Err(StatementProblem::DeleteReturning(clause.text()));
            }
            Statement::Delete { table_name: table_only(target)?, filter, returning }
        }
        RawStatement::Expression(_) | RawStatement::WithoutTable => {
            return Err(StatementProblem::NoTable);
        }
    })
}

fn lower_select(select: RawSelect, parameters: Parameters<'_>) -> Result<Select, StatementProblem> {
    let condition = select.condition.map(|expr| where_clause::lower(&expr, parameters));
    let filter = Where(condition.transpose()?);
    let mut paths: Vec<Path> = Vec::new();
    for expr in select.projection.iter().flatten() {
        if let Kind::Path(path) = &expr.kind {
            paths.push(where_clause::checked_path(path)?);
        }
    }
    let projection = select.projection.map(|_| Projection::select_list(&paths));
    let order = select.order.into_iter().map(|(expr, descending)| OrderTerm {
        name: match &expr.kind {
            Kind::Path(path) if !path.is_nested() => Ok(path.name.clone()),
            Kind::Path(_) => Err(("PATH".to_owned(), expr.place)),
            Kind::Text(text) => Err((text.clone(), expr.place)),
            _ => Err((expr.name().to_owned(), expr.place)),
        },
        descending,
    });
    let mut names = select.target.names.into_iter();
    Ok(Select {
        table_name: names.next().unwrap_or_default(),
        index_name: names.next(),
        projection,
        filter,
        order: Order(order.collect()),
    })
}

/// The table of a write, which has no index.
fn table_only(target: Target) -> Result<String, StatementProblem> {
    let mut names = target.names.into_iter();
    let table_name = names.next().unwrap_or_default();
    if names.next().is_some() { Err(StatementProblem::WriteToIndex) } else { Ok(table_name) }
}

impl RawReturning {
    fn meaning(self) -> Returning {
        match (self.modified, self.new) {
            (false, false) => Returning::AllOld,
            (true, false) => Returning::ModifiedOld,
            (false, true) => Returning::AllNew,
            (true, true) => Returning::ModifiedNew,
        }
    }
}

impl Returning {
    /// As written, without the star.
    const fn text(self) -> &'static str {
        match self {
            Returning::AllOld => "ALL OLD",
            Returning::ModifiedOld => "MODIFIED OLD",
            Returning::AllNew => "ALL NEW",
            Returning::ModifiedNew => "MODIFIED NEW",
        }
    }
}
