//! What a worker has under way, by lane: a few tasks at one time, and behind them some candidates that
//! were found due and wait for a place. No worker has a lease on those that wait.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::work::Candidate;
use crate::worker::Settings;

/// Candidates of one lane that wait, for each of its places: enough to keep them busy until the worker
/// has looked again, and few enough that other workers find some too.
const WAITING_FOR_EACH: usize = 4;

/// The lanes of a worker.
pub(crate) struct Lanes<C> {
    inner: Arc<Mutex<Inner<C>>>,
    room: Arc<Notify>,
    /// Tasks at one time.
    most: usize,
    /// Tasks at one time in one lane.
    most_each: usize,
}

impl<C> Clone for Lanes<C> {
    fn clone(&self) -> Lanes<C> {
        let (inner, room) = (Arc::clone(&self.inner), Arc::clone(&self.room));
        Lanes { inner, room, most: self.most, most_each: self.most_each }
    }
}

struct Inner<C> {
    lanes: HashMap<String, Lane<C>>,
    running: usize,
    /// Something was passed over, or not looked at, for want of room.
    is_crowded: bool,
    /// Candidates that waited in a lane whose last slot was given up.
    forgotten: usize,
}

struct Lane<C> {
    /// Candidates that are under way or wait.
    ids: HashSet<String>,
    waiting: VecDeque<C>,
    running: usize,
    /// A candidate was passed over for want of room.
    is_crowded: bool,
}

/// One place in a lane, and the candidate that has it.
pub(crate) struct Slot<C: Candidate> {
    lanes: Lanes<C>,
    pub candidate: C,
}

/// What becomes of a candidate.
pub(crate) enum Admission<C: Candidate> {
    /// It is to be run.
    Run(Box<Slot<C>>),
    /// It waits for a task of its lane to end.
    Wait,
    /// It is under way or waits already.
    Duplicate,
    /// There is no room for it.
    Full,
}

impl<C: Candidate> Lanes<C> {
    pub(crate) fn new(settings: &Settings) -> Lanes<C> {
        let (most, most_each) = (settings.concurrency.max(1), settings.lane_concurrency.max(1));
        let inner = Inner { lanes: HashMap::new(), running: 0, is_crowded: false, forgotten: 0 };
        Lanes { inner: Arc::new(Mutex::new(inner)), room: Arc::default(), most, most_each }
    }

    /// Whether there is room for another task. If not, [`Lanes::room`] tells when there is.
    pub(crate) fn has_room(&self) -> bool {
        let mut inner = self.lock();
        inner.is_crowded |= inner.running >= self.most;
        inner.running < self.most
    }

    /// A place for a candidate that is not under way. Without room it waits behind others of its lane,
    /// or is left for later.
    pub(crate) fn admit(&self, candidate: C) -> Admission<C> {
        let mut inner = self.lock();
        let is_full = inner.running >= self.most;
        if is_full && !inner.lanes.contains_key(candidate.lane()) {
            inner.is_crowded = true;
            return Admission::Full;
        }
        let lane = inner.lanes.entry(candidate.lane().to_owned()).or_default();
        if lane.ids.contains(candidate.id()) {
            return Admission::Duplicate;
        }
        let has_room = !is_full && lane.running < self.most_each;
        if !has_room && lane.waiting.len() >= self.most_each * WAITING_FOR_EACH {
            lane.is_crowded = true;
            return Admission::Full;
        }
        lane.ids.insert(candidate.id().to_owned());
        if !has_room {
            lane.waiting.push_back(candidate);
            return Admission::Wait;
        }
        lane.running += 1;
        inner.running += 1;
        Admission::Run(Box::new(Slot { lanes: self.clone(), candidate }))
    }

    /// What a worker waits for that found something for which there was no room.
    pub(crate) fn room(&self) -> &Notify {
        &self.room
    }

