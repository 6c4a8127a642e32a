//! A worker: finds what is due in the table and does it. Any number of them, in any number of
//! processes, share the work of one store: a claim with a lease decides who does what, and a fence
//! keeps one that was too slow from writing.

use std::collections::VecDeque;
use std::sync::Arc;

use changes::Changes;
use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::metrics::Counter;
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use store::{List, Pauses, Store};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::SHARDS;
use crate::client::Sender;
use crate::dispatch::Subscribers;
use crate::endpoints::Endpoints;
use crate::events::{Outbox, Publisher, StoredEvent};
use crate::lanes::{Flight, Lanes, Taken};
use crate::owner::Owner;
use crate::records::Delivery;
use crate::settings::Settings;

/// Items of a list of what is due that are read at once.
const PAGE_ITEMS: u32 = 100;
/// Pages without anything that has room after which a look ends, until there is room again.
const IDLE_PAGES_MAX: usize = 2;
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
pub struct Worker {
    pub(crate) parts: Parts,
    pub(crate) table: WebhookEvents,
    lanes: Lanes,
}

/// A part of what is due, and how far it was looked through.
struct Due {
    status: &'static str,
    shard: i64,
    place: Option<(List, String)>,
}

impl Worker {
    /// A worker that does nothing yet.
    pub fn new(parts: Parts) -> Arc<Worker> {
        let table = parts.outbox.table().clone();
        let lanes = Lanes::new(&parts.settings);
        Arc::new(Worker { parts, table, lanes })
    }

    /// Works until it is told to stop, and then finishes what it has begun.
    pub async fn run(self: Arc<Worker>, mut stop: watch::Receiver<bool>) {
        let mut tasks = JoinSet::new();
        let mut lists = lists();
        // Not where the others begin: they would all claim the same.
        let first = self.parts.ids.bytes().map_or(0, u16::from_le_bytes);
        lists.rotate_left(usize::from(first) % lists.len());
        while !*stop.borrow() {
            while tasks.try_join_next().is_some() {}
            let news = self.parts.outbox.news().notified();
            match self.pump(&mut lists, &mut tasks).await {
                // There may be more of them.
                Ok(dispatched) if dispatched > 0 => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!(?error, "webhooks: cannot look for what is due"),
            }
            let pause = self.parts.pauses.pause(self.parts.settings.poll);
            tokio::select! {
                () = news => {}
                () = pause => {}
                () = self.lanes.room().notified() => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
        self.lanes.forget_waiting();
        while tasks.join_next().await.is_some() {}
    }

    /// Does everything that is due now, and what becomes due by it.
    pub async fn drain(self: &Arc<Worker>) -> Result<usize, Error> {
        let mut done = 0;
        let mut lists = lists();
        loop {
            let mut tasks = JoinSet::new();
            let dispatched = self.pump(&mut lists, &mut tasks).await?;
            let started = dispatched + tasks.len();
            while tasks.join_next().await.is_some() {}
            if started == 0 {
                return Ok(done);
            }
            done += started;
        }
    }

    /// Starts what is due and has room; gives how many events were dispatched. A look through what is
    /// due goes on where the one before stopped, so that what is behind a long queue is found as well,
    /// without looking through that queue each time.
    async fn pump(
        self: &Arc<Worker>,
        lists: &mut VecDeque<Due>,
        tasks: &mut JoinSet<()>,
    ) -> Result<usize, Error> {
        let first = i64::from(u16::from_le_bytes(self.parts.ids.bytes()?));
        let mut dispatched = 0;
        for shard in (0..SHARDS).map(|at| (first + at) % SHARDS) {
            dispatched += self.dispatch_due(shard).await?;
        }
        let mut idle_pages = 0;
        for _ in 0..lists.len() {
            let Some(due) = lists.front_mut() else { break };
            if !self.start_due(due, tasks, &mut idle_pages).await? {
                break;
            }
            lists.rotate_left(1);
        }
        Ok(dispatched)
    }

    /// Dispatches the events of one part of the index; gives how many. Where another worker is at
    /// them already, they are left to it.
    async fn dispatch_due(self: &Arc<Worker>, shard: i64) -> Result<usize, Error> {
        let list = self.table.list_due("new", shard, &self.now().to_string());
        let page = list.page::<StoredEvent>("", PAGE_ITEMS, None).await?;
        let mut events = page.items.into_iter();
        let subscribers = Arc::new(Subscribers::default());
        let mut running = JoinSet::new();
        let (mut dispatched, mut is_alone) = (0, true);
        loop {
            while is_alone
                && running.len() < DISPATCHED_TOGETHER
                && let Some(event) = events.next()
            {
                let (worker, subscribers) = (Arc::clone(self), Arc::clone(&subscribers));
                running.spawn(async move { worker.dispatch(event, &subscribers).await });
            }
            match running.join_next().await {
                None => return Ok(dispatched),
                Some(Ok(Ok(true))) => dispatched += 1,
                Some(Ok(Ok(false))) => is_alone = false,
                Some(Ok(Err(error))) => tracing::warn!(?error, "webhooks: an event waits"),
                Some(Err(_)) => {}
            }
        }
    }

    /// Starts deliveries of one list, to its end; false if there is no room for more, or too little
    /// was found that has room. Those whose endpoint has none are passed over, so that a slow endpoint
    /// does not stand in the way.
    async fn start_due(
        self: &Arc<Worker>,
        due: &mut Due,
        tasks: &mut JoinSet<()>,
        idle_pages: &mut usize,
    ) -> Result<bool, Error> {
        let (list, mut token) = match due.place.take() {
            Some((list, token)) => (list, Some(token)),
            None => {
                let now = self.now().to_string();
                (self.table.list_due(due.status, due.shard, &now), None)
            }
        };
        loop {
            if *idle_pages >= IDLE_PAGES_MAX || !self.lanes.has_room() {
                due.place = token.map(|token| (list, token));
                return Ok(false);
            }
            let page = list.page::<Delivery>("", PAGE_ITEMS, token.as_deref()).await?;
            let (found, mut taken, mut is_full) = (page.items.len(), 0, false);
            for delivery in page.items {
                is_full |= !self.lanes.has_room();
                match self.lanes.take(delivery) {
                    Taken::Flies(flight) => {
                        tasks.spawn(Arc::clone(self).fly(*flight));
                        taken += 1;
                    }
                    Taken::Waits => taken += 1,
                    Taken::Not => {}
                }
            }
            if is_full {
                // The page is looked at again for those that found no room.
                due.place = token.map(|token| (list, token));
                return Ok(false);
            }
            *idle_pages += usize::from(found > 0 && taken == 0);
            token = page.next;
            if token.is_none() {
                return Ok(true);
            }
        }
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

/// Every list of what is due. The index has those whose lease has ended under `delivering`.
fn lists() -> VecDeque<Due> {
    let of = |status| (0..SHARDS).map(move |shard| Due { status, shard, place: None });
    of("pending").chain(of("delivering")).collect()
}
