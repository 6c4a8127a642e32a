//! What a worker has under way, by endpoint: a few attempts at one time, and behind them some that
//! were found due and wait for room. Nobody has a lease on those that wait.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::records::Delivery;
use crate::settings::Settings;

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
    /// Something was passed over, or not looked at, for want of room.
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

    /// A place for a delivery that is not under way. Without room it waits behind others to its
    /// endpoint, or is left for later.
    pub(crate) fn take(&self, delivery: Delivery) -> Taken {
        let mut inner = self.lock();
        let is_full = inner.flights >= self.most;
        if is_full && !inner.lanes.contains_key(&delivery.endpoint_id) {
            inner.is_crowded = true;
            return Taken::Not;
        }
        let lane = inner.lanes.entry(delivery.endpoint_id.clone()).or_default();
        if lane.known.contains(&delivery.event_id) {
            return Taken::Not;
        }
        let has_room = !is_full && lane.flights < self.most_each;
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
        // Not at each: to look for one delivery is as much work as to look for many.
        let mut is_room_wanted =
            inner.is_crowded && inner.flights <= self.lanes.most - self.lanes.most / 4;
        inner.is_crowded &= !is_room_wanted;
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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use kernel::moment::Moment;

    use super::*;

    fn delivery(event: usize, endpoint: &str) -> Delivery {
        Delivery {
            event_id: format!("evt_{event}"),
            endpoint_id: endpoint.to_owned(),
            account_id: "acc-1".to_owned(),
            event_type: "sample".to_owned(),
            created_at: Moment::from_millis(0),
            status: "pending".to_owned(),
            shard: 0,
            next_retry_at: None,
            attempt_count: 0,
            step: 0,
            fence: 0,
            slot_at: None,
            lease_owner: None,
            lease_expires_at: None,
            delivered_at: None,
            stopped_reason: None,
            ttl: None,
        }
    }

    fn is_told(lanes: &Lanes) -> bool {
        lanes.room().notified().now_or_never().is_some()
    }

    /// When no attempt more can be made, what was read is not read in vain: it waits behind others to
    /// its endpoint. And it is worth looking again only when there is room for several.
    #[test]
    fn a_full_worker_lets_deliveries_wait_and_looks_again_when_a_quarter_is_free() {
        let settings = Settings { concurrency: 8, endpoint_concurrency: 4, ..Settings::default() };
        let lanes = Lanes::new(&settings);
        let mut flights = Vec::new();
        for (event, endpoint) in (0..8).zip(["a", "b"].into_iter().cycle()) {
            let Taken::Flies(flight) = lanes.take(delivery(event, endpoint)) else { panic!() };
            flights.push(flight);
        }
        assert!(!lanes.has_room());
        assert!(matches!(lanes.take(delivery(8, "a")), Taken::Waits));
        assert!(matches!(lanes.take(delivery(8, "a")), Taken::Not), "it waits already");
        assert!(matches!(lanes.take(delivery(8, "c")), Taken::Not), "nobody would take it on");
        let next = flights.remove(0).next().unwrap();
        assert_eq!((next.delivery.event_id.as_str(), is_told(&lanes)), ("evt_8", false));
        drop(next);
        assert!(!is_told(&lanes), "one place");
        flights.pop();
        assert!(is_told(&lanes), "a quarter");
        assert!(matches!(lanes.take(delivery(9, "c")), Taken::Flies(_)));
    }
}
