//! A burst rule in the store (GCRA): one number, the moment at which everything admitted so far is
//! due. A request moves it on by its share, and is refused if that would lead too far ahead.

use kernel::moment::Moment;
use patterns::platform::RateLimits;
use serde::{Deserialize, Serialize};
use store::Changes;

use super::counter::number;

const TRIES: usize = 16;

/// How a burst is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub burst: u64,
    /// The time that one request stands for, in microseconds.
    pub share_us: u64,
}

/// A bucket as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bucket {
    pub theoretical_arrival_us: u64,
}

/// What came of a request.
pub(super) struct Taken {
    pub admitted: bool,
    pub arrival_us: u64,
}

impl Rule {
    pub fn new(limit: u64, window_seconds: u64, burst: u64) -> Rule {
        // Rounded up: never faster than the limit.
        Rule { burst, share_us: (window_seconds * 1_000_000).div_ceil(limit.max(1)) }
    }

    /// The latest arrival with which a request of this cost is admitted; none if it never is.
    fn latest_us(&self, now_us: u64, cost: u64) -> Option<u64> {
        Some(now_us + self.burst.checked_sub(cost)?.saturating_mul(self.share_us))
    }

    /// How much more is admitted now.
    pub fn room(&self, arrival_us: u64, now: Moment) -> u64 {
        let now_us = now.millis() * 1000;
        let used = arrival_us.saturating_sub(now_us).div_ceil(self.share_us.max(1));
        self.burst.saturating_sub(used)
    }

    /// When a request of this cost is admitted; none if never.
    pub fn room_at(&self, arrival_us: u64, cost: u64) -> Option<Moment> {
        let ahead = self.latest_us(0, cost)?;
        Some(Moment::from_millis(arrival_us.saturating_sub(ahead).div_ceil(1000)))
    }
}

/// Takes from a burst, or finds that it cannot. `seen` is its arrival as last seen here.
pub(super) async fn take(
    table: &RateLimits,
    rule: &Rule,
    [subject, policy]: [&str; 2],
    cost: u64,
    now: Moment,
    seen: Option<u64>,
) -> Result<Taken, store::Error> {
    let now_us = now.millis() * 1000;
    let Some(latest_us) = rule.latest_us(now_us, cost) else {
        return Ok(Taken { admitted: false, arrival_us: seen.unwrap_or(now_us) });
    };
    let moved = cost.saturating_mul(rule.share_us);
    let mut arrival = seen;
    for _ in 0..TRIES {
        let is_idle = arrival.is_none_or(|arrival| arrival < now_us);
        let ttl = (now_us + rule.burst.saturating_mul(rule.share_us)) / 1_000_000 + 86_400;
        let changes = Changes::new().set("ttl", number(ttl));
        let counted = if is_idle {
            let changes = changes
                .set("subject", subject)
                .set("policy", policy)
                .set("theoretical_arrival_us", number(now_us + moved));
            table.start_burst(subject, policy, now_us).update(changes)
        } else {
            let changes = changes.add("theoretical_arrival_us", moved);
            table.count_burst(subject, policy, now_us, latest_us).update(changes)
        };
        match counted?.run_into::<Bucket>().await {
            Ok(bucket) => {
                let arrival = bucket.map(|bucket| bucket.theoretical_arrival_us);
                return Ok(Taken { admitted: true, arrival_us: arrival.unwrap_or(now_us + moved) });
            }
            Err(store::Error::ConditionFailed { found }) => {
                let found: Option<Bucket> = found.map(store::Record::from_item).transpose()?;
                arrival = found.map(|bucket| bucket.theoretical_arrival_us);
                if let Some(arrival_us) = arrival.filter(|arrival| *arrival > latest_us) {
                    return Ok(Taken { admitted: false, arrival_us });
                }
            }
            Err(error) => return Err(error),
        }
    }
    Err(store::Error::Busy(format!("the limit {policy} of {subject} is contended")))
}
