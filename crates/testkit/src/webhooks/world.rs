//! A store in memory with endpoints and events, and workers for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use database::clock::{Clock, ManualClock};
use database::{Database, Durability, Options};
use platform::audit::Entry;
use platform::events::{Event, Outbox};
use platform::secrets::{Seal, Sealing};
use platform::webhooks::{
    Endpoints, Messages, NewEndpoint, Notice, Owner, Parts, Policy, Preparing, Settings, Trail,
    Worker,
};
use platform::{Ids, Moment};
use serde_json::json;
use store::{Embedded, Store, SystemRandomness, TokenKeys, TokioPauses, Transaction};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};

use super::receiver::Receiver;

pub const ACCOUNT: &str = "account";
/// Where the clock starts.
const START_MILLIS: u64 = 1_794_700_800_000;
/// Events that are committed together.
const EVENTS_TOGETHER: usize = 50;

pub struct World {
    pub store: Store,
    pub clock: ManualClock,
    pub receiver: Receiver,
    pub messages: Messages,
    pub settings: Settings,
    pub endpoint_ids: Vec<String>,
    pub notices: Arc<AtomicUsize>,
    ids: Ids,
    outbox: Outbox,
    endpoints: Endpoints,
}

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl World {
    pub async fn new(endpoints: usize, seed: u64) -> Result<World, String> {
        let clock = ManualClock::new(START_MILLIS);
        let settings = Settings {
            // Failures of single events are many here; only the outage is to open a circuit.
            failures_to_open: 15,
            poll: Duration::from_millis(20),
            ..Settings::default()
        };
        let store = store(&clock).await?;
        let ids = Ids::new(Arc::new(SystemRandomness));
        let outbox = Outbox::new(&store, ids.clone(), settings.retention).map_err(text)?;
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let registry = Endpoints::new(
            &store,
            ids.clone(),
            Arc::new(Plain),
            Policy::default(),
            settings.clone(),
            Arc::clone(&shared),
        );
        let registry = registry.map_err(text)?;
        let messages = Messages::new(&store, outbox.clone(), registry.clone(), shared);
        let mut world = World {
            receiver: Receiver::new(clock.clone(), seed),
            messages: messages.map_err(text)?,
            endpoint_ids: Vec::new(),
            notices: Arc::default(),
            endpoints: registry,
            store,
            clock,
            settings,
            ids,
            outbox,
        };
        for number in 0..endpoints {
            let kind = match number {
                1 => "outage",
                _ if number % 2 == 1 => "failing",
                _ => "well",
            };
            let url = format!("https://endpoint{number}.example/{kind}");
            let new = NewEndpoint { url, ..NewEndpoint::default() };
            let planned = world.endpoints.create(ACCOUNT, new).await.map_err(text)?;
            world.endpoint_ids.push(planned.value.endpoint.id.clone());
            let transaction =
                planned.writes.into_iter().fold(Transaction::new(), Transaction::with);
            world.store.commit(transaction).await.map_err(text)?;
        }
        Ok(world)
    }

    /// Commits so many events.
    pub async fn emit(&self, events: usize) -> Result<(), String> {
        let mut left = events;
        while left > 0 {
            let mut transaction = Transaction::new();
            for number in 0..left.min(EVENTS_TOGETHER) {
                let event = Event::new("campaign.event", ACCOUNT, json!({ "left": left - number }));
                for write in self.outbox.writes(&event, self.now()).map_err(text)? {
                    transaction = transaction.with(write);
                }
            }
            left -= transaction.len();
            self.store.commit(transaction).await.map_err(text)?;
            // No two batches at one moment, so that events have an order.
            self.clock.advance(1);
        }
        Ok(())
    }

    pub fn worker(&self) -> Arc<Worker> {
        let told = Arc::new(Told(Arc::clone(&self.notices)));
        Worker::new(Parts {
            name: "campaign".to_owned(),
            store: self.store.clone(),
            outbox: self.outbox.clone(),
            endpoints: self.endpoints.clone(),
            sender: Arc::new(self.receiver.clone()),
            publishers: Vec::new(),
            owner: told.clone(),
            trail: told,
            ids: self.ids.clone(),
            clock: Arc::new(self.clock.clone()),
            pauses: Arc::new(TokioPauses),
            settings: self.settings.clone(),
        })
    }

    pub fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }

    pub fn pass(&self, duration: Duration) {
        self.clock.advance(u64::try_from(duration.as_millis()).unwrap_or(0));
    }

    /// Whether nothing is left to do: everything was taken at least once, and nothing is missing.
    pub async fn is_done(&self, wanted: usize) -> Result<bool, String> {
        if self.receiver.successes() < wanted {
            return Ok(false);
        }
        for endpoint in &self.endpoint_ids {
            let mut token: Option<String> = None;
            loop {
                let since = Moment::from_millis(START_MILLIS);
                let page = self.messages.missing(ACCOUNT, endpoint, since, "", token.as_deref());
                let page = page.await.map_err(text)?;
                if !page.items.is_empty() {
                    return Ok(false);
                }
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(true)
    }
}

async fn store(clock: &ManualClock) -> Result<Store, String> {
    let options = Options { durability: Durability::Relaxed, ..Options::in_memory() };
    let database = Database::open(options).map_err(text)?;
    let documents = Documents::embedded().map_err(text)?;
    let tables: Vec<_> = documents.find("platform/webhook_events").into_iter().collect();
    let target = EmbeddedTarget::new(database.clone());
    let plan = Plan::make(&documents, &tables, Environment::Dev, &[], &target).await;
    apply(&documents, &plan.map_err(text)?, false, &target, |_, _| {}).await.map_err(text)?;
    let settings = store::Settings {
        clock: Arc::new(clock.clone()),
        ..store::Settings::new(Environment::Dev, TokenKeys::new([1; 32]))
    };
    Ok(Store::new(&documents, Embedded::new(database), settings))
}

/// Counts notices.
struct Told(Arc<AtomicUsize>);

impl Owner for Told {
    fn notify<'a>(&'a self, _notice: &'a Notice) -> Preparing<'a> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Vec::new()) })
    }
}

impl Trail for Told {
    fn record<'a>(&'a self, _entry: Entry, _now: Moment) -> Preparing<'a> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// Seals nothing: secrets are not what this campaign is about.
struct Plain;

impl Seal for Plain {
    fn seal<'a>(&'a self, _account: &'a str, _place: &'a str, plain: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move { Ok(plain.to_vec()) })
    }

    fn unseal<'a>(&'a self, _account: &'a str, _place: &'a str, sealed: &'a [u8]) -> Sealing<'a> {
        Box::pin(async move { Ok(sealed.to_vec()) })
    }
}
