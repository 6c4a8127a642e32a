//! A worker: finds what is due in the table and does it. Any number of them, in any number of
//! processes, share the work of one store: a claim with a lease decides who does what, and a fence
//! keeps one that was too slow from writing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use database::clock::Clock;
use store::{Pauses, Store, TableHandle};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::error::Error;
use crate::events::{Outbox, Publisher, StoredEvent};
use crate::ids::Ids;
use crate::moment::Moment;
use crate::webhooks::SHARDS;
use crate::webhooks::client::Sender;
use crate::webhooks::endpoints::Endpoints;
use crate::webhooks::owner::{Owner, Trail};
use crate::webhooks::records::Delivery;
use crate::webhooks::settings::Settings;

/// Items of a list of what is due that are read at once.
const PAGE_ITEMS: u32 = 200;
/// Pages of one list that are looked through for deliveries to endpoints that have room.
const PAGES_MAX: usize = 10;
/// Deliveries of one endpoint that wait for room.
const WAITING_MAX: usize = 200;
/// Events that are dispatched at one time.
const DISPATCHED_TOGETHER: usize = 16;

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
    /// How the audit trail is written.
    pub trail: Arc<dyn Trail>,
    /// Identifiers and chance.
    pub ids: Ids,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How to wait.
    pub pauses: Arc<dyn Pauses>,
    /// Settings.
    pub settings: Settings,
}

/// A worker.
pub struct Worker {
    pub(crate) parts: Parts,
    pub(crate) table: TableHandle,
    lanes: Lanes,
}

impl Worker {
    /// A worker that does nothing yet.
    pub fn new(parts: Parts) -> Arc<Worker> {
        let table = parts.outbox.table().clone();
        Arc::new(Worker { parts, table, lanes: Lanes::default() })
    }

