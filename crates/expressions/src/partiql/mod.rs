//! PartiQL: what a statement means, in the terms of the other languages.
//!
//! A statement is cut into tokens (`token`), read as a whole (`parser`, `expression`, `statement`
//! give what stands in `syntax`), and only then judged: `literal` makes values, `where_clause` a
//! [`Condition`], `assignment` an [`Update`]. So every rule about values, comparisons and updates is
//! the one the expressions have. `keys` says which items a statement is about, once the key is known.
//!
//! The order of refusals is the service's: the text as a whole, the terms in the order written with
//! WHERE first, the number of parameters, the operands.

use values::{AttributeValue, Item};

use crate::condition::Condition;
use crate::error::{ExpressionError, ExpressionKind, Place, Problem, StatementProblem};
use crate::key_condition::KeyRange;
use crate::path::Path;
use crate::path_tree::PathTree;
use crate::projection::Projection;
use crate::update::Update;

mod assignment;
mod expression;
mod ion;
mod keys;
mod literal;
mod parser;
mod statement;
mod syntax;
mod token;
mod where_clause;

pub use keys::{KeyAttribute, Reads};

use literal::Parameters;
use syntax::{Expr, Kind, RawReturning, RawSelect, RawStatement, Target};

/// A statement, ready to be carried out. Owns everything it needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// SELECT.
    Select(Select),
    /// INSERT.
    Insert {
        /// The table.
        table_name: String,
        /// The item to store, its values not yet checked for size.
        item: Item,
    },
    /// UPDATE.
    Update {
        /// The table.
        table_name: String,
        /// The changes.
        update: Update,
        /// Which item, and what must hold of it.
        filter: Where,
        /// What to give back.
        returning: Option<Returning>,
    },
    /// DELETE.
    Delete {
        /// The table.
        table_name: String,
        /// Which item, and what must hold of it.
        filter: Where,
        /// Whether to give the item back.
        returning: Option<Returning>,
    },
    /// `EXISTS(SELECT …)`: a condition that a transaction checks.
    Exists(Select),
}

/// A SELECT.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The table.
    pub table_name: String,
    /// The index.
    pub index_name: Option<String>,
    /// What to show; all of it if `None`.
    pub projection: Option<Projection>,
    /// Which items.
    pub filter: Where,
    /// In which order.
    pub order: Order,
}

/// What RETURNING asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// `ALL OLD *`
    AllOld,
    /// `MODIFIED OLD *`
    ModifiedOld,
    /// `ALL NEW *`
    AllNew,
    /// `MODIFIED NEW *`
    ModifiedNew,
}

/// A WHERE clause, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Where(Option<Condition>);

/// An ORDER BY clause, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order(Vec<OrderTerm>);

#[derive(Clone, Debug, PartialEq)]
struct OrderTerm {
    /// The attribute, or what is there instead and where.
    name: Result<String, (String, Place)>,
    descending: bool,
}

/// How ranges are read for an ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Hash keys from high to low.
    pub hash_descending: bool,
    /// Sort keys from high to low.
    pub sort_descending: bool,
}

/// Reads a statement with its parameters.
pub fn parse(text: &str, parameters: &[AttributeValue]) -> Result<Statement, ExpressionError> {
    let (raw, wanted) = statement::parse(text).map_err(StatementProblem::NotWellFormed)?;
    let count = parameters.len();
    let parameters = Parameters(parameters);
    check_terms(&raw, parameters)?;
    if wanted > count {
        return Err(StatementProblem::ParameterCount.into());
    }
    Ok(lower(raw, parameters)?)
}

impl Statement {
    /// The table that the statement is about.
    pub fn table_name(&self) -> &str {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.table_name,
            Statement::Insert { table_name, .. }
            | Statement::Update { table_name, .. }
            | Statement::Delete { table_name, .. } => table_name,
        }
    }

    /// Whether the statement only reads.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }

    /// Whether the statement has a RETURNING clause.
    pub fn has_returning(&self) -> bool {
        match self {
            Statement::Update { returning, .. } | Statement::Delete { returning, .. } => {
                returning.is_some()
            }
            _ => false,
        }
    }
}

impl Where {
    /// The condition, if there is one.
    pub fn condition(&self) -> Option<&Condition> {
        self.0.as_ref()
    }

