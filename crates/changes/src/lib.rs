//! What does a request change? Everything, or nothing: its writes, the audit entries that record them,
//! the events that others hear of, and the answer that is kept for repetitions are one transaction.
//!
//! ```text
//! Changes::make     prepares a change, commits it, and prepares it again if it met another one
//!   Change::add       a write, and what it means that its condition is false
//!   Change::publish   a domain event: history, audit entry, outgoing event
//!   Request<T>        who asks, and how the outcome T becomes the answer that is kept
//! ```
//!
//! Not here: what a service changes, HTTP beyond the kept answer, and the delivery of events.

mod answer;
mod commit;
mod domain_event;
mod event;
pub mod idempotency;
mod outbox;
mod refusal;
mod request;
mod retry;

use std::sync::Arc;

use audit::{Adjust, Audit, Entry, NewRule};
use kernel::{Error, Ids};
use store::{MovedMarker, Write};

pub use answer::{Answer, Rest};
pub use domain_event::{DomainEvent, EventName, HistoryWriter, Journal};
pub use event::{BusName, Event};
pub use idempotency::Idempotency;
pub use outbox::{NoOutbox, Outbox, OutboxWrites};
pub use refusal::{Conflict, Refusal, Rejection};
pub use request::{Request, RequestFacts};
pub use retry::until_committed;

/// Where changes begin. Cloning is cheap.
#[derive(Clone)]
pub struct Changes {
    audit: Audit,
    outbox: Arc<dyn Outbox>,
    idempotency: Idempotency,
    ids: Ids,
}

impl Changes {
    /// Changes that are recorded in this log, told through this outbox, and answered once.
    pub fn new(
        audit: Audit,
        outbox: Arc<dyn Outbox>,
        idempotency: Idempotency,
        ids: Ids,
    ) -> Changes {
        Changes { audit, outbox, idempotency, ids }
    }

    /// A change that a request makes, with nothing in it yet.
    pub fn begin(&self, request: &Arc<RequestFacts>) -> Change {
        Change {
            changes: self.clone(),
            request: Arc::clone(request),
            writes: Vec::new(),
            refusals: Vec::new(),
            entries: Vec::new(),
            events: Vec::new(),
            adjust: None,
        }
    }

    /// Prepares a change and commits it. While it meets other changes of the same items, it is prepared
    /// again: so `prepare` reads what it changes, has no effect of its own, and gives the change back
    /// with the outcome.
    pub async fn make<T, F>(
        &self,
        request: &Request<T>,
        prepare: impl Fn(Change) -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<(Change, T), Rejection>>,
    {
        until_committed(&self.ids, || async {
            let (change, outcome) = prepare(self.begin(request.facts())).await?;
            let answer = request.kept_answer(&outcome)?;
            request.committed(change.commit(answer).await?);
            Ok(outcome)
        })
        .await
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

/// A record that was stored: made, or changed if it was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved<T> {
    /// The record as it is now.
    pub record: T,
    /// Whether it was made.
    pub is_new: bool,
}

/// What a request changes.
#[must_use = "a change does nothing until it is committed"]
pub struct Change {
    changes: Changes,
    request: Arc<RequestFacts>,
    writes: Vec<Write>,
    /// One for each write.
    refusals: Vec<Refusal>,
    entries: Vec<Entry>,
    events: Vec<Event>,
    adjust: Option<Adjust>,
}

impl Change {
    /// Adds a write, and what it means that its condition is false: [`Conflict`], an [`Error`], or a
    /// function of the item as it was found.
    pub fn add(&mut self, write: Write, refusal: impl Into<Refusal>) {
        self.writes.push(write);
        self.refusals.push(refusal.into());
    }

    /// Moves a unique value: gives back the old one and reserves the new one, which may be taken.
    pub fn add_moved(&mut self, moved: MovedMarker, taken: impl Into<Refusal>) {
        if let Some(release) = moved.release {
            self.add(release, Conflict);
        }
        if let Some(reserve) = moved.reserve {
            self.add(reserve, taken);
        }
    }

    /// Records an entry in the audit log.
    pub fn record(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Has an account's log kept by another rule, and that recorded. A change has one rule at most, and
    /// records nothing of other accounts.
    pub fn keep_log(&mut self, rule: NewRule) {
        self.entries.push(rule.entry);
        self.adjust = Some(rule.adjust);
    }

    /// Tells subscribers of an event.
    pub fn emit(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The request that makes it.
    pub fn request(&self) -> &RequestFacts {
        &self.request
    }
}
