//! One write, to run alone or within a transaction or batch.

use values::{AttributeValue, Item};

use crate::backend::{Action, BackendError, Change};
use crate::error::Error;
use crate::retry::attempts;
use crate::store::Store;
use crate::typed::Record;

/// A write that is made ready and checked, and not done yet.
#[must_use = "a write does nothing until it is run"]
#[derive(Clone)]
pub struct Write {
    pub(crate) store: Store,
    pub(crate) action: Action,
}

impl Write {
    /// Does it. Gives the item after an update, and before a deletion.
    ///
    /// An attempt without an answer may have been carried out. A put that is tried again knows its own
    /// item; an update or a deletion then fails by its condition, with the item that was found. Where
    /// that matters, use a transaction: it happens once.
    pub async fn run(self) -> Result<Option<Item>, Error> {
        let Write { store, action } = &self;
        let outcome = attempts(store.settings(), || store.backend().write(action)).await;
        let answer = match outcome.result {
            // The attempt that was not answered had stored it: what is found is what was to be written.
            Err(BackendError::ConditionFailed { found: Some(found) })
                if outcome.uncertain && self.item() == Some(&found) =>
            {
                return Ok(None);
            }
            result => result?,
        };
        let item = store.metered(self.operation(), answer);
        if let (Change::Update { .. }, Some(item), Some(table)) =
            (&action.change, &item, store.prepared(&action.table_name))
        {
            table.check_read(item, true)?;
        }
        Ok(item)
    }

    /// Does it, and gives the item after an update or before a deletion as a type.
    pub async fn run_into<T: Record>(self) -> Result<Option<T>, Error> {
        self.run().await?.map(T::from_item).transpose()
    }

    /// The item to be stored, if it is a put.
    pub fn item(&self) -> Option<&Item> {
        match &self.action.change {
            Change::Put(item) => Some(item),
            _ => None,
        }
    }

    /// Adds to the condition.
    pub(crate) fn also<const N: usize, const V: usize>(
        mut self,
        condition: &str,
        names: [(&str, &str); N],
        values: [(&str, AttributeValue); V],
    ) -> Write {
        self.action.condition = Some(match self.action.condition.take() {
            None => condition.to_owned(),
            Some(before) => format!("({before}) AND ({condition})"),
        });
        let names = names.map(|(alias, name)| (alias.to_owned(), name.to_owned()));
        self.action.names.extend(names);
        self.action.values.extend(values.map(|(alias, value)| (alias.to_owned(), value)));
        self
    }

    fn operation(&self) -> &'static str {
        match self.action.change {
            Change::Put(_) => "PutItem",
            Change::Update { .. } => "UpdateItem",
            Change::Delete { .. } => "DeleteItem",
            Change::Check { .. } => "TransactWriteItems",
        }
    }
}
