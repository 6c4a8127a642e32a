//! Time and identity, injected: production code never asks the machine directly.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the database takes the time from.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_millis(&self) -> u64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now_millis(&self) -> u64 {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since_epoch.map_or(0, |duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still until it is told otherwise. Clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that shows this time.
    pub fn new(now_millis: u64) -> Self {
        ManualClock(Arc::new(AtomicU64::new(now_millis)))
    }

    /// Moves the clock forward.
    pub fn advance(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Where the database takes random 128-bit identifiers from (table ids, stream labels, events).
pub trait Ids: Send + Sync + 'static {
    /// A number that has not been given out before.
    fn next(&self) -> u128;
}

/// Identifiers from the standard library's random hash keys, new for each database that is opened, and
/// a counter. They need to be distinct, not secret.
#[derive(Debug, Default)]
pub struct RandomIds {
    keys: std::hash::RandomState,
    counter: AtomicU64,
}

impl Ids for RandomIds {
    fn next(&self) -> u128 {
        use std::hash::BuildHasher as _;
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        let high = self.keys.hash_one((count, 0_u8));
        let low = self.keys.hash_one((count, 1_u8));
        (u128::from(high) << 64) | u128::from(low)
    }
}

/// Identifiers that count up from one, for repeatable tests.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl Ids for SequentialIds {
    fn next(&self) -> u128 {
        u128::from(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// The usual text of a 128-bit identifier: `8-4-4-4-12` hexadecimal digits, marked as version 4.
pub fn uuid_text(id: u128) -> String {
    let id = (id & !(0xF000 << 64) & !(0xC000 << 48)) | (0x4000 << 64) | (0x8000 << 48);
    let hex = format!("{id:032x}");
    let parts = [&hex[0..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_has_the_shape_of_a_version_4_uuid() {
        let text = uuid_text(u128::MAX);
        assert_eq!(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn random_identifiers_differ() {
        let ids = RandomIds::default();
        assert_ne!(ids.next(), ids.next());
    }
}
