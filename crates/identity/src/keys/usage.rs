//! When keys were last used: noted here as they are accepted, written now and then by a worker.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kernel::moment::Moment;

use super::key::Key;

/// A later use is not worth a write before so much time has passed.
const WORTH: Duration = Duration::from_secs(15 * 60);
/// How many keys are noted between two writes; of more than these, some uses go unnoted.
const NOTED_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Usage(Mutex<HashMap<String, Moment>>);

impl Usage {
    /// Notes that a key was accepted.
    pub fn note(&self, key: &Key, now: Moment) {
        if key.last_used_at.is_some_and(|last| now.since(last) < WORTH) {
            return;
        }
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < NOTED_MAX || noted.contains_key(&key.hash) {
            noted.insert(key.hash.clone(), now);
        }
    }

    /// What was noted since the last time.
    pub fn take(&self) -> HashMap<String, Moment> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
