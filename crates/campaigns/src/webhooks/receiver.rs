//! The endpoints' side: answers by rule, and counts what came.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use database::clock::{Clock as _, ManualClock};
use webhooks::{Outgoing, Posting, Reply, Sender};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How long the endpoint with an outage is away.
const OUTAGE: Duration = Duration::from_secs(20 * 60);

/// Everything that stands behind the endpoints' URLs, as one worker reaches it.
#[derive(Clone)]
pub struct Receiver {
    inner: Arc<Inner>,
    /// Requests of this worker.
    under_way: Arc<AtomicUsize>,
}

struct Inner {
    clock: ManualClock,
    start_millis: u64,
    seed: u64,
    /// By event and URL.
    seen: Mutex<HashMap<u64, Seen>>,
    requests: AtomicUsize,
    successes: AtomicUsize,
    under_way: AtomicUsize,
}

/// What came of one event at one URL.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Requests.
    pub requests: usize,
    /// The number of the last of them, which its answer says.
    pub last: usize,
    /// Requests after which the endpoint had the event.
    pub taken: usize,
    /// Requests whose worker was killed before it had the answer.
    pub cut_off: usize,
}

impl Receiver {
    pub fn new(clock: ManualClock, seed: u64) -> Receiver {
        let start_millis = clock.now_millis();
        let (requests, successes, under_way) = Default::default();
        let seen = Mutex::default();
        let inner = Inner { clock, start_millis, seed, seen, requests, successes, under_way };
        Receiver { inner: Arc::new(inner), under_way: Arc::default() }
    }

    /// The same for another worker.
    pub fn of_another(&self) -> Receiver {
        Receiver { inner: Arc::clone(&self.inner), under_way: Arc::default() }
    }

    pub fn requests(&self) -> usize {
        self.inner.requests.load(Ordering::SeqCst)
    }

    pub fn successes(&self) -> usize {
        self.inner.successes.load(Ordering::SeqCst)
    }

    /// Requests of this worker that have not been answered.
    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    /// Requests of all workers that have not been answered.
    pub fn all_under_way(&self) -> usize {
        self.inner.under_way.load(Ordering::SeqCst)
    }

    /// What came of an event at a URL.
    pub fn seen(&self, event_id: &str, url: &str) -> Seen {
        let key = self.inner.key(event_id, url);
        self.inner.seen().get(&key).copied().unwrap_or_default()
    }

    async fn answer(&self, outgoing: Outgoing) -> Result<Reply, String> {
        let inner = &self.inner;
        let number = inner.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let id = outgoing.headers.iter().find(|(name, _)| *name == "webhook-id");
        let key = inner.key(id.map_or("", |(_, value)| value), &outgoing.url);
        let chance = key;
        let nth = {
            let mut seen = inner.seen();
            let seen = seen.entry(key).or_default();
            (seen.requests, seen.last) = (seen.requests + 1, number);
            seen.requests
        };
        let mut request = UnderWay::new(self, key);
        // Some answers take a moment, so that workers are killed while they wait: before the endpoint
        // has the event, or after.
        let moment = Duration::from_millis(1 + chance / 64 % 7);
        if chance.is_multiple_of(16) {
            tokio::time::sleep(moment).await;
        }
        let away = outgoing.url.contains("/outage")
            && inner.clock.now_millis() - inner.start_millis
                < u64::try_from(OUTAGE.as_millis()).unwrap_or(u64::MAX);
        // Three in eight of a failing endpoint's events fail once, twice or three times.
        let failures = usize::try_from(chance / 16 % 8).unwrap_or(0).saturating_sub(4);
        if away || (outgoing.url.contains("/failing") && nth <= failures) {
            request.is_answered = true;
            return match chance % 3 {
                0 => Err("no connection".to_owned()),
                1 => Ok(Reply { status: 500, ..Reply::default() }),
                _ => Ok(Reply { status: 302, ..Reply::default() }),
            };
        }
        inner.successes.fetch_add(1, Ordering::SeqCst);
        inner.seen().entry(key).or_default().taken += 1;
        if chance % 16 == 1 {
            tokio::time::sleep(moment).await;
        }
        request.is_answered = true;
        Ok(Reply { status: 200, body: number.to_string().into_bytes(), ..Reply::default() })
    }
}

impl Inner {
    fn key(&self, event_id: &str, url: &str) -> u64 {
        xxh3_64_with_seed(format!("{event_id} {url}").as_bytes(), self.seed)
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<u64, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sender for Receiver {
    fn post(&self, outgoing: Outgoing) -> Posting<'_> {
        Box::pin(self.answer(outgoing))
    }
}

/// Counts a request for as long as it is under way, and notices if its worker is killed.
struct UnderWay<'r> {
    receiver: &'r Receiver,
    key: u64,
    is_answered: bool,
}

impl UnderWay<'_> {
    fn new(receiver: &Receiver, key: u64) -> UnderWay<'_> {
        receiver.under_way.fetch_add(1, Ordering::SeqCst);
        receiver.inner.under_way.fetch_add(1, Ordering::SeqCst);
        UnderWay { receiver, key, is_answered: false }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.receiver.under_way.fetch_sub(1, Ordering::SeqCst);
        self.receiver.inner.under_way.fetch_sub(1, Ordering::SeqCst);
        if !self.is_answered {
            self.receiver.inner.seen().entry(self.key).or_default().cut_off += 1;
        }
    }
}
