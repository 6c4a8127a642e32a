//! A change of a key as data: what to write, to record and to tell, for one transaction.

use audit::Entry;
use changes::{Change, Conflict, Event};
use secrets::Secret;
use serde_json::json;
use store::Write;

use super::key::Key;

/// A change that is to be committed.
#[must_use = "a change does nothing until its writes are committed"]
pub struct Changed {
    /// The key as it will be.
    pub key: Key,
    /// What to write, all in one transaction.
    pub writes: Vec<Write>,
    /// What to record.
    pub entry: Entry,
    /// What to tell others.
    pub event: Event,
}

/// A new key that is to be committed, with its secret.
#[must_use = "a key does not exist until its writes are committed"]
pub struct Made {
    /// The key itself, to be shown once.
    pub secret: Secret,
    /// The change.
    pub changed: Changed,
}

impl Made {
    /// Adds it to a change.
    pub fn add_to(&self, change: &mut Change) {
        self.changed.add_to(change);
    }
}

impl Changed {
    /// Adds it to a change. A false condition means that another request changed the key since it was
    /// read.
    pub fn add_to(&self, change: &mut Change) {
        for write in &self.writes {
            change.add(write.clone(), Conflict);
        }
        change.record(self.entry.clone());
        change.emit(self.event.clone());
    }

    pub(super) fn new(
        action: &'static str,
        event: &str,
        before: Option<&Key>,
        after: Key,
        writes: Vec<Write>,
    ) -> Changed {
        let shown = after.shown();
        let entry = Entry::new("APIKEY", action, after.account_id.as_str())
            .of("api_key", after.id.as_str())
            .changed(before.map(Key::shown), Some(shown.clone()));
        let event = Event::new(event, after.account_id.as_str(), json!({ "api_key": shown }));
        Changed { key: after, writes, entry, event }
    }
}