    /// Works until it is told to stop, and then finishes what it has begun.
    pub async fn run(self: Arc<Worker>, mut stop: watch::Receiver<bool>) {
        let mut tasks = JoinSet::new();
        while !*stop.borrow() {
            while tasks.try_join_next().is_some() {}
            let news = self.parts.outbox.news().notified();
            match self.pump(&mut tasks).await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => tracing::warn!(?error, "webhooks: cannot look for what is due"),
            }
            let pause = self.parts.pauses.pause(self.parts.settings.poll);
            tokio::select! {
                () = news => {}
                () = pause => {}
                Some(_) = tasks.join_next() => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Does everything that is due now, and what becomes due by it.
    pub async fn drain(self: &Arc<Worker>) -> Result<usize, Error> {
        let mut done = 0;
        loop {
            let mut tasks = JoinSet::new();
            let started = self.pump(&mut tasks).await?;
            while tasks.join_next().await.is_some() {}
            if started == 0 {
                return Ok(done);
            }
            done += started;
        }
    }

    /// Starts what is due and has room; gives how much that is.
    async fn pump(self: &Arc<Worker>, tasks: &mut JoinSet<()>) -> Result<usize, Error> {
        let first = i64::from(u16::from_le_bytes(self.parts.ids.bytes()?));
        let mut started = 0;
        for shard in (0..SHARDS).map(|at| (first + at) % SHARDS) {
            started += self.dispatch_due(shard).await?;
        }
        // The index has those whose lease has ended under `delivering`.
        for status in ["pending", "delivering"] {
            for shard in (0..SHARDS).map(|at| (first + at) % SHARDS) {
                started += self.start_due(status, shard, tasks).await?;
            }
        }
        Ok(started)
    }

    async fn dispatch_due(self: &Arc<Worker>, shard: i64) -> Result<usize, Error> {
        let access = self.table.access("list-due")?.with("status", "new")?.with("shard", shard)?;
        let access = access.with("now", self.now().to_string())?;
        let page = access.page::<StoredEvent>("", PAGE_ITEMS, None).await?;
        let mut events = page.items.into_iter();
        let mut running = JoinSet::new();
        let mut dispatched = 0;
        loop {
            while running.len() < DISPATCHED_TOGETHER
                && let Some(event) = events.next()
            {
                let worker = Arc::clone(self);
                running.spawn(async move { worker.dispatch(event).await });
            }
            match running.join_next().await {
                None => return Ok(dispatched),
                Some(Ok(Ok(did))) => dispatched += usize::from(did),
                Some(Ok(Err(error))) => tracing::warn!(?error, "webhooks: an event waits"),
                Some(Err(_)) => {}
            }
        }
    }

    /// Starts deliveries of one part of the index. Those whose endpoint has no room are passed over,
    /// so that a slow endpoint does not stand in the way of others.
    async fn start_due(
        self: &Arc<Worker>,
        status: &str,
        shard: i64,
        tasks: &mut JoinSet<()>,
    ) -> Result<usize, Error> {
        let access = self.table.access("list-due")?.with("status", status)?.with("shard", shard)?;
        let access = access.with("now", self.now().to_string())?;
        let (mut started, mut token) = (0, None::<String>);
        for _ in 0..PAGES_MAX {
            if tasks.len() >= self.parts.settings.concurrency {
                break;
            }
            let page = access.page::<Delivery>("", PAGE_ITEMS, token.as_deref()).await?;
            for delivery in page.items {
                if tasks.len() >= self.parts.settings.concurrency {
                    break;
                }
                let most = self.parts.settings.endpoint_concurrency;
                let Some(flight) = self.lanes.take(delivery, most) else { continue };
                tasks.spawn(Arc::clone(self).fly(flight));
                started += 1;
            }
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        Ok(started)
    }

    /// Makes attempts, as long as there are some for this place.
    async fn fly(self: Arc<Worker>, mut flight: Flight) {
        loop {
            if let Err(error) = self.deliver(&flight.delivery).await {
                let event = flight.delivery.event_id.as_str();
                tracing::warn!(?error, event, "webhooks: an attempt could not be made");
            }
            match flight.next() {
                Some(next) => flight = next,
                None => return,
            }
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment::from_millis(self.parts.clock.now_millis())
    }
}

/// What this worker has under way, by endpoint: a few attempts at one time, and behind them some that
/// were found due and wait for room. Nobody has a lease on those that wait.
#[derive(Clone, Default)]
struct Lanes(Arc<Mutex<HashMap<String, Lane>>>);

#[derive(Default)]
struct Lane {
    /// Events that are under way or wait.
    known: HashSet<String>,
    waiting: VecDeque<Delivery>,
    flights: usize,
}

/// One place among an endpoint's attempts, and the delivery that has it.
struct Flight {
    lanes: Lanes,
    delivery: Delivery,
}

impl Lanes {
    /// A place for a delivery that is not under way; without room it waits, or is left for later.
    fn take(&self, delivery: Delivery, most: usize) -> Option<Flight> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = lanes.entry(delivery.endpoint_id.clone()).or_default();
        let room = lane.flights < most;
        if (!room && lane.waiting.len() >= WAITING_MAX)
            || !lane.known.insert(delivery.event_id.clone())
        {
            return None;
        }
        if room {
            lane.flights += 1;
            return Some(Flight { lanes: self.clone(), delivery });
        }
        lane.waiting.push_back(delivery);
        None
    }
}

impl Flight {
    /// The place with the delivery that waits for it; gives the place up if none does.
    fn next(mut self) -> Option<Flight> {
        let next = {
            let mut lanes = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
            let lane = lanes.get_mut(&self.delivery.endpoint_id)?;
            lane.known.remove(&self.delivery.event_id);
            lane.waiting.pop_front()?
        };
        self.delivery = next;
        Some(self)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut lanes = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(lane) = lanes.get_mut(&self.delivery.endpoint_id) else { return };
        lane.known.remove(&self.delivery.event_id);
        lane.flights -= 1;
        // Whatever still waits, because an attempt panicked, is found again in the table.
        if lane.flights == 0 {
            lanes.remove(&self.delivery.endpoint_id);
        }
    }
}
