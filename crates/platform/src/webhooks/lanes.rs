//! What a worker has under way, by endpoint: a few attempts at one time, and behind them some that
//! were found due and wait for room. Nobody has a lease on those that wait.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::webhooks::records::Delivery;
use crate::webhooks::settings::Settings;

/// Deliveries of one endpoint that wait, for each of its places: enough to keep them busy until the
/// worker has looked again, and few enough that other workers find some too.
const WAITING_FOR_EACH: usize = 4;

/// The lanes of a worker. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Lanes {
    inner: Arc<Mutex<Inner>>,
    room: Arc<Notify>,
    /// Attempts at one time.
    most: usize,
    /// Attempts at one time to one endpoint.
    most_each: usize,
}

#[derive(Default)]
struct Inner {
    lanes: HashMap<String, Lane>,
    flights: usize,
    /// Something was not looked at for want of room.
    is_crowded: bool,
}

#[derive(Default)]
struct Lane {
    /// Events that are under way or wait.
    known: HashSet<String>,
    waiting: VecDeque<Delivery>,
    flights: usize,
    /// A delivery was passed over for want of room.
    is_crowded: bool,
}

/// One place among an endpoint's attempts, and the delivery that has it.
pub(crate) struct Flight {
    lanes: Lanes,
    pub delivery: Delivery,
}

/// What becomes of a delivery that is due.
pub(crate) enum Taken {
    /// An attempt is to be made.
    Flies(Box<Flight>),
    /// It waits for an attempt to end.
    Waits,
    /// It is under way or waits already, or there is no room.
    Not,
}

impl Lanes {
    pub(crate) fn new(settings: &Settings) -> Lanes {
        let (most, most_each) = (settings.concurrency.max(1), settings.endpoint_concurrency.max(1));
        Lanes { inner: Arc::default(), room: Arc::default(), most, most_each }
    }

    /// Whether there is room for another attempt. If not, [`Lanes::room`] tells when there is.
    pub(crate) fn has_room(&self) -> bool {
        let mut inner = self.lock();
        inner.is_crowded |= inner.flights >= self.most;
        inner.flights < self.most
    }

    /// A place for a delivery that is not under way; without room it waits, or is left for later.
    pub(crate) fn take(&self, delivery: Delivery) -> Taken {
        let mut inner = self.lock();
        let lane = inner.lanes.entry(delivery.endpoint_id.clone()).or_default();
        if lane.known.contains(&delivery.event_id) {
            return Taken::Not;
        }
        let has_room = lane.flights < self.most_each;
        if !has_room && lane.waiting.len() >= self.most_each * WAITING_FOR_EACH {
            lane.is_crowded = true;
            return Taken::Not;
        }
        lane.known.insert(delivery.event_id.clone());
        if !has_room {
            lane.waiting.push_back(delivery);
            return Taken::Waits;
        }
        lane.flights += 1;
        inner.flights += 1;
        Taken::Flies(Box::new(Flight { lanes: self.clone(), delivery }))
    }

    /// What a worker waits for that found something for which there was no room.
    pub(crate) fn room(&self) -> &Notify {
        &self.room
    }

    /// Forgets what waits.
    pub(crate) fn forget_waiting(&self) {
        for lane in self.lock().lanes.values_mut() {
            for delivery in std::mem::take(&mut lane.waiting) {
                lane.known.remove(&delivery.event_id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    /// The place with the delivery that waits for it; gives the place up if none does.
    pub(crate) fn next(mut self) -> Option<Flight> {
        let next = {
            let mut inner = self.lanes.lock();
            let lane = inner.lanes.get_mut(&self.delivery.endpoint_id)?;
            lane.known.remove(&self.delivery.event_id);
            let next = lane.waiting.pop_front()?;
            if lane.is_crowded && lane.waiting.len() < self.lanes.most_each {
                lane.is_crowded = false;
                self.lanes.room.notify_one();
            }
            next
        };
        self.delivery = next;
        Some(self)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut inner = self.lanes.lock();
        inner.flights -= 1;
        let mut is_room_wanted = std::mem::take(&mut inner.is_crowded);
        if let Some(lane) = inner.lanes.get_mut(&self.delivery.endpoint_id) {
            is_room_wanted |= lane.is_crowded;
            lane.known.remove(&self.delivery.event_id);
            lane.flights -= 1;
            // Whatever still waits, because an attempt panicked, is found again in the table.
            if lane.flights == 0 {
                inner.lanes.remove(&self.delivery.endpoint_id);
            }
        }
        if is_room_wanted {
            self.lanes.room.notify_one();
        }
    }
}
