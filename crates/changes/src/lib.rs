//! What does a request change? Everything, or nothing: its writes, the audit events that record them,
//! the events that others hear of, and its answer, for whoever repeats the request, are one
//! transaction.

mod answer;
mod commit;
mod event;
pub mod idempotency;
mod outbox;
mod request;

use std::sync::Arc;

pub use answer::{Answer, Rest, etag};
use audit::{Adjust, Audit, Entry, NewRule};
pub use commit::CommitError;
pub use event::{BusName, Event};
pub use outbox::{NoOutbox, Outbox, OutboxWrites};
pub use request::Request;
use store::Write;

use crate::idempotency::Idempotency;

/// Where changes begin. Cloning is cheap.
#[derive(Clone)]
pub struct Changes {
    audit: Audit,
    outbox: Arc<dyn Outbox>,
    idempotency: Idempotency,
}

impl Changes {
    /// Changes that are recorded there, told there, and answered once.
    pub fn new(audit: Audit, outbox: Arc<dyn Outbox>, idempotency: Idempotency) -> Changes {
        Changes { audit, outbox, idempotency }
    }

    /// A change that a request makes, with nothing in it yet.
    pub fn begin(&self, request: Request) -> Change {
        let (writes, entries, events) = (Vec::new(), Vec::new(), Vec::new());
        Change { changes: self.clone(), request, writes, entries, events, adjust: None }
    }

    /// The requests that were seen.
    pub fn idempotency(&self) -> &Idempotency {
        &self.idempotency
    }

    /// The audit log.
    pub fn audit(&self) -> &Audit {
        &self.audit
    }
}

/// What a request changes.
#[must_use = "a change does nothing until it is committed"]
pub struct Change {
    changes: Changes,
    request: Request,
    writes: Vec<Write>,
    entries: Vec<Entry>,
    events: Vec<Event>,
    adjust: Option<Adjust>,
}

impl Change {
    /// Adds a write. Its place is what [`CommitError::Condition`] names.
    pub fn add(&mut self, write: Write) -> usize {
        self.writes.push(write);
        self.writes.len() - 1
    }

    /// Has something recorded.
    pub fn record(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Has an account's log kept by another rule, and that recorded. A change has one rule at most, and
    /// records nothing of other accounts.
    pub fn keep_log(&mut self, rule: NewRule) {
        self.entries.push(rule.entry);
        self.adjust = Some(rule.adjust);
    }

    /// Has others told.
    pub fn emit(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The request that makes it.
    pub fn request(&self) -> &Request {
        &self.request
    }
}
