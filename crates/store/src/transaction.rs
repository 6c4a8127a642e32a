//! Several writes or reads at one moment, all or none.

use std::borrow::BorrowMut;
use std::ops::Range;

use database::clock::uuid_text;
use values::Item;
use values::limits::TRANSACTION_ACTIONS_MAX;
use values::size::{item_size, value_size};

use crate::backend::{Action, BackendError, Change, Read};
use crate::error::Error;
use crate::retry::{Attempts, attempts};
use crate::store::Store;
use crate::table::Key;
use crate::typed::Record;
use crate::write::Write;

/// Writes and checks that happen together or not at all.
#[must_use = "a transaction does nothing until it is committed"]
#[derive(Clone, Default)]
pub struct Transaction {
    actions: Vec<Action>,
}

impl Transaction {
    /// An empty one.
    pub fn new() -> Transaction {
        Transaction::default()
    }

    /// Adds a write. Its place, from 0, is what errors name.
    pub fn with(mut self, write: Write) -> Transaction {
        self.actions.push(write.action);
        self
    }

    /// Puts other writes in the place of some.
    pub fn replace(&mut self, places: Range<usize>, writes: Vec<Write>) {
        self.actions.splice(places, writes.into_iter().map(|write| write.action));
    }

    /// Its payload in bytes, which has a limit: items or keys, expressions and their values.
    pub fn weight(&self) -> usize {
        let weight = |action: &Action| {
            let changed = match &action.change {
                Change::Put(item) => item_size(item),
                Change::Update { key, expression } => item_size(key) + expression.len(),
                Change::Delete { key } | Change::Check { key } => item_size(key),
            };
            let values: usize = action.values.values().map(value_size).sum();
            changed + values + action.condition.as_deref().map_or(0, str::len)
        };
        self.actions.iter().map(weight).sum()
    }

    /// How many writes it has.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

impl FromIterator<Write> for Transaction {
    fn from_iter<I: IntoIterator<Item = Write>>(writes: I) -> Transaction {
        Transaction { actions: writes.into_iter().map(|write| write.action).collect() }
    }
}

impl Store {
    /// Does a transaction, and once: where answers can get lost, every attempt carries one token. One
    /// that is only lent is empty once it is done, and whole if it certainly is not.
    pub async fn commit(
        &self,
        mut transaction: impl BorrowMut<Transaction> + Send,
    ) -> Result<(), Error> {
        let transaction = transaction.borrow_mut();
        if self.is_in_process() {
            return self.attempt(transaction, None).await;
        }
        let mut bits = [0; 16];
        if !self.settings().randomness.fill(&mut bits) {
            return Err(Error::Unavailable("the system has no randomness for a token".to_owned()));
        }
        self.attempt(transaction, Some(&uuid_text(u128::from_le_bytes(bits)))).await
    }

    /// Does a transaction under the caller's token: the same one again does nothing for ten minutes.
    pub async fn commit_once(
        &self,
        mut transaction: Transaction,
        token: &str,
    ) -> Result<(), Error> {
        self.attempt(&mut transaction, Some(token)).await
    }

    async fn attempt(
        &self,
        transaction: &mut Transaction,
        token: Option<&str>,
    ) -> Result<(), Error> {
        let actions = &mut transaction.actions;
        check_count(actions.len())?;
        let mut attempts = Attempts::first(self.settings());
        loop {
            match self.backend().transact_write(actions, token).await {
                Ok(answer) => {
                    actions.clear();
                    self.metered("TransactWriteItems", answer);
                    return Ok(());
                }
                Err(error) if attempts.next(&error).await => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads items as they are at one moment; one answer for each key, in order.
    pub async fn transact_get<T: Record>(&self, keys: &[Key]) -> Result<Vec<Option<T>>, Error> {
        check_count(keys.len())?;
        let reads: Vec<Read> = keys.iter().map(Key::read).collect();
        let outcome = attempts(self.settings(), || self.backend().transact_get(&reads)).await;
        let items = self.metered("TransactGetItems", outcome.result?);
        let typed = |(key, item): (&Key, Option<Item>)| match item {
            None => Ok(None),
            Some(item) => {
                key.table.prepared().check_read(&item, true)?;
                T::from_item(item).map(Some)
            }
        };
        keys.iter().zip(items).map(typed).collect()
    }
}

fn check_count(count: usize) -> Result<(), Error> {
    if (1..=TRANSACTION_ACTIONS_MAX).contains(&count) {
        return Ok(());
    }
    let message = format!("a transaction has 1 to {TRANSACTION_ACTIONS_MAX} actions, not {count}");
    Err(BackendError::Refused { code: "ValidationException".to_owned(), message }.into())
}
