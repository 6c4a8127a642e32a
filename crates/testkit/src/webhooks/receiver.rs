//! The endpoints' side: answers by rule, and counts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use database::clock::{Clock as _, ManualClock};
use platform::webhooks::{Outgoing, Posting, Reply, Sender};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How long the endpoint with an outage is away.
const OUTAGE: Duration = Duration::from_secs(20 * 60);

/// Everything that stands behind the endpoints' URLs.
#[derive(Clone)]
pub struct Receiver {
    inner: Arc<Inner>,
}

struct Inner {
    clock: ManualClock,
    start_millis: u64,
    seed: u64,
    /// Requests by event and URL: how many came, and how many were answered with success.
    counts: Mutex<HashMap<(String, String), (usize, usize)>>,
    requests: AtomicUsize,
    successes: AtomicUsize,
    under_way: AtomicUsize,
}

impl Receiver {
    pub fn new(clock: ManualClock, seed: u64) -> Receiver {
        let start_millis = clock.now_millis();
        let (requests, successes, under_way) = Default::default();
        let counts = Mutex::default();
        let inner = Inner { clock, start_millis, seed, counts, requests, successes, under_way };
        Receiver { inner: Arc::new(inner) }
    }

    pub fn requests(&self) -> usize {
        self.inner.requests.load(Ordering::SeqCst)
    }

    pub fn successes(&self) -> usize {
        self.inner.successes.load(Ordering::SeqCst)
    }

    pub fn under_way(&self) -> usize {
        self.inner.under_way.load(Ordering::SeqCst)
    }

    /// How many successes each event and URL had.
    pub fn taken(&self) -> Vec<usize> {
        let counts = self.inner.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.values().map(|(_, successes)| *successes).collect()
    }

    async fn answer(&self, outgoing: Outgoing) -> Result<Reply, String> {
        let inner = &self.inner;
        let _counted = UnderWay::new(inner);
        inner.requests.fetch_add(1, Ordering::SeqCst);
        let id = outgoing.headers.iter().find(|(name, _)| *name == "webhook-id");
        let id = id.map(|(_, value)| value.clone()).unwrap_or_default();
        let chance = xxh3_64_with_seed(format!("{id}{}", outgoing.url).as_bytes(), inner.seed);
        let key = (id, outgoing.url);
        let nth = {
            let mut counts = inner.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(key.clone()).or_default();
            count.0 += 1;
            count.0
        };
        // Some answers take a moment, so that workers can be killed while they wait.
        if chance % 16 == 0 {
            tokio::time::sleep(Duration::from_millis(1 + chance % 7)).await;
        }
        let away = key.1.contains("/outage")
            && inner.clock.now_millis() - inner.start_millis
                < u64::try_from(OUTAGE.as_millis()).unwrap_or(u64::MAX);
        // Half of a failing endpoint's events fail once or more, up to three times.
        let failures = usize::try_from(chance / 16 % 8).unwrap_or(0).saturating_sub(4);
        if away || (key.1.contains("/failing") && nth <= failures) {
            return match chance % 3 {
                0 => Err("no connection".to_owned()),
                1 => Ok(Reply { status: 500, ..Reply::default() }),
                _ => Ok(Reply { status: 302, ..Reply::default() }),
            };
        }
        inner.successes.fetch_add(1, Ordering::SeqCst);
        let mut counts = inner.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.entry(key).or_default().1 += 1;
        Ok(Reply { status: 204, ..Reply::default() })
    }
}

impl Sender for Receiver {
    fn post(&self, outgoing: Outgoing) -> Posting<'_> {
        Box::pin(self.answer(outgoing))
    }
}

/// Counts a request for as long as it is under way, also if its worker is killed.
struct UnderWay<'i>(&'i Inner);

impl UnderWay<'_> {
    fn new(inner: &Inner) -> UnderWay<'_> {
        inner.under_way.fetch_add(1, Ordering::SeqCst);
        UnderWay(inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}
