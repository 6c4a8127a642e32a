//! A worker that brings events to endpoints and publishers: the deliveries of the table are its tasks,
//! and the events without deliveries are what it makes tasks of.

use std::sync::Arc;

use changes::Changes;
use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::metrics::Counter;
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use store::{Page, Pauses, Store};
use tokio::sync::watch;
use workers::{Bounds, Candidate, Lease, Progress, StopSignal, Work};

use crate::SHARDS;
use crate::attempt::Outcome;
use crate::client::Sender;
use crate::endpoints::Endpoints;
use crate::events::{Outbox, Publisher};
use crate::owner::Owner;
use crate::records::Delivery;
use crate::settings::Settings;

/// Items of a list of what is due that are read at once.
pub(crate) const PAGE_ITEMS: u32 = 100;
/// Statuses of deliveries in the index of what is due: those whose lease has ended are `delivering`.
const DUE_STATUSES: [&str; 2] = ["pending", "delivering"];

/// What a worker is made of.
pub struct Parts {
    /// Its name in leases.
    pub name: String,
    /// Where events are.
    pub store: Store,
    /// Where new events come from.
    pub outbox: Outbox,
    /// The endpoints.
    pub endpoints: Endpoints,
    /// The way out.
    pub sender: Arc<dyn Sender>,
    /// Event buses and topics.
    pub publishers: Vec<Arc<dyn Publisher>>,
    /// How owners are told of trouble.
    pub owner: Arc<dyn Owner>,
    /// How what happens to endpoints is committed: with its audit entry.
    pub changes: Changes,
    /// Identifiers and chance.
    pub ids: Ids,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How to wait.
    pub pauses: Arc<dyn Pauses>,
    /// Settings.
    pub settings: Settings,
    /// Counts deliveries that ended, by outcome.
    pub ended: Counter,
}

/// A worker.
pub struct Worker(Arc<workers::Worker<Deliveries>>);

impl Worker {
    /// A worker that does nothing yet.
    pub fn new(parts: Parts) -> Arc<Worker> {
        let settings = workers::Settings {
            lease: parts.settings.lease,
            // An attempt has a time limit of its own, shorter than the lease.
            heartbeat: None,
            concurrency: parts.settings.concurrency,
            lane_concurrency: parts.settings.endpoint_concurrency,
            poll: parts.settings.poll,
        };
        let kit = workers::Parts {
            kind: "webhook deliveries",
            name: parts.name.clone(),
            ids: parts.ids.clone(),
            clock: Arc::clone(&parts.clock),
            pauses: Arc::clone(&parts.pauses),
            news: Arc::clone(parts.outbox.news()),
            settings,
        };
        let table = parts.outbox.table().clone();
        Arc::new(Worker(workers::Worker::new(Arc::new(Deliveries { parts, table }), kit)))
    }

    /// Works until it is told to stop, and then finishes what it has begun.
    pub async fn run(self: Arc<Worker>, stop: watch::Receiver<bool>) {
        Arc::clone(&self.0).run(stop).await;
    }

    /// Does everything that is due now, and what becomes due by it.
    pub async fn drain(self: &Arc<Worker>) -> Result<usize, Error> {
        self.0.drain().await
    }

    /// Does one bounded step.
    pub async fn step(&self, bounds: &Bounds) -> Result<Progress, Error> {
        self.0.step(bounds).await
    }
}

/// The deliveries of a table, as work.
pub(crate) struct Deliveries {
    pub(crate) parts: Parts,
    pub(crate) table: WebhookEvents,
}

impl Deliveries {
    pub(crate) fn now(&self) -> Moment {
        Moment::from_millis(self.parts.clock.now_millis())
    }
}

/// The lists of deliveries that are due, by status and part of the index.
fn due_lists() -> impl Iterator<Item = (&'static str, i64)> {
    DUE_STATUSES.into_iter().flat_map(|status| (0..SHARDS).map(move |shard| (status, shard)))
}

/// Events of one endpoint share a lane: a slow endpoint takes no more of a worker.
impl Candidate for Delivery {
    fn id(&self) -> &str {
        &self.event_id
    }

    fn lane(&self) -> &str {
        &self.endpoint_id
    }
}

impl Work for Deliveries {
    type Candidate = Delivery;
    type Task = Delivery;
    type Outcome = Outcome;

    fn lists(&self) -> usize {
        due_lists().count()
    }

    async fn due(
        &self,
        list: usize,
        now: Moment,
        token: Option<&str>,
    ) -> Result<Page<Delivery>, Error> {
        let (status, shard) =
            due_lists().nth(list).ok_or_else(|| Error::internal("no such list"))?;
        let list = self.table.list_due(status, shard, &now.to_string());
        Ok(list.page("", PAGE_ITEMS, token).await?)
    }

    /// Dispatches the events that are new.
    async fn feed(self: &Arc<Deliveries>) -> Result<usize, Error> {
        let first = i64::from(u16::from_le_bytes(self.parts.ids.bytes()?));
        let mut dispatched = 0;
        for shard in (0..SHARDS).map(|at| (first + at) % SHARDS) {
            dispatched += self.dispatch_due(shard).await?;
        }
        Ok(dispatched)
    }

    async fn claim(&self, due: &Delivery, lease: &Lease) -> Result<Option<Delivery>, Error> {
        self.claim_delivery(due, lease).await
    }

    async fn run(&self, delivery: &Delivery, _stop: &StopSignal) -> Result<Outcome, Error> {
        self.attempt(delivery).await
    }

    async fn settle(&self, delivery: Delivery, outcome: Outcome) -> Result<bool, Error> {
        self.conclude(&delivery, outcome).await
    }
}
