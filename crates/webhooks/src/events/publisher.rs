//! Publishers: event buses and topics that hear of every event, behind the same outbox and the same
//! queue as endpoints.

use std::future::Future;
use std::pin::Pin;

use kernel::error::Error;
use kernel::moment::Moment;
use serde_json::{Value, json};

use crate::events::StoredEvent;

/// Source of events whose maker names none.
const USUAL_SOURCE: &str = "plinth";

/// An answer of a bus: nothing, or why it did not take the event.
pub type Publishing<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// An event bus or a topic.
pub trait Publisher: Send + Sync + 'static {
    /// Its name in deliveries, of letters and digits, which must not change while some are under way.
    fn name(&self) -> &str;

    /// Whether it wants events of this type.
    fn wants(&self, _event_type: &str) -> bool {
        true
    }

    /// Gives it an event. It may come twice, with the same id.
    fn publish<'a>(&'a self, message: &'a Message) -> Publishing<'a>;
}

/// An event in the words of an event bus (R002-8.3-1).
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The event.
    pub id: String,
    /// Its type, as endpoints name it.
    pub event_type: String,
    /// The account it belongs to.
    pub account_id: String,
    /// When it happened.
    pub time: Moment,
    /// As `bbws.tenant-management`.
    pub source: String,
    /// As `TENANT_PARKED`.
    pub detail_type: String,
    /// What is told; it always has a `timestamp` (C2-40).
    pub detail: Value,
}

impl Message {
    /// The message of a stored event.
    pub(crate) fn of(event: &StoredEvent) -> Result<Message, Error> {
        let mut payload: Value = serde_json::from_str(&event.payload)
            .map_err(|error| Error::internal(format!("{}: {error}", event.event_id)))?;
        let mut detail = payload["data"].take();
        if let Value::Object(members) = &mut detail {
            let timestamp = || Value::from(event.created_at.to_string());
            members.entry("timestamp").or_insert_with(timestamp);
        }
        Ok(Message {
            id: event.event_id.clone(),
            event_type: event.event_type.clone(),
            account_id: event.account_id.clone(),
            time: event.created_at,
            source: event.bus_source.clone().unwrap_or_else(|| USUAL_SOURCE.to_owned()),
            detail_type: event.bus_detail_type.clone().unwrap_or_else(|| event.event_type.clone()),
            detail,
        })
    }

    /// The envelope that an event bus makes of it, for those that make none (R002-8.3-1).
    pub fn envelope(&self, region: &str) -> Value {
        json!({
            "version": "0",
            "id": self.id,
            "source": self.source,
            "account": self.account_id,
            "detail-type": self.detail_type,
            "time": self.time.to_string(),
            "region": region,
            "resources": [],
            "detail": self.detail,
        })
    }
}
