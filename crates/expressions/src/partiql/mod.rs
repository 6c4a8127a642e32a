//! PartiQL: what a statement means, in the terms of the other languages.
//!
//! A statement is cut into tokens (`token`), read as a whole (`parser`, `expression`, `statement`
//! give what stands in `syntax`), and only then judged: by `lower`, with `literal` for values, `where_clause`
//! for a [`Condition`] and `assignment` for an [`Update`]. So every rule about values, comparisons and updates is
//! the one the expressions have. `keys` says which items a statement is about, once the key is known.
//!
//! The order of refusals is the service's: the text as a whole, the terms in the order written with
//! WHERE first, the number of parameters, the operands.

use values::{AttributeValue, Item};

use crate::condition::Condition;
use crate::error::{ExpressionError, StatementProblem};
use crate::path::Path;
use crate::projection::Projection;
use crate::update::Update;

mod assignment;
mod expression;
mod ion;
mod keys;
mod literal;
mod lower;
mod order;
mod parser;
mod statement;
mod syntax;
mod token;
mod where_clause;

pub use keys::{KeyAttribute, Reads};
pub use order::{Direction, Order};

use literal::Parameters;

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

/// Reads a statement with its parameters.
pub fn parse(text: &str, parameters: &[AttributeValue]) -> Result<Statement, ExpressionError> {
    let (raw, wanted) = statement::parse(text).map_err(StatementProblem::NotWellFormed)?;
    let count = parameters.len();
    let parameters = Parameters(parameters);
    lower::check_terms(&raw, parameters)?;
    if wanted > count {
        return Err(StatementProblem::ParameterCount.into());
    }
    Ok(lower::lower(raw, parameters)?)
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
