//! What the tests of events and webhooks stand on: a store in memory, a clock that is moved by hand,
//! an endpoint's answers by script, and the lists of who was told what.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use audit::{Audit, Query, Signing};
use changes::idempotency::Idempotency;
use changes::{Changes, Event};
use database::Database;
use kernel::clock::{Clock, ManualClock};
use kernel::metrics::Metrics;
use kernel::{Ids, Moment};
use secrets::{Seal, Sealing};
use serde_json::json;
use store::{Embedded, Settings as StoreSettings, Store, SystemRandomness, TokenKeys, Transaction};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use webhooks::events::{Message, Outbox, Publisher, Publishing};
use webhooks::{
    EndpointView, Endpoints, Messages, NewEndpoint, Notice, Outgoing, Owner, Parts, Planned,
    Policy, Ports, Posting, Preparing, Reply, Sender, Settings, Telling, Worker,
};

pub const ACCOUNT: &str = "acc-1";
/// Where the clock starts: 2026-11-15.
pub const START: u64 = 1_794_700_800_000;

/// Seals by turning every byte: not safe, and not the same as the plain text.
pub struct Turned;

impl Seal for Turned {
    fn seal<'a>(&'a self, account: &'a str, place: &'a str, plain: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move {
            let mut sealed = format!("{account}|{place}|").into_bytes();
            sealed.extend(plain.iter().map(|byte| byte ^ 0x55));
            Ok(sealed)
        })
    }

    fn unseal<'a>(&'a self, account: &'a str, place: &'a str, sealed: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move {
            let start = format!("{account}|{place}|").into_bytes();
            let rest = sealed.strip_prefix(start.as_slice());
            let rest = rest.ok_or_else(|| kernel::Error::internal("sealed for another place"))?;
            Ok(rest.iter().map(|byte| byte ^ 0x55).collect())
        })
    }
}

/// Remembers notices that were made ready, and those that were committed.
#[derive(Clone, Default)]
pub struct Told {
    pub prepared: Arc<Mutex<usize>>,
    /// Nothing is ready before so many are.
    pub together: usize,
    pub notices: Arc<Mutex<Vec<Notice>>>,
}

impl Owner for Told {
    fn notify<'a>(&'a self, notice: &'a Notice) -> Preparing<'a> {
        *self.prepared.lock().unwrap() += 1;
        let (notices, notice) = (Arc::clone(&self.notices), notice.clone());
        let afterwards = Box::pin(async move { notices.lock().unwrap().push(notice) });
        Box::pin(async {
            while *self.prepared.lock().unwrap() < self.together {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(Telling { writes: Vec::new(), afterwards })
        })
    }
}

type Script = dyn Fn(&Outgoing, usize) -> Result<Reply, String> + Send + Sync;

/// Answers by script, and remembers what came.
#[derive(Clone)]
pub struct Scripted {
    pub received: Arc<Mutex<Vec<(Moment, Outgoing)>>>,
    counts: Arc<Mutex<HashMap<(String, String), usize>>>,
    script: Arc<Script>,
    clock: ManualClock,
    /// How long an answer takes, in time of the machine.
    pub pause: Duration,
}

impl Scripted {
    pub fn new(
        clock: &ManualClock,
        script: impl Fn(&Outgoing, usize) -> Result<Reply, String> + Send + Sync + 'static,
    ) -> Scripted {
        let (received, counts) = (Arc::default(), Arc::default());
        let (script, clock) = (Arc::new(script), clock.clone());
        Scripted { received, counts, script, clock, pause: Duration::ZERO }
    }

    pub fn times(&self) -> Vec<u64> {
        let received = self.received.lock().unwrap();
        received.iter().map(|(at, _)| (at.millis() - START) / 1000).collect()
    }
}

impl Sender for Scripted {
    fn post(&self, outgoing: Outgoing) -> Posting<'_> {
        Box::pin(async move {
            let now = Moment::from_millis(self.clock.now_millis());
            let key = (header(&outgoing, "webhook-id"), outgoing.url.clone());
            let nth = {
                let mut counts = self.counts.lock().unwrap();
                let count = counts.entry(key).or_default();
                *count += 1;
                *count
            };
            self.received.lock().unwrap().push((now, outgoing.clone()));
            tokio::time::sleep(self.pause).await;
            (self.script)(&outgoing, nth)
        })
    }
}

pub fn header(outgoing: &Outgoing, name: &str) -> String {
    let found = outgoing.headers.iter().find(|(header, _)| *header == name);
    found.map(|(_, value)| value.clone()).unwrap()
}

pub fn status(status: u16) -> Result<Reply, String> {
    Ok(Reply { status, body: b"said so".to_vec(), ..Reply::default() })
}

/// A bus that fails so often, and then remembers.
#[derive(Clone, Default)]
pub struct Bus {
    pub failures: Arc<Mutex<usize>>,
    pub published: Arc<Mutex<Vec<Message>>>,
    pub tries: Arc<Mutex<usize>>,
}

impl Publisher for Bus {
    fn name(&self) -> &str {
        "bus"
    }

    fn publish<'a>(&'a self, message: &'a Message) -> Publishing<'a> {
        Box::pin(async move {
            *self.tries.lock().unwrap() += 1;
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err("the bus is away".to_owned());
            }
            self.published.lock().unwrap().push(message.clone());
            Ok(())
        })
    }
}

