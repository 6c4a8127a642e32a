//! The seam between the store and where the data is: seven operations, no scan.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use database::{CancellationReason, Stamp};
use values::{AttributeValue, Item};

/// What a back end's operation gives, in time.
pub type Pending<'a, T> =
    Pin<Box<dyn Future<Output = Result<Answer<T>, BackendError>> + Send + 'a>>;

/// Where items are. Each method is DynamoDB's operation of the same meaning, tried once: the store
/// tries again.
pub trait Backend: Send + Sync + 'static {
    /// GetItem.
    fn get<'a>(&'a self, read: &'a Read) -> Pending<'a, Option<Item>>;

    /// BatchGetItem, of at most 100 keys. Gives the items that were found, by table, in any order,
    /// and the reads that were not done.
    fn batch_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, BatchRead>;

    /// TransactGetItems, of at most 100 keys. Gives an item or nothing for each, in order.
    fn transact_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, Vec<Option<Item>>>;

    /// Query.
    fn query<'a>(&'a self, query: &'a Query) -> Pending<'a, QueryAnswer>;

    /// PutItem, UpdateItem or DeleteItem. Gives the item after an update, and before a deletion.
    fn write<'a>(&'a self, write: &'a Action) -> Pending<'a, Option<Item>>;

    /// BatchWriteItem, of at most 25 puts and deletions without conditions. Gives the places of those
    /// that were not done.
    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>>;

    /// TransactWriteItems, of at most 100 actions, once for each token. It may take the actions out, but
    /// puts them back if they are certainly not done.
    fn transact_write<'a>(
        &'a self,
        writes: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()>;

    /// Whether the data is in this process. An error then means that nothing happened. Elsewhere an
    /// answer can get lost, so that transactions carry tokens, which cost writes of their own; and
    /// other processes may be at work, so that what they must see is stored.
    fn is_in_process(&self) -> bool {
        false
    }

    /// How items are now, to be asked before they are read; nothing where that cannot be known.
    fn stamp(&self, _reads: &[Read]) -> Option<Stamp> {
        None
    }

    /// Whether reading the items again would give the same.
    fn is_unchanged(&self, _stamp: &Stamp) -> bool {
        false
    }
}

/// What an operation gave, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer<T> {
    /// What it gave.
    pub value: T,
    /// What it cost, if the back end was told to measure.
    pub consumed: Vec<Consumed>,
}

/// Units that a table or an index was charged.
#[derive(Clone, Debug, PartialEq)]
pub struct Consumed {
    /// The table.
    pub table_name: String,
    /// The index, if it was one.
    pub index: Option<String>,
    /// Read or write units.
    pub units: f64,
}

/// One item to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The table. Its name is a copy: readers on several cores would wait for each other at a count of
    /// references.
    pub table_name: String,
    /// The whole primary key.
    pub key: Item,
    /// Whether it sees every write before it.
    pub consistent: bool,
}

/// What a BatchGetItem gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchRead {
    /// Items with the tables they are from.
    pub found: Vec<(String, Item)>,
    /// Reads that were not done.
    pub unprocessed: Vec<Read>,
}

/// A part of one partition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The table.
    pub table_name: String,
    /// The index.
    pub index: Option<String>,
    /// The key condition's expression.
    pub key_condition: String,
    /// The filter's expression.
    pub filter: Option<String>,
    /// Names in the expressions.
    pub names: BTreeMap<String, String>,
    /// Values in the expressions.
    pub values: BTreeMap<String, AttributeValue>,
    /// Whether it sees every write before it.
    pub consistent: bool,
    /// Largest sort key first.
    pub descending: bool,
    /// Most items to look at.
    pub limit: u32,
    /// Where the query before this one ended.
    pub start: Option<Item>,
}

/// What a Query gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryAnswer {
    /// Items that passed the filter.
    pub items: Vec<Item>,
    /// How many were looked at.
    pub evaluated: u64,
    /// Where to go on; absent at the end.
    pub last: Option<Item>,
}

/// One write, alone or within a transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The table.
    pub table_name: String,
    /// What is done.
    pub change: Change,
    /// The condition's expression.
    pub condition: Option<String>,
    /// Names in the expressions.
    pub names: BTreeMap<String, String>,
    /// Values in the expressions.
    pub values: BTreeMap<String, AttributeValue>,
}

/// What a write does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Stores a whole item; shared, so that trying again does not copy it.
    Put(Arc<Item>),
    /// Changes an item.
    Update {
        /// The whole primary key.
        key: Item,
        /// The update's expression.
        expression: String,
    },
    /// Removes an item.
    Delete {
        /// The whole primary key.
        key: Item,
    },
    /// Only asks the condition; in transactions.
    Check {
        /// The whole primary key.
        key: Item,
    },
}

/// Why an operation was not executed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BackendError {
    /// The condition was false. Holds the item as it was found.
    ConditionFailed {
        /// The item, if there is one.
        found: Option<Item>,
    },
    /// The transaction did not happen; one reason for each action.
    TransactionCanceled(Vec<CancellationReason>),
    /// Somebody else is at it, or it is too much at once: nothing was done. Try again.
    Busy(String),
    /// There was no answer, or the service failed: it may have been done. Try again if that does no
    /// harm.
    Unavailable(String),
    /// The service refused it, and will refuse it again.
    Refused {
        /// DynamoDB's exception name.
        code: String,
        /// What the service says.
        message: String,
    },
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendError::ConditionFailed { .. } => f.write_str("the condition was false"),
            BackendError::TransactionCanceled(_) => f.write_str("the transaction was cancelled"),
            BackendError::Busy(message) | BackendError::Unavailable(message) => {
                f.write_str(message)
            }
            BackendError::Refused { code, message } => write!(f, "{code}: {message}"),
        }
    }
}

impl std::error::Error for BackendError {}
