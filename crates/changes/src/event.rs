//! What is to be told to others: a change of state, in the words of the service that made it.

use serde_json::Value;

/// A change of state that others may want to hear of.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its type as subscribers name it: `api_key.revoked`, `tenant.parked`…
    pub event_type: String,
    /// The account it belongs to.
    pub account_id: String,
    /// What is told, without secrets.
    pub data: Value,
    /// Source and detail type on an event bus, where they differ from the usual (R002-8.3-1).
    pub bus: Option<BusName>,
}

/// An event's names on an event bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusName {
    /// As `bbws.tenant-management`.
    pub source: &'static str,
    /// As `TENANT_PARKED`.
    pub detail_type: &'static str,
}

impl Event {
    /// An event of an account.
    pub fn new(event_type: impl Into<String>, account_id: impl Into<String>, data: Value) -> Event {
        Event { event_type: event_type.into(), account_id: account_id.into(), data, bus: None }
    }

    /// With these names on an event bus.
    #[must_use]
    pub fn on_bus(mut self, source: &'static str, detail_type: &'static str) -> Event {
        self.bus = Some(BusName { source, detail_type });
        self
    }
}
