//! What the limits that a request met say to its client.

use std::sync::{Arc, Mutex, PoisonError};

use crate::decision::{Decision, Verdict};

/// The verdicts on a request, which its answer tells whether it is an error or not: those of its
/// credential, of its route, and those that only the handler could ask. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct RateLimitHeaders(Arc<Mutex<Decision>>);

impl RateLimitHeaders {
    /// Adds the verdicts of some policies.
    pub fn add(&self, verdicts: impl IntoIterator<Item = Verdict>) {
        let mut decision = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verdicts.into_iter().for_each(|verdict| decision.add(verdict));
    }

    /// The values of `RateLimit` and `RateLimit-Policy`.
    pub fn values(&self) -> [(&'static str, Option<String>); 2] {
        let decision = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [("ratelimit", decision.rate_limit()), ("ratelimit-policy", decision.rate_limit_policy())]
    }
}
