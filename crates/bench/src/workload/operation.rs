//! What is measured: each operation with its number of callers, and which items a caller picks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, Random};

/// How many items a query asks for.
pub const QUERY_ITEMS: u64 = 20;

/// An operation with its number of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// PutItem of new items, 64 writers.
    PutItem,
    /// PutItem of new items, one writer.
    PutItemAlone,
    /// UpdateItem that adds to a counter under a condition that holds, 64 writers.
    UpdateItem,
    /// TransactWriteItems of one put and two conditional updates, 64 writers.
    TransactWriteItems,
    /// GetItem, two readers.
    GetItemTwo,
    /// GetItem, 64 readers.
    GetItem,
    /// Query of 20 items of a table, two readers.
    Query,
    /// Query of 20 items of an index, two readers.
    QueryIndex,
}

impl Operation {
    /// Every operation, in the order in which they are measured.
    pub const ALL: [Operation; 8] = [
        Operation::PutItem,
        Operation::PutItemAlone,
        Operation::UpdateItem,
        Operation::TransactWriteItems,
        Operation::GetItemTwo,
        Operation::GetItem,
        Operation::Query,
        Operation::QueryIndex,
    ];

    /// How many callers there are, each waiting for its answer before it asks again.
    pub fn callers(self) -> u64 {
        match self {
            Operation::PutItem
            | Operation::UpdateItem
            | Operation::TransactWriteItems
            | Operation::GetItem => 64,
            Operation::PutItemAlone => 1,
            Operation::GetItemTwo | Operation::Query | Operation::QueryIndex => 2,
        }
    }

    /// What the table of results calls it.
    pub fn label(self) -> &'static str {
        match self {
            Operation::PutItem => "PutItem, 64 writers",
            Operation::PutItemAlone => "PutItem, 1 writer",
            Operation::UpdateItem => "UpdateItem with condition, 64",
            Operation::TransactWriteItems => "TransactWriteItems of 3, 64",
            Operation::GetItemTwo => "GetItem, 2 readers",
            Operation::GetItem => "GetItem, 64 readers",
            Operation::Query => "Query of 20, 2 readers",
            Operation::QueryIndex => "index Query of 20, 2 readers",
        }
    }
}

/// One request, in numbers of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Put a new order.
    Put(u64),
    /// Add to the counter of an order.
    Update(u64),
    /// Put a new order and add to the counters of two others.
    Transact {
        /// The new one.
        put: u64,
        /// The others.
        updates: [u64; 2],
    },
    /// Get an order.
    Get(u64),
    /// Query the account that this history item belongs to.
    Query(u64),
    /// Query the orders of the customer who made this one.
    QueryIndex(u64),
}

/// Picks the items of one caller. No two callers write the same item, so that what is measured is
/// never a conflict.
pub struct Picker {
    operation: Operation,
    dataset: Dataset,
    caller: u64,
    random: Random,
    fresh: Arc<AtomicU64>,
}

impl Picker {
    /// The picker of one caller; `fresh` is the number of the next new item and shared by all.
    pub fn new(operation: Operation, dataset: Dataset, caller: u64, fresh: Arc<AtomicU64>) -> Self {
        // A number of its own for each picker, so that no two make the same choices.
        let turn = fresh.fetch_add(1, Ordering::Relaxed);
        let random = Random::new(dataset.seed.rotate_left(32) ^ turn);
        Picker { operation, dataset, caller, random, fresh }
    }

    /// The next request.
    pub fn next(&mut self) -> Step {
        match self.operation {
            Operation::PutItem | Operation::PutItemAlone => Step::Put(self.new_item()),
            Operation::UpdateItem => {
                let mark = self.random.next();
                Step::Update(self.own_item(mark))
            }
            Operation::TransactWriteItems => {
                let mark = self.random.next();
                let updates = [self.own_item(mark), self.own_item(mark.wrapping_add(1))];
                Step::Transact { put: self.new_item(), updates }
            }
            Operation::GetItemTwo | Operation::GetItem => Step::Get(self.any_item()),
            Operation::Query => Step::Query(self.any_item()),
            Operation::QueryIndex => Step::QueryIndex(self.any_item()),
        }
    }

    fn new_item(&self) -> u64 {
        self.fresh.fetch_add(1, Ordering::Relaxed)
    }

    /// One of the loaded items that only this caller writes; marks in a row give different ones.
    fn own_item(&self, mark: u64) -> u64 {
        let callers = self.operation.callers();
        self.caller + callers * (mark % (self.dataset.items / callers))
    }

    fn any_item(&mut self) -> u64 {
        self.random.below(self.dataset.items)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn picker(operation: Operation, caller: u64) -> Picker {
        let dataset = Dataset { items: 2000, seed: 3 };
        Picker::new(operation, dataset, caller, Arc::new(AtomicU64::new(5000)))
    }

    #[test]
    fn callers_write_items_of_their_own() {
        let updated = |caller: u64| -> BTreeSet<u64> {
            let mut picker = picker(Operation::TransactWriteItems, caller);
            let mut numbers = BTreeSet::new();
            for _ in 0..500 {
                let Step::Transact { updates: [first, second], .. } = picker.next() else {
                    panic!("not a transaction")
                };
                assert_ne!(first, second);
                assert!(first.max(second) < 2000);
                numbers.extend([first, second]);
            }
            numbers
        };
        assert!(updated(0).is_disjoint(&updated(1)));
    }

    #[test]
    fn puts_are_of_new_items() {
        let mut picker = picker(Operation::PutItem, 0);
        assert_eq!([picker.next(), picker.next()], [Step::Put(5001), Step::Put(5002)]);
    }
}
