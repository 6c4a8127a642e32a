//! A store on an embedded database in memory, with a clock that stands still, and in front of it
//! something that counts every operation and can make all of them fail.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use database::{Database, Durability, Options};
use kernel::Ids;
use kernel::clock::ManualClock;
use store::backend::{Action, BatchRead, Change, Pending, Query, QueryAnswer, Read};
use store::{Backend, BackendError, Embedded, Retry, Settings, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use values::Item;

/// When the tests begin.
pub const START: u64 = 1_763_200_000_000;

/// Tables of the platform, shared by everything that a test makes.
pub struct SharedStore {
    pub store: Store,
    pub clock: ManualClock,
    pub ids: Ids,
    pub counted: Counted,
}

impl SharedStore {
    pub async fn new(tables: &[&str]) -> SharedStore {
        let (clock, counted) = (ManualClock::new(START), Counted::default());
        // The database removes what is expired by its own clock: it must be the same.
        let options = Options {
            durability: Durability::Relaxed,
            clock: Arc::new(clock.clone()),
            ..Options::in_memory()
        };
        let database = Database::open(options).unwrap();
        let target = EmbeddedTarget::new(database.clone());
        let documents = Documents::embedded().unwrap();
        let wanted: Vec<_> = tables.iter().flat_map(|name| documents.find(name)).collect();
        let plan = Plan::make(&documents, &wanted, Environment::Dev, &[], &target).await.unwrap();
        apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
        let mut settings = Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
        settings.clock = Arc::new(clock.clone());
        let pause = Duration::from_millis(1);
        settings.retry = Retry { attempts_max: 20, pause_first: pause, pause_max: pause };
        let backend = Watched { inner: Embedded::new(database), counted: counted.clone() };
        let store = Store::new(&documents, backend, settings);
        SharedStore { store, clock, ids: Ids::new(Arc::new(SystemRandomness)), counted }
    }
}

/// What was asked of the store, answered or not.
#[derive(Clone, Default)]
pub struct Counted {
    operations: Arc<Mutex<Vec<&'static str>>>,
    is_broken: Arc<AtomicBool>,
}

impl Counted {
    /// The operations since the last time.
    pub fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.operations.lock().unwrap())
    }

    /// Makes every operation fail, or work again.
    pub fn set_broken(&self, is_broken: bool) {
        self.is_broken.store(is_broken, Ordering::SeqCst);
    }

    fn note<'a, T: Send + 'a>(
        &self,
        operation: &'static str,
        pending: impl FnOnce() -> Pending<'a, T>,
    ) -> Pending<'a, T> {
        self.operations.lock().unwrap().push(operation);
        if self.is_broken.load(Ordering::SeqCst) {
            let error = BackendError::Unavailable("switched off".to_owned());
            return Box::pin(std::future::ready(Err(error)));
        }
        pending()
    }
}

struct Watched {
    inner: Embedded,
    counted: Counted,
}

impl Backend for Watched {
    fn get<'a>(&'a self, read: &'a Read) -> Pending<'a, Option<Item>> {
        let operation = if read.consistent { "GetItem" } else { "GetItem, eventually" };
        self.counted.note(operation, || self.inner.get(read))
    }

    fn batch_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, BatchRead> {
        self.counted.note("BatchGetItem", || self.inner.batch_get(reads))
    }

    fn transact_get<'a>(&'a self, reads: &'a [Read]) -> Pending<'a, Vec<Option<Item>>> {
        self.counted.note("TransactGetItems", || self.inner.transact_get(reads))
    }

    fn query<'a>(&'a self, query: &'a Query) -> Pending<'a, QueryAnswer> {
        self.counted.note("Query", || self.inner.query(query))
    }

    fn write<'a>(&'a self, write: &'a Action) -> Pending<'a, Option<Item>> {
        let operation = match write.change {
            Change::Put(_) => "PutItem",
            Change::Update { .. } => "UpdateItem",
            Change::Delete { .. } => "DeleteItem",
            Change::Check { .. } => "ConditionCheck",
        };
        self.counted.note(operation, || self.inner.write(write))
    }

    fn batch_write<'a>(&'a self, writes: &'a [Action]) -> Pending<'a, Vec<usize>> {
        self.counted.note("BatchWriteItem", || self.inner.batch_write(writes))
    }

    fn transact_write<'a>(
        &'a self,
        writes: &'a mut Vec<Action>,
        token: Option<&'a str>,
    ) -> Pending<'a, ()> {
        self.counted.note("TransactWriteItems", || self.inner.transact_write(writes, token))
    }
}
