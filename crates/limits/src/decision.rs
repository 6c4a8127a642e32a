//! What the limits say to a request, and how headers say it.

use std::time::Duration;

use kernel::error::{Error, RATE_LIMITED};
use kernel::moment::Moment;

/// What one policy says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The policy's name.
    pub policy: String,
    /// Its limit for this subject.
    pub limit: u64,
    /// Its window's length.
    pub window_seconds: u64,
    /// Whether it admits the request.
    pub admitted: bool,
    /// Whether it only watches.
    pub shadow: bool,
    /// How much more it admits now.
    pub remaining: u64,
    /// How long until it admits more than that.
    pub reset: Duration,
    /// How long until it admits a request that it refused; none if it admitted it, or never will.
    pub retry_after: Option<Duration>,
    /// The moment for which it was counted.
    pub at: Moment,
    /// Whether the store could not be asked.
    pub degraded: bool,
}

impl Verdict {
    /// How near it is to refusing: the smaller the nearer.
    fn nearness(&self) -> (bool, u64) {
        (self.admitted, self.remaining)
    }
}

/// What all policies together say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Each policy that was asked, in order.
    pub verdicts: Vec<Verdict>,
}

impl Decision {
    /// Adds what a policy says. One that was asked about several subjects is there once: with the
    /// verdict that is nearest to a refusal.
    pub fn add(&mut self, verdict: Verdict) {
        match self.verdicts.iter_mut().find(|known| known.policy == verdict.policy) {
            Some(known) if known.nearness() <= verdict.nearness() => {}
            Some(known) => *known = verdict,
            None => self.verdicts.push(verdict),
        }
    }

    /// Whether the request is admitted. A policy that only watches refuses nobody.
    pub fn is_admitted(&self) -> bool {
        self.in_force().all(|verdict| verdict.admitted)
    }

    /// The policies that refuse it, or would if they were in force.
    pub fn refusing(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| !verdict.admitted)
    }

    /// The verdict to report: one that refuses, else the one with the least remaining.
    pub fn reported(&self) -> Option<&Verdict> {
        self.in_force().min_by_key(|verdict| verdict.nearness())
    }

    /// `RateLimit-Policy`: every policy that is in force, as `"default";q=100;w=60`.
    pub fn rate_limit_policy(&self) -> Option<String> {
        let mut header = String::new();
        for verdict in self.in_force() {
            let between = if header.is_empty() { "" } else { ", " };
            let (limit, window) = (verdict.limit.to_string(), verdict.window_seconds.to_string());
            header.extend([between, "\"", &verdict.policy, "\";q=", &limit, ";w=", &window]);
        }
        Some(header).filter(|header| !header.is_empty())
    }

    /// `RateLimit`: the policy that is nearest to its limit, as `"default";r=50;t=30`.
    pub fn rate_limit(&self) -> Option<String> {
        let verdict = self.reported()?;
        let (remaining, reset) =
            (verdict.remaining.to_string(), seconds(verdict.reset).to_string());
        Some(["\"", &*verdict.policy, "\";r=", &remaining, ";t=", &reset].concat())
    }

    /// `Retry-After`, in whole seconds: when every policy admits the request. Only of a refusal.
    pub fn retry_after(&self) -> Option<u64> {
        let refusals = self.in_force().filter(|verdict| !verdict.admitted);
        refusals.map(|verdict| verdict.retry_after.map_or(verdict.window_seconds, seconds)).max()
    }

    /// The refusal as an error; nothing if it is admitted.
    pub fn into_result(self) -> Result<Decision, Error> {
        let Some(after) = self.retry_after() else { return Ok(self) };
        let message = format!("Too many requests. Try again in {after} s");
        let policy = self.reported().map_or_else(String::new, |verdict| verdict.policy.clone());
        Err(Error::new(RATE_LIMITED, message)
            .detail("policy", policy)
            .retry_after(Duration::from_secs(after)))
    }

    fn in_force(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| !verdict.shadow)
    }
}

/// Whole seconds, rounded up: who comes back then is not early.
fn seconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis().div_ceil(1000)).unwrap_or(u64::MAX)
}
