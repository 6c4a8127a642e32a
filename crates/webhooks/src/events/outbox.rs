//! The outbox: an event as an item of the transaction that makes it true.
//!
//! Only the event is written there. Deliveries are made of it afterwards, by whichever worker finds
//! it: a transaction has room for a hundred actions, and an account may have more endpoints than that.

use std::sync::Arc;
use std::time::Duration;

use changes::Event;
use kernel::error::{Error, PAYLOAD_TOO_LARGE};
use kernel::ids::Ids;
use kernel::json_text::text_of;
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Store, Write};
use tokio::sync::Notify;

use crate::shard_of;

/// The largest event, in bytes of JSON: what event buses and topics take at most.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// Writes events, and tells the workers of this process that there are some.
#[derive(Clone)]
pub struct Outbox {
    table: WebhookEvents,
    ids: Ids,
    retention: Duration,
    news: Arc<Notify>,
}

/// An event as it is stored. Its fields are in the order of their names, so that its item needs no sorting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// The account it belongs to.
    pub account_id: String,
    /// Detail type on an event bus, if it is not the event type.
    pub bus_detail_type: Option<String>,
    /// Source on an event bus, if it is not the usual one.
    pub bus_source: Option<String>,
    /// When it happened.
    pub created_at: Moment,
    /// `evt_…`, which is also the `webhook-id`.
    pub event_id: String,
    /// What happened.
    pub event_type: String,
    /// When it is to be dispatched; absent once it was.
    pub next_retry_at: Option<Moment>,
    /// The JSON text that is sent: [`Outbox`] says what is in it.
    pub payload: String,
    /// Its part of the status index (C3-10).
    pub shard: i64,
    /// `new`, or `dispatched` once deliveries were made.
    pub status: String,
    /// When it may be removed.
    pub ttl: Option<u64>,
}

impl Outbox {
    /// An outbox of this store, whose events are kept for `retention`.
    pub fn new(store: &Store, ids: Ids, retention: Duration) -> Result<Outbox, Error> {
        Ok(Outbox { table: WebhookEvents::open(store)?, ids, retention, news: Arc::default() })
    }

    /// The writes that make an event known, for the transaction of the change it tells of (C2-39).
    ///
    /// What is sent is `{"id", "type", "timestamp", "account", "data"}`, as text, so that every attempt
    /// sends the same bytes.
    pub fn writes(&self, event: &Event, now: Moment) -> Result<Vec<Write>, Error> {
        let stored = self.stored(event, now)?;
        Ok(vec![self.table.event().create(&stored)?])
    }

    /// Tells the workers of this process that an event was committed. Others find it by looking.
    pub fn committed(&self) {
        self.news.notify_waiters();
    }

    /// What workers wait for.
    pub(crate) fn news(&self) -> &Arc<Notify> {
        &self.news
    }

    /// The item of an event that is to be dispatched at once.
    pub(crate) fn stored(&self, event: &Event, now: Moment) -> Result<StoredEvent, Error> {
        let event_id = self.ids.prefixed("evt", now)?;
        let payload = text_of(&envelope(&event_id, event, now));
        if payload.len() > PAYLOAD_BYTES_MAX {
            let message =
                format!("An event has at most {PAYLOAD_BYTES_MAX} bytes: tell less in it");
            return Err(Error::new(PAYLOAD_TOO_LARGE, message));
        }
        Ok(StoredEvent {
            account_id: event.account_id.clone(),
            event_type: event.event_type.clone(),
            payload,
            bus_source: event.bus.as_ref().map(|bus| bus.source.to_owned()),
            bus_detail_type: event.bus.as_ref().map(|bus| bus.detail_type.to_owned()),
            created_at: now,
            status: "new".to_owned(),
            shard: shard_of(&event_id),
            next_retry_at: Some(now),
            ttl: Some(now.after(self.retention).seconds()),
            event_id,
        })
    }

    pub(crate) fn table(&self) -> &WebhookEvents {
        &self.table
    }
}

impl changes::Outbox for Outbox {
    fn writes<'a>(&'a self, event: &'a Event, now: Moment) -> changes::OutboxWrites<'a> {
        Box::pin(async move { Outbox::writes(self, event, now) })
    }

    fn committed(&self) {
        Outbox::committed(self);
    }
}

/// What is sent of an event, in the order of its names.
#[derive(Serialize)]
struct Envelope<'e> {
    account: &'e str,
    data: &'e Value,
    id: &'e str,
    timestamp: Moment,
    r#type: &'e str,
}

fn envelope<'e>(id: &'e str, event: &'e Event, timestamp: Moment) -> Envelope<'e> {
    let Event { account_id: account, event_type: r#type, data, .. } = event;
    Envelope { account, data, id, timestamp, r#type }
}