pub struct World {
    pub store: Store,
    pub clock: ManualClock,
    pub ids: Ids,
    pub outbox: Outbox,
    pub endpoints: Endpoints,
    pub messages: Messages,
    pub settings: Settings,
    pub told: Told,
    pub changes: Changes,
    pub publishers: Vec<Arc<dyn Publisher>>,
    pub metrics: Metrics,
}

impl World {
    pub async fn new() -> World {
        World::with(Settings::default()).await
    }

    pub async fn with(settings: Settings) -> World {
        World::at(START, settings).await
    }

    pub async fn at(start: u64, settings: Settings) -> World {
        let database = Database::in_memory().unwrap();
        let documents = Documents::embedded().unwrap();
        let names = ["platform/webhook_events", "platform/audit_logs"];
        let tables: Vec<_> = names.iter().flat_map(|name| documents.find(name)).collect();
        let target = EmbeddedTarget::new(database.clone());
        let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await.unwrap();
        apply(&documents, &plan, false, &target, |_, _| {}).await.unwrap();
        let clock = ManualClock::new(start);
        let store_settings = StoreSettings {
            clock: Arc::new(clock.clone()),
            ..StoreSettings::new(Environment::Dev, TokenKeys::new([7; 32]))
        };
        let store = Store::new(&documents, Embedded::new(database), store_settings);
        let ids = Ids::new(Arc::new(SystemRandomness));
        let outbox = Outbox::new(&store, ids.clone(), settings.retention).unwrap();
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let endpoints = Endpoints::new(
            &store,
            ids.clone(),
            Arc::new(Turned),
            Policy { ports: Ports::Any, ..Policy::default() },
            settings.clone(),
            Arc::clone(&shared),
        )
        .unwrap();
        let messages =
            Messages::new(&store, outbox.clone(), endpoints.clone(), Arc::clone(&shared)).unwrap();
        let now = Moment::from_millis(start);
        let signing = Signing::open(&store, ids.clone(), Arc::new(Turned), now).await;
        let audit =
            Audit::new(store.clone(), Arc::clone(&shared), ids.clone(), signing.unwrap()).unwrap();
        let idempotency = Idempotency::new(store.clone(), shared, Arc::new(Turned)).unwrap();
        let changes = Changes::new(audit, Arc::new(outbox.clone()), idempotency, ids.clone());
        let (told, publishers) = (Told::default(), Vec::new());
        World {
            store,
            clock,
            ids,
            outbox,
            endpoints,
            messages,
            settings,
            told,
            changes,
            publishers,
            metrics: Metrics::new(),
        }
    }

    pub fn worker(&self, sender: impl Sender) -> Arc<Worker> {
        Worker::new(Parts {
            name: "worker".to_owned(),
            store: self.store.clone(),
            outbox: self.outbox.clone(),
            endpoints: self.endpoints.clone(),
            sender: Arc::new(sender),
            publishers: self.publishers.clone(),
            owner: Arc::new(self.told.clone()),
            changes: self.changes.clone(),
            ids: self.ids.clone(),
            clock: Arc::new(self.clock.clone()),
            pauses: Arc::new(store::TokioPauses),
            settings: self.settings.clone(),
            ended: self.metrics.counter("plinth", "webhook_deliveries", "Ended"),
        })
    }

    pub fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    pub fn pass(&self, duration: Duration) {
        self.clock.advance(u64::try_from(duration.as_millis()).unwrap());
    }

    pub async fn commit<T>(&self, planned: Planned<T>) -> T {
        let transaction = planned.writes.into_iter().fold(Transaction::new(), Transaction::with);
        if !transaction.is_empty() {
            self.store.commit(transaction).await.unwrap();
        }
        planned.value
    }

    /// What the audit log has of the account, newest first.
    pub async fn recorded(&self) -> Vec<String> {
        let query = Query { account: Some(ACCOUNT.to_owned()), ..Query::default() };
        let page = self.changes.audit().list(&query, "", 1000, None).await.unwrap();
        page.items.into_iter().map(|row| row.action).collect()
    }

    pub async fn endpoint(&self, url: &str, types: Option<&[&str]>) -> EndpointView {
        let event_types = types.map(|types| types.iter().map(|one| (*one).to_owned()).collect());
        let new = NewEndpoint { url: url.to_owned(), event_types, ..NewEndpoint::default() };
        self.commit(self.endpoints.create(ACCOUNT, new).await.unwrap()).await.endpoint
    }

    /// Commits an event, and gives its id.
    pub async fn emit(&self, event_type: &str) -> String {
        let event = Event::new(event_type, ACCOUNT, json!({ "tenantId": "tenant-1" }));
        let writes = self.outbox.writes(&event, self.now()).unwrap();
        let item = writes[0].item().unwrap()["event_id"].clone();
        let transaction = writes.into_iter().fold(Transaction::new(), Transaction::with);
        self.store.commit(transaction).await.unwrap();
        let values::AttributeValue::S(id) = item else { panic!("{item:?}") };
        id
    }

    pub async fn status_of(&self, event: &str, endpoint: &str) -> (String, Option<Moment>) {
        let page = self.messages.deliveries(ACCOUNT, endpoint, "", 1000, None).await.unwrap();
        let found = page.items.into_iter().find(|delivery| delivery.event_id == event);
        found.map(|found| (found.status, found.next_retry_at)).unwrap()
    }
}

/// Ids as a set.
pub fn set(ids: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    ids.into_iter().collect()
}
