//! INSERT, UPDATE, DELETE and EXISTS as writes like any other.

use std::sync::Arc;

use expressions::partiql::{Returning, Statement};
use expressions::{Condition, ExpressionError, StatementProblem, Update};
use values::{Item, validate};

use super::key_types;
use crate::catalog::Table;
use crate::item_checks::{self, Misfit};
use crate::stored::NewItem;
use crate::write::{Mutation, PreparedWrite, Written};
use crate::{Error, text};

/// A write, and what to give back of it.
pub struct StatementWrite {
    /// The write.
    pub write: PreparedWrite,
    /// What RETURNING asks for.
    pub returned: Returned,
}

/// What RETURNING asks for.
pub enum Returned {
    /// Nothing.
    Nothing,
    /// The item before.
    Old,
    /// The item after.
    New,
    /// What stood at the paths that an update writes.
    ModifiedOld(Arc<Update>),
    /// What stands there now.
    ModifiedNew(Arc<Update>),
}

impl Returned {
    /// The item to show; none rather than an empty one.
    pub fn of(&self, written: &Written) -> Option<Item> {
        let item = match self {
            Returned::Nothing => None,
            Returned::Old => written.old.clone(),
            Returned::New => written.new.as_deref().cloned(),
            Returned::ModifiedOld(update) => {
                written.old.as_ref().map(|old| update.touched_old(old))
            }
            Returned::ModifiedNew(update) => {
                written.new.as_ref().map(|new| update.touched_new(new))
            }
        };
        item.filter(|item| !item.is_empty())
    }
}

/// Why a statement is not a write that could be tried.
#[derive(Debug)]
pub enum Unfit {
    /// A key value of a type that no key has.
    NotAKey(Error),
    /// A key value of another type than the key's.
    KeyType(Error),
    /// A key, or an item, that is not the table's.
    Misfit(Misfit),
    /// Anything else.
    Other(Error),
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::NotAKey(error) | Unfit::KeyType(error) | Unfit::Other(error) => error,
            Unfit::Misfit(misfit) => misfit.into(),
        }
    }
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Unfit::Other(error)
    }
}

impl From<Misfit> for Unfit {
    fn from(misfit: Misfit) -> Self {
        Unfit::Misfit(misfit)
    }
}

impl From<ExpressionError> for Unfit {
    fn from(error: ExpressionError) -> Self {
        match error {
            ExpressionError::Statement(StatementProblem::KeyNotScalar(..)) => {
                Unfit::NotAKey(error.into())
            }
            ExpressionError::Statement(StatementProblem::KeyType(_)) => {
                Unfit::KeyType(error.into())
            }
            other => Unfit::Other(other.into()),
        }
    }
}

/// Checks a write as far as the item itself is not needed.
pub fn prepare(
    table: &Arc<Table>,
    statement: Statement,
    return_item_on_failure: bool,
) -> Result<StatementWrite, Unfit> {
    let keys = key_types(&table.keys);
    let hash = table.hash_attribute().name.as_str();
    let (key, mutation, condition, returned) = match statement {
        Statement::Insert { item, .. } => {
            validate::item(&item).map_err(Error::from)?;
            let key = item_checks::item(table, &item)?;
            let size = item_checks::size_to_put(&item)?;
            let new = NewItem::of_size(Arc::new(item), size);
            (key, Mutation::Insert(new), None, Returned::Nothing)
        }
        Statement::Update { update, filter, returning, .. } => {
            let key = filter.item_key(&keys)?;
            let item_key = item_checks::key(table, &key)?;
            if let Some(name) = update.attribute_names().find(|name| table.keys.contains(name)) {
                return Err(Misfit::Schema(text::key_update(name)).into());
            }
            item_checks::no_path_into_keys(table, update.nested_attribute_names())?;
            let update = Arc::new(update);
            let returned = match returning {
                None => Returned::Nothing,
                Some(Returning::AllOld) => Returned::Old,
                Some(Returning::AllNew) => Returned::New,
                Some(Returning::ModifiedOld) => Returned::ModifiedOld(Arc::clone(&update)),
                Some(Returning::ModifiedNew) => Returned::ModifiedNew(Arc::clone(&update)),
            };
            // The condition has the key in it, so it fails where there is no item: an UPDATE
            // creates none (DX).
            let condition = filter.condition().cloned();
            (item_key, Mutation::Update(update, key), condition, returned)
        }
        Statement::Delete { filter, returning, .. } => {
            let key = item_checks::key(table, &filter.item_key(&keys)?)?;
            let returned = if returning.is_some() { Returned::Old } else { Returned::Nothing };
            (key, Mutation::Delete, filter.or_missing(hash), returned)
        }
        Statement::Exists(select) => {
            let refused = || Unfit::Other(Error::Validation(text::EXISTS_OF_KEY_ONLY.to_owned()));
            let key = select.filter.item_key(&keys).map_err(|error| match Unfit::from(error) {
                Unfit::Other(_) => refused(),
                unfit => unfit,
            })?;
            if select.filter.exact_key(&keys).is_some() {
                return Err(refused());
            }
            let key = item_checks::key(table, &key)?;
            (key, Mutation::Check, select.filter.condition().cloned(), Returned::Nothing)
        }
        Statement::Select(select) => {
            let key = item_checks::key(table, &select.filter.item_key(&keys)?)?;
            (key, Mutation::Check, select.filter.condition().cloned(), Returned::Nothing)
        }
    };
    let nested = condition.iter().flat_map(Condition::nested_attribute_names);
    item_checks::no_path_into_keys(table, nested)?;
    let table = Arc::clone(table);
    let write = PreparedWrite { table, key, mutation, condition, return_item_on_failure };
    Ok(StatementWrite { write, returned })
}

/// Outside a transaction an INSERT with a key of the wrong type is refused in PartiQL's words, not in
/// PutItem's (DX).
pub fn refuse_foreign_key_types(table: &Table, statement: &Statement) -> Result<(), Error> {
    let Statement::Insert { item, .. } = statement else { return Ok(()) };
    for (name, attribute_type) in key_types(&table.keys) {
        if item.get(name).is_some_and(|value| value.attribute_type() != attribute_type) {
            let problem = StatementProblem::KeyType(name.to_owned());
            return Err(ExpressionError::from(problem).into());
        }
    }
    Ok(())
}
