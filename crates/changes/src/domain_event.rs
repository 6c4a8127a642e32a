//! Domain events: what happened to a resource, in the service's own history, in the audit log and for
//! subscribers, with the change that makes it true.

use std::sync::Arc;

use audit::Entry;
use kernel::{Error, PLATFORM};
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::Write;

use crate::Change;
use crate::event::Event;
use crate::refusal::Conflict;
use crate::request::RequestFacts;

/// The names of an event: in history, audit log and event bus, and for webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventName {
    /// As `TENANT_CREATED`.
    pub action: &'static str,
    /// As `tenant.created`.
    pub event_type: &'static str,
}

impl EventName {
    /// A name in both forms.
    pub const fn new(action: &'static str, event_type: &'static str) -> EventName {
        EventName { action, event_type }
    }
}

/// Something that happened to a resource of an account.
#[derive(Clone, Debug)]
pub struct DomainEvent {
    /// The account whose trail it belongs to.
    pub account_id: String,
    /// What happened.
    pub name: EventName,
    /// The kind of resource it happened to, and which one.
    pub resource: (&'static str, String),
    /// For history and audit log.
    pub details: Map<String, Value>,
    /// For subscribers.
    pub data: Map<String, Value>,
    /// The resource before.
    pub before: Option<Value>,
    /// The resource after.
    pub after: Option<Value>,
    /// Whether subscribers of the platform hear of it, and not those of the account.
    is_for_platform: bool,
    /// Whether only subscribers hear of it: it is no change of its own.
    is_only_told: bool,
}

/// Writes an event into a service's own history.
pub type HistoryWriter =
    Arc<dyn Fn(&DomainEvent, &RequestFacts) -> Result<Write, Error> + Send + Sync>;

/// How a service records what happens in it.
#[derive(Clone)]
pub struct Journal {
    /// The kind of its entries in the audit log: `TENANT`.
    pub category: &'static str,
    /// The source of its events on an event bus: `bbws.tenant-management`.
    pub source: &'static str,
    /// What its events call the account: `tenantId`.
    pub account_field: &'static str,
    /// Its own history, if it keeps one.
    pub history: Option<HistoryWriter>,
}

impl DomainEvent {
    /// Something that happened to an account's resource.
    pub fn new(
        account_id: &str,
        name: EventName,
        kind: &'static str,
        resource_id: &str,
    ) -> DomainEvent {
        DomainEvent {
            account_id: account_id.to_owned(),
            name,
            resource: (kind, resource_id.to_owned()),
            details: Map::new(),
            data: Map::new(),
            before: None,
            after: None,
            is_for_platform: false,
            is_only_told: false,
        }
    }

    /// With a detail in history and audit log, and for subscribers.
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<Value>) -> DomainEvent {
        let value = value.into();
        self.detail(name, value.clone()).data(name, value)
    }

    /// With a detail in history and audit log alone.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> DomainEvent {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// With a detail for subscribers alone.
    #[must_use]
    pub fn data(mut self, name: &str, value: impl Into<Value>) -> DomainEvent {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// The resource before and after, for the audit log.
    pub fn changed<R: Serialize>(
        mut self,
        before: Option<&R>,
        after: Option<&R>,
    ) -> Result<DomainEvent, Error> {
        let json = |record: &R| serde_json::to_value(record).map_err(Error::internal);
        self.before = before.map(json).transpose()?;
        self.after = after.map(json).transpose()?;
        Ok(self)
    }

    /// The platform's subscribers hear of it, in place of the account's.
    #[must_use]
    pub fn for_platform(mut self) -> DomainEvent {
        self.is_for_platform = true;
        self
    }

    /// Subscribers hear of it; history and audit log have it in another entry of the same change.
    #[must_use]
    pub fn only_told(mut self) -> DomainEvent {
        self.is_only_told = true;
        self
    }
}

impl Change {
    /// Adds what history, audit log and subscribers learn of an event.
    pub fn publish(&mut self, journal: &Journal, event: DomainEvent) -> Result<(), Error> {
        let history = journal.history.as_ref().filter(|_| !event.is_only_told);
        if let Some(history) = history {
            let write = history(&event, &self.request)?;
            self.add(write, Conflict);
        }
        let DomainEvent { account_id, name, resource, details, mut data, before, after, .. } =
            event;
        if !event.is_only_told {
            let mut entry = Entry::new(journal.category, name.action, &*account_id);
            entry.details = details;
            self.record(entry.of(resource.0, resource.1).changed(before, after));
        }
        // C2-40: every event says of which account, when and by whom.
        data.insert(journal.account_field.to_owned(), json!(account_id));
        data.insert("timestamp".to_owned(), json!(self.request.now));
        data.insert("actor".to_owned(), json!(self.request.caller.name()));
        let subscribers = if event.is_for_platform { PLATFORM.to_owned() } else { account_id };
        let event = Event::new(name.event_type, subscribers, Value::Object(data));
        self.emit(event.on_bus(journal.source, name.action));
        Ok(())
    }
}
