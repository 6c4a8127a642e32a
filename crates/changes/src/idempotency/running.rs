//! The requests that this process works on, where the store is its own: a claim then costs no write. What
//! others who reach the store might do meanwhile is for the condition under which an answer is kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The fingerprints of requests by their hashes.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<HashMap<String, String>>);

/// One of them. It is left when this is dropped, so that whoever gives up is not waited for.
#[derive(Debug)]
pub(super) struct Entry {
    running: Arc<Running>,
    hash: String,
}

impl Running {
    /// Enters a request; the fingerprint of the one that is there already instead.
    pub fn enter(self: &Arc<Running>, hash: &str, fingerprint: &str) -> Result<Entry, String> {
        let mut requests = self.requests();
        if let Some(known) = requests.get(hash) {
            return Err(known.clone());
        }
        requests.insert(hash.to_owned(), fingerprint.to_owned());
        Ok(Entry { running: Arc::clone(self), hash: hash.to_owned() })
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.running.requests().remove(&self.hash);
    }
}
