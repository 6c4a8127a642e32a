//! When attempts are made: the schedule of Standard Webhooks, with jitter.

use std::time::Duration;

use kernel::error::Error;
use kernel::ids::Ids;

/// Seconds before each attempt, counted from the one before (C3-10).
const SECONDS: [u64; 10] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// How much later than scheduled an attempt may be, in percent of its delay.
const JITTER_PERCENT: u64 = 10;

/// The delays before attempts. An attempt is never made earlier, and up to a tenth later, so that
/// what failed together is not tried again together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    delays: Vec<Duration>,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule { delays: SECONDS.map(Duration::from_secs).to_vec() }
    }
}

impl Schedule {
    /// A schedule with these delays, one for each attempt.
    pub fn new(delays: Vec<Duration>) -> Schedule {
        Schedule { delays }
    }

    /// The delays.
    pub fn delays(&self) -> &[Duration] {
        &self.delays
    }

    /// The delay before the attempt after `made` attempts; none if the schedule ends there.
    pub fn delay_after(&self, made: usize) -> Option<Duration> {
        self.delays.get(made).copied()
    }
}

/// A delay, and up to a tenth more.
pub(crate) fn jittered(delay: Duration, ids: &Ids) -> Result<Duration, Error> {
    let most = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX / 100) * JITTER_PERCENT / 100;
    let chance = u64::from_le_bytes(ids.bytes()?);
    Ok(delay + Duration::from_millis(chance.checked_rem(most + 1).unwrap_or(0)))
}