    /// The key of the one item that an UPDATE or DELETE is about.
    pub fn item_key(&self, keys: &[KeyAttribute<'_>]) -> Result<Item, ExpressionError> {
        Ok(keys::item_key(self.0.as_ref(), keys)?)
    }

    /// The key of the one item that a SELECT names, if it says nothing but its key. The types are
    /// not checked.
    pub fn exact_key(&self, keys: &[KeyAttribute<'_>]) -> Option<Item> {
        keys::exact_key(self.0.as_ref(), keys)
    }

    /// Where a SELECT has to look in a table or index with this key.
    pub fn reads(
        &self,
        hash: KeyAttribute<'_>,
        sort: Option<KeyAttribute<'_>>,
    ) -> Result<Reads, ExpressionError> {
        Ok(keys::reads(self.0.as_ref(), hash, sort)?)
    }

    /// Whether the hash key has a value, or several, outside any OR.
    pub fn pins(&self, hash: &str) -> bool {
        keys::pins(self.0.as_ref(), hash)
    }

    /// The condition for a DELETE: what is not there may be deleted (DX).
    pub fn or_missing(&self, hash: &str) -> Option<Condition> {
        let mut nodes = self.0.clone()?.into_nodes();
        let whole = nodes.len().checked_sub(1)?;
        let missing = crate::condition::Test::NotExists(Path::top(hash));
        nodes.push(crate::condition::Node::Test(missing));
        nodes.push(crate::condition::Node::Any(vec![whole, whole + 1]));
        Some(Condition::new(nodes))
    }
}

impl Order {
    /// Whether there is no ORDER BY.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses an ORDER BY of anything but the key; asked before the key's values are looked at.
    pub fn check_terms(
        &self,
        filter: &Where,
        hash: &str,
        sort: Option<&str>,
    ) -> Result<(), ExpressionError> {
        if !self.is_none() && filter.condition().is_none() {
            return Err(StatementProblem::OrderWithoutWhere.into());
        }
        for term in &self.0 {
            match &term.name {
                Err((found, place)) => {
                    return Err(StatementProblem::OrderOperand(found.clone(), *place).into());
                }
                Ok(name) if name != hash && Some(name.as_str()) != sort => {
                    return Err(StatementProblem::OrderAttribute(name.clone()).into());
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// In which direction to read, once it is known where. Without a term for the sort key the
    /// service reads each partition from its end (DX).
    pub fn direction(
        &self,
        reads: &Reads,
        hash: &str,
        sort: Option<&str>,
    ) -> Result<Option<Direction>, ExpressionError> {
        if self.is_none() {
            return Ok(None);
        }
        let term = |name: Option<&str>| {
            self.0.iter().find(|term| term.name.as_ref().ok().map(String::as_str) == name)
        };
        let hash_term = term(Some(hash));
        let ranges: &[KeyRange] = match reads {
            Reads::Ranges { ranges, hash_once: true, .. } => ranges,
            _ => return Err(StatementProblem::OrderWithoutHash.into()),
        };
        if hash_term.is_none() && keys::spans_partitions(ranges) {
            return Err(StatementProblem::OrderOverSeveralHashes.into());
        }
        let sort_term = sort.and_then(|sort| term(Some(sort)));
        Ok(Some(Direction {
            hash_descending: hash_term.is_some_and(|term| term.descending),
            sort_descending: sort_term.is_none_or(|term| term.descending),
        }))
    }
}

/// The terms of a statement in the order in which the service looks at them.
fn check_terms(raw: &RawStatement, parameters: Parameters<'_>) -> Result<(), StatementProblem> {
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

fn lower(raw: RawStatement, parameters: Parameters<'_>) -> Result<Statement, StatementProblem> {
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
        if let Kind::Path(path) = &expr.kind
            && !paths.contains(path)
        {
            paths.push(where_clause::checked_path(path)?);
        }
    }
    let projection = select.projection.map(|_| projection(&paths)).transpose()?;
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

/// Naming an attribute twice does no harm here; paths that overlap otherwise are refused as in a
/// ProjectionExpression.
fn projection(paths: &[Path]) -> Result<Projection, StatementProblem> {
    let tree = PathTree::new(ExpressionKind::Projection, paths).map_err(|error| match error {
        ExpressionError::Expression(_, problem) => StatementProblem::Expression(problem),
        _ => StatementProblem::Expression(Problem::Empty),
    })?;
    Ok(Projection::new(paths, tree))
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
