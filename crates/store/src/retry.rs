//! Trying again: how often, and how long to wait before.
//!
//! The wait before attempt n is a random part of `pause_first * 2^n`, never more than `pause_max`, so
//! that callers who met once do not meet again.

use std::time::Duration;

use database::{CancellationCode, CancellationReason};

use crate::backend::{Answer, BackendError, Pending};
use crate::settings::Settings;

/// How often and how soon a request is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts, the first included.
    pub attempts_max: u32,
    /// The longest wait before the second attempt.
    pub pause_first: Duration,
    /// The longest wait of all.
    pub pause_max: Duration,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry {
            attempts_max: 6,
            pause_first: Duration::from_millis(25),
            pause_max: Duration::from_secs(2),
        }
    }
}

/// What came of a request after all its attempts.
pub(crate) struct Outcome<T> {
    pub result: Result<Answer<T>, BackendError>,
    /// Whether an earlier attempt may have been carried out without an answer.
    pub uncertain: bool,
}

/// Tries until it is done, is refused for good, or has been tried often enough.
pub(crate) async fn attempts<'a, T>(
    settings: &Settings,
    mut attempt: impl FnMut() -> Pending<'a, T>,
) -> Outcome<T> {
    let mut attempts = Attempts::first(settings);
    loop {
        let result = attempt().await;
        if let Err(error) = &result
            && attempts.next(error).await
        {
            continue;
        }
        return Outcome { result, uncertain: attempts.uncertain };
    }
}

/// The attempts at one request.
pub(crate) struct Attempts<'s> {
    settings: &'s Settings,
    count: u32,
    uncertain: bool,
}

impl<'s> Attempts<'s> {
    /// Before the first one.
    pub fn first(settings: &'s Settings) -> Attempts<'s> {
        Attempts { settings, count: 1, uncertain: false }
    }

    /// Waits until the time of another one has come; false if there is to be none after this error.
    pub async fn next(&mut self, error: &BackendError) -> bool {
        if !is_worth_another(error) || self.count >= self.settings.retry.attempts_max {
            return false;
        }
        self.uncertain |= matches!(error, BackendError::Unavailable(_));
        self.settings.pauses.pause(wait(self.settings, self.count)).await;
        self.count += 1;
        true
    }
}

/// A random part of the longest wait.
pub(crate) fn wait(settings: &Settings, attempt: u32) -> Duration {
    let Retry { pause_first, pause_max, .. } = settings.retry;
    let doubled = pause_first.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
    let longest = doubled.min(pause_max);
    let mut chance = [u8::MAX; 4];
    // Without chance, the longest wait is the safe one.
    let _ = settings.randomness.fill(&mut chance);
    longest.mul_f64(f64::from(u32::from_le_bytes(chance)) / f64::from(u32::MAX))
}

fn is_worth_another(error: &BackendError) -> bool {
    match error {
        BackendError::Busy(_) | BackendError::Unavailable(_) => true,
        BackendError::TransactionCanceled(reasons) => is_conflict_only(reasons),
        BackendError::ConditionFailed { .. } | BackendError::Refused { .. } => false,
    }
}

/// A transaction that failed for nothing but other transactions may well succeed next time.
fn is_conflict_only(reasons: &[CancellationReason]) -> bool {
    let mut at_fault = reasons.iter().filter(|reason| reason.code != CancellationCode::None);
    let mut some = false;
    at_fault.all(|reason| {
        some = true;
        reason.code == CancellationCode::TransactionConflict
    }) && some
}
