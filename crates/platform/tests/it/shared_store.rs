//! A store on an embedded database in memory, with a clock that stands still and a meter.

use std::sync::{Arc, Mutex};

use database::clock::ManualClock;
use database::{Database, Durability, Options};
use platform::Ids;
use store::{Embedded, Meter, Settings, Store, SystemRandomness, TokenKeys};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};

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
        let options = Options { durability: Durability::Relaxed, ..Options::in_memory() };
        let database = Database::open(options).unwrap();
        let target = EmbeddedTarget::new(database.clone());
        let documents = Documents::embedded().unwrap();
        let wanted: Vec<_> = tables.iter().flat_map(|name| documents.find(name)).collect();
        let plan = Plan::make(&documents, &wanted, Environment::Dev, &[], &target).await.unwrap();
        apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
        let (clock, counted) = (ManualClock::new(START), Counted::default());
        let mut settings = Settings::new(Environment::Dev, TokenKeys::new([7; 32]));
        settings.clock = Arc::new(clock.clone());
        settings.meter = Some(Arc::new(counted.clone()));
        let store = Store::new(&documents, Embedded::measured(database), settings);
        let ids = Ids::new(Arc::new(SystemRandomness));
        SharedStore { store, clock, ids, counted }
    }
}

/// Counts what was asked of the store.
#[derive(Clone, Default)]
pub struct Counted {
    operations: Arc<Mutex<Vec<&'static str>>>,
}

impl Counted {
    /// The operations since the last time.
    pub fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.operations.lock().unwrap())
    }
}

impl Meter for Counted {
    fn consumed(&self, operation: &'static str, _: &str, index: Option<&str>, _: f64) {
        // A write is charged on its indexes too: it is still one operation.
        if index.is_none() || operation == "Query" {
            self.operations.lock().unwrap().push(operation);
        }
    }
}
