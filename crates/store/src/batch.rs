//! Many items at once, each on its own: what a batch leaves undone is sent again.

use std::collections::HashMap;

use values::Item;
use values::limits::{BATCH_GET_ITEMS_MAX, BATCH_WRITE_ITEMS_MAX};

use crate::backend::{Action, BackendError, Read};
use crate::error::Error;
use crate::retry::{attempts, wait};
use crate::store::Store;
use crate::table::Key;
use crate::typed::Record;
use crate::write::Write;

impl Store {
    /// Reads items by their keys; one answer for each key, in order. A key may come twice.
    pub async fn batch_get<T: Record>(&self, keys: &[Key]) -> Result<Vec<Option<T>>, Error> {
        let mut reads: Vec<Read> = Vec::new();
        for key in keys {
            let read = key.read();
            if !reads
                .iter()
                .any(|known| known.key == read.key && known.table_name == read.table_name)
            {
                reads.push(read);
            }
        }
        let mut found: HashMap<(String, Vec<u8>), Item> = HashMap::new();
        let mut rounds = 1;
        while !reads.is_empty() {
            let rest = reads.split_off(reads.len().min(BATCH_GET_ITEMS_MAX));
            let outcome = attempts(self.settings(), || self.backend().batch_get(&reads)).await;
            let batch = self.metered("BatchGetItem", outcome.result?);
            for (table_name, item) in batch.found {
                let Some(table) = self.prepared(&table_name) else { continue };
                table.check_read(&item, true)?;
                found.insert((table_name, identity(&table.key_of(&item))), item);
            }
            self.pause_before_rest(batch.unprocessed.len(), reads.len(), &mut rounds).await?;
            reads = batch.unprocessed;
            reads.extend(rest);
        }
        let typed = |key: &Key| {
            let item = found.get(&(key.table.prepared().name.clone(), identity(&key.key)));
            item.cloned().map(T::from_item).transpose()
        };
        keys.iter().map(typed).collect()
    }

    /// Does puts and deletions without their conditions' protection: each happens, in any order. For
    /// imports; a service that changes something uses a transaction.
    pub async fn batch_write(&self, writes: Vec<Write>) -> Result<(), Error> {
        let mut actions: Vec<Action> = writes.into_iter().map(|write| write.action).collect();
        if actions.iter().any(|action| action.condition.is_some()) {
            let message = "a batch has no conditions: use put, or a transaction".to_owned();
            let code = "ValidationException".to_owned();
            return Err(BackendError::Refused { code, message }.into());
        }
        let mut rounds = 1;
        while !actions.is_empty() {
            let rest = actions.split_off(actions.len().min(BATCH_WRITE_ITEMS_MAX));
            let outcome = attempts(self.settings(), || self.backend().batch_write(&actions)).await;
            let left = self.metered("BatchWriteItem", outcome.result?);
            self.pause_before_rest(left.len(), actions.len(), &mut rounds).await?;
            actions = left.into_iter().filter_map(|at| actions.get(at).cloned()).collect();
            actions.extend(rest);
        }
        Ok(())
    }

    /// A round that left something undone counts as a failed attempt; one that did anything starts
    /// the count again.
    async fn pause_before_rest(
        &self,
        left: usize,
        sent: usize,
        rounds: &mut u32,
    ) -> Result<(), Error> {
        if left == 0 {
            *rounds = 1;
            return Ok(());
        }
        if left < sent {
            *rounds = 1;
        }
        if *rounds >= self.settings().retry.attempts_max {
            return Err(Error::Busy(format!("{left} items of a batch were not taken")));
        }
        self.settings().pauses.pause(wait(self.settings(), *rounds)).await;
        *rounds += 1;
        Ok(())
    }
}

/// Equal keys have equal bytes.
fn identity(key: &Item) -> Vec<u8> {
    let mut bytes = Vec::new();
    values::codec::encode_item(key, &mut bytes);
    bytes
}