    /// Forgets the candidates that wait; returns how many were forgotten since the last call.
    pub(crate) fn forget_waiting(&self) -> usize {
        let mut inner = self.lock();
        let mut forgotten = std::mem::take(&mut inner.forgotten);
        for lane in inner.lanes.values_mut() {
            for candidate in std::mem::take(&mut lane.waiting) {
                lane.ids.remove(candidate.id());
                forgotten += 1;
            }
        }
        forgotten
    }

    fn lock(&self) -> MutexGuard<'_, Inner<C>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C> Default for Lane<C> {
    fn default() -> Lane<C> {
        Lane { ids: HashSet::new(), waiting: VecDeque::new(), running: 0, is_crowded: false }
    }
}

impl<C: Candidate> Slot<C> {
    /// The place with the candidate that waits for it; gives the place up if none does.
    pub(crate) fn next(mut self) -> Option<Slot<C>> {
        let next = {
            let mut inner = self.lanes.lock();
            let lane = inner.lanes.get_mut(self.candidate.lane())?;
            lane.ids.remove(self.candidate.id());
            let next = lane.waiting.pop_front()?;
            if lane.is_crowded && lane.waiting.len() < self.lanes.most_each {
                lane.is_crowded = false;
                self.lanes.room.notify_one();
            }
            next
        };
        self.candidate = next;
        Some(self)
    }
}

impl<C: Candidate> Drop for Slot<C> {
    fn drop(&mut self) {
        let mut inner = self.lanes.lock();
        inner.running -= 1;
        // Not at each: to look for one candidate is as much work as to look for many.
        let mut is_room_wanted =
            inner.is_crowded && inner.running <= self.lanes.most - self.lanes.most / 4;
        inner.is_crowded &= !is_room_wanted;
        if let Some(lane) = inner.lanes.get_mut(self.candidate.lane()) {
            is_room_wanted |= lane.is_crowded;
            lane.ids.remove(self.candidate.id());
            lane.running -= 1;
            // What still waits, because a task panicked or a round has ended, is found again in the
            // table.
            if lane.running == 0 {
                let lane = inner.lanes.remove(self.candidate.lane());
                inner.forgotten += lane.map_or(0, |lane| lane.waiting.len());
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

    use super::*;

    struct Sample {
        id: String,
        lane: &'static str,
    }

    impl Candidate for Sample {
        fn id(&self) -> &str {
            &self.id
        }

        fn lane(&self) -> &str {
            self.lane
        }
    }

    fn sample(number: usize, lane: &'static str) -> Sample {
        Sample { id: number.to_string(), lane }
    }

    fn is_told(lanes: &Lanes<Sample>) -> bool {
        lanes.room().notified().now_or_never().is_some()
    }

    /// When no more tasks can be run, what was read is not read in vain: it waits behind others of its
    /// lane. And it is worth looking again only when there is room for several.
    #[test]
    fn a_full_worker_lets_candidates_wait_and_looks_again_when_a_quarter_is_free() {
        let settings = Settings { concurrency: 8, lane_concurrency: 4, ..Settings::default() };
        let lanes = Lanes::new(&settings);
        let mut slots = Vec::new();
        for (number, lane) in (0..8).zip(["a", "b"].into_iter().cycle()) {
            let Admission::Run(slot) = lanes.admit(sample(number, lane)) else { panic!() };
            slots.push(slot);
        }
        assert!(!lanes.has_room());
        assert!(matches!(lanes.admit(sample(8, "a")), Admission::Wait));
        assert!(matches!(lanes.admit(sample(8, "a")), Admission::Duplicate), "it waits already");
        assert!(matches!(lanes.admit(sample(8, "c")), Admission::Full), "nothing is before it");
        let next = slots.remove(0).next().unwrap();
        assert_eq!((next.candidate.id(), is_told(&lanes)), ("8", false));
        drop(next);
        assert!(!is_told(&lanes), "one place");
        slots.pop();
        assert!(is_told(&lanes), "a quarter");
        assert!(matches!(lanes.admit(sample(9, "c")), Admission::Run(_)));
    }
}
