//! How many operations, and how long each took.

use std::time::Duration;

use anyhow::Context as _;
use hdrhistogram::Histogram;

/// What a caller, or all of them, got done.
pub struct Tally {
    nanos: Histogram<u64>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

/// Longer waits count as this long.
const NANOS_MAX: u64 = 60_000_000_000;
/// A hundredth is exact enough.
const DIGITS: u8 = 2;

impl Tally {
    /// Nothing yet.
    pub fn new() -> anyhow::Result<Tally> {
        let nanos = Histogram::new_with_max(NANOS_MAX, DIGITS).context("no room for a tally")?;
        Ok(Tally { nanos, elapsed: Duration::ZERO })
    }

    /// One more operation.
    pub fn record(&mut self, duration: Duration) {
        self.nanos.saturating_record(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    /// What another caller got done.
    pub fn add(&mut self, other: &Tally) -> anyhow::Result<()> {
        self.nanos.add(&other.nanos).context("the tallies do not fit together")
    }

    /// How many operations.
    pub fn operations(&self) -> u64 {
        self.nanos.len()
    }

    /// How long the given share of the operations took at most.
    pub fn quantile_micros(&self, share: f64) -> f64 {
        self.nanos.value_at_quantile(share) as f64 / 1000.0
    }
}
