//! One write of one item, as PutItem, UpdateItem, DeleteItem, BatchWriteItem, TransactWriteItems and
//! PartiQL's statements share it: what is prepared on the caller's thread, and what happens inside the commit.

use std::sync::Arc;

use expressions::{Condition, Update};
use values::{Item, limits, size};

use crate::capacity::Meter;
use crate::catalog::Table;
use crate::commit::{ItemWrite, Transaction, WriteEffect};
use crate::item_checks::{self, Misfit};
use crate::keys::ItemKey;
use crate::shapes::{ConsumedCapacity, ReturnConsumedCapacity};
use crate::stored::NewItem;
use crate::{Database, Error, text};

/// What to do with the item.
pub enum Mutation {
    /// Replace it.
    Put(NewItem),
    /// The same, but only if there is none: PartiQL's INSERT.
    Insert(NewItem),
    /// Change it; the key in case it has to be made first.
    Update(Arc<Update>, Item),
    /// Remove it.
    Delete,
    /// Only look.
    Check,
}

/// A write whose request has been checked as far as it can be without the item.
pub struct PreparedWrite {
    /// The table, as it was when the request was checked.
    pub table: Arc<Table>,
    /// The item's storage key.
    pub key: ItemKey,
    /// What to do.
    pub mutation: Mutation,
    /// What must hold before.
    pub condition: Option<Condition>,
    /// Give the item back if the condition does not hold.
    pub return_item_on_failure: bool,
}

/// What a write found and left.
#[derive(Clone, Debug)]
pub struct Written {
    /// The item before.
    pub old: Option<Item>,
    /// The item after.
    pub new: Option<Arc<Item>>,
    /// Sizes and charges.
    pub effect: WriteEffect,
}

/// Why a write did not happen.
#[derive(Clone, Debug)]
pub enum WriteFailure {
    /// The condition was false.
    Condition(Option<Item>),
    /// An item to insert is there already.
    Duplicate,
    /// The result breaks a rule.
    Misfit(Misfit),
    /// Anything else.
    Other(Error),
}

impl From<Error> for WriteFailure {
    fn from(error: Error) -> Self {
        WriteFailure::Other(error)
    }
}

impl From<WriteFailure> for Error {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Condition(item) => Error::ConditionalCheckFailed { item },
            WriteFailure::Duplicate => Error::DuplicateItem,
            WriteFailure::Misfit(misfit) => misfit.into(),
            WriteFailure::Other(error) => error,
        }
    }
}

impl Written {
    /// What the write consumed, of the table under the name that the request has for it.
    pub fn capacity(
        &self,
        table_name: &str,
        mode: ReturnConsumedCapacity,
    ) -> Option<ConsumedCapacity> {
        if mode == ReturnConsumedCapacity::None {
            return None;
        }
        let mut meter = Meter::default();
        meter.charge_write(&self.effect, false);
        meter.report(table_name, mode, None)
    }
}

impl Database {
    /// Carries out one write on its own.
    pub(crate) async fn write(&self, write: PreparedWrite) -> Result<Written, Error> {
        if self.conflicts().contains(&write.key) {
            return Err(Error::TransactionConflict);
        }
        let removes = matches!(write.mutation, Mutation::Delete);
        let job = move |transaction: &mut Transaction<'_>| {
            write.execute(transaction).map_err(Error::from)
        };
        if removes { self.commit_without_disk_check(job).await } else { self.commit(job).await }
    }
}

impl PreparedWrite {
    /// Reads the item, checks the condition, and stages the change.
    pub fn execute(self, transaction: &mut Transaction<'_>) -> Result<Written, WriteFailure> {
        let table = self.current_table(transaction)?;
        let old = transaction.item(&self.key)?;
        if let Some(condition) = &self.condition {
            let nothing = Item::new();
            let holds = condition.holds(old.as_ref().unwrap_or(&nothing));
            if !holds.map_err(|error| WriteFailure::Other(error.into()))? {
                let item = old.filter(|_| self.return_item_on_failure);
                return Err(WriteFailure::Condition(item));
            }
        }
        let new = match self.mutation {
            Mutation::Check => {
                let size = old.as_ref().map_or(0, size::item_size);
                let effect =
                    WriteEffect { old_size: size, new_size: size, ..WriteEffect::default() };
                return Ok(Written { new: old.clone().map(Arc::new), old, effect });
            }
            Mutation::Delete => None,
            Mutation::Insert(_) if old.is_some() => return Err(WriteFailure::Duplicate),
            Mutation::Put(new) | Mutation::Insert(new) => Some(new),
            Mutation::Update(update, key) => updated_item(&table, &update, &key, old.as_ref())?,
        };
        let effect = transaction.write_item(ItemWrite {
            table: &table,
            key: &self.key,
            old: old.as_ref(),
            new: new.as_ref(),
            by_time_to_live: false,
        })?;
        let new = new.map(|new| new.item);
        if effect.collection_bytes.is_some_and(|bytes| bytes > limits::ITEM_COLLECTION_BYTES_MAX)
            && effect.new_size > effect.old_size
        {
            return Err(WriteFailure::Other(Error::ItemCollectionSizeLimitExceeded));
        }
        Ok(Written { old, new, effect })
    }

    /// The table as it is now. If its indexes changed since the request was checked, the item is
    /// checked against the new ones.
    fn current_table(&self, transaction: &Transaction<'_>) -> Result<Arc<Table>, WriteFailure> {
        let current = transaction.catalog().table_by_number(self.table.number);
        let Some(current) = current else {
            return Err(Error::ResourceNotFound(text::RESOURCE_NOT_FOUND.to_owned()).into());
        };
        if let Mutation::Put(new) | Mutation::Insert(new) = &self.mutation
            && !Arc::ptr_eq(current, &self.table)
        {
            item_checks::item(current, &new.item).map_err(WriteFailure::Misfit)?;
        }
        Ok(Arc::clone(current))
    }
}

/// The item an update makes; `None` if it only removes and there is no item (rule 42).
fn updated_item(
    table: &Table,
    update: &Update,
    key: &Item,
    old: Option<&Item>,
) -> Result<Option<NewItem>, WriteFailure> {
    let applied =
        |base: &Item| update.apply(base).map_err(|error| WriteFailure::Other(error.into()));
    if old.is_none() && update.only_removes() {
        return Ok(None);
    }
    let base = old.unwrap_or(key);
    let new = applied(base)?;
    let size = size::item_size(&new);
    if size > limits::ITEM_SIZE_BYTES_MAX {
        let message = item_checks::UPDATE_TOO_LARGE.to_owned();
        return Err(WriteFailure::Misfit(Misfit::Schema(message)));
    }
    // Its values were checked before: only all of it together can be too deep.
    if values::validate::item(&new).is_err() {
        let message = item_checks::UPDATE_TOO_DEEP.to_owned();
        return Err(WriteFailure::Misfit(Misfit::Schema(message)));
    }
    item_checks::index_keys(table, Some(base), &new).map_err(WriteFailure::Misfit)?;
    Ok(Some(NewItem::of_size(Arc::new(new), size)))
}
