//! Events to deliver, their deliveries with every attempt, and the endpoints they go to.
//!
//! Generated from `tables/platform/webhook_events.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Delete, Error, Get, Kind, List, Put, Store, TableHandle, Update};
use values::{AttributeValue, Number};

/// The table `platform/webhook_events`. Cloning is cheap.
#[derive(Clone)]
pub struct WebhookEvents(TableHandle);

impl WebhookEvents {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<WebhookEvents, Error> {
        let fingerprint = 0xe061_54d3_e3b2_ce61;
        TableHandle::generated(store, "platform/webhook_events", fingerprint).map(WebhookEvents)
    }

    /// List the events and deliveries that are due (R003-webhook-2, C3-10).
    pub fn list_due(&self, status: &str, shard: impl Into<Number>, now: &str) -> List {
        List::new(&self.0, 0, [status.into(), AttributeValue::N(shard.into()), now.into()])
    }

    /// Get an event (R003-webhook-1).
    pub fn get_event(&self, event_id: &str) -> Get {
        Get::new(&self.0, 1, [event_id.into()])
    }

    /// Get an event with its deliveries and attempts (R003-webhook-1).
    pub fn get_event_records(&self, event_id: &str) -> List {
        List::new(&self.0, 2, [event_id.into()])
    }

    /// Get a delivery (R003-webhook-1).
    pub fn get_delivery(&self, event_id: &str, endpoint_id: &str) -> Get {
        Get::new(&self.0, 3, [event_id.into(), endpoint_id.into()])
    }

    /// List the attempts of a delivery, oldest first (R003-webhook-1).
    pub fn list_attempts(&self, event_id: &str, endpoint_id: &str) -> List {
        List::new(&self.0, 4, [event_id.into(), endpoint_id.into()])
    }

    /// Get an endpoint (R003-webhook-1).
    pub fn get_endpoint(&self, account_id: &str, endpoint_id: &str) -> Get {
        Get::new(&self.0, 5, [account_id.into(), endpoint_id.into()])
    }

    /// Get how an endpoint has been answering (R003-webhook-1, C3-10).
    pub fn get_health(&self, account_id: &str, endpoint_id: &str) -> Get {
        Get::new(&self.0, 6, [account_id.into(), endpoint_id.into()])
    }

    /// Get the roster of an account's endpoints (R003-webhook-1).
    pub fn get_roster(&self, account_id: &str) -> Get {
        Get::new(&self.0, 7, [account_id.into()])
    }

    /// List the endpoints of an account (R003-webhook-1).
    pub fn list_endpoints(&self, account_id: &str) -> List {
        List::new(&self.0, 8, [account_id.into()])
    }

    /// List the events of an account, newest first (R003-webhook-1).
    pub fn list_events(&self, account_id: &str) -> List {
        List::new(&self.0, 9, [account_id.into()])
    }

    /// List the events of an account in a range of time, oldest first (R003-webhook-1).
    pub fn list_events_between(&self, account_id: &str, from: &str, to: &str) -> List {
        List::new(&self.0, 10, [account_id.into(), from.into(), to.into()])
    }

    /// List the deliveries to an endpoint, newest first (R003-webhook-1).
    pub fn list_deliveries(&self, endpoint_id: &str) -> List {
        List::new(&self.0, 11, [endpoint_id.into()])
    }

    /// Note that deliveries were made for an event (R003-webhook-2, C2-39, C3-10).
    pub fn dispatch_event(&self, event_id: &str) -> Update {
        Update::new(&self.0, 12, [event_id.into()])
    }

    /// Take a delivery for a worker (R003-webhook-2, C3-10).
    pub fn claim_delivery(&self, event_id: &str, endpoint_id: &str, now: &str) -> Update {
        Update::new(&self.0, 13, [event_id.into(), endpoint_id.into(), now.into()])
    }

    /// Note what came of a delivery, by the worker that has it (R003-webhook-2, C3-10).
    pub fn change_delivery(
        &self,
        event_id: &str,
        endpoint_id: &str,
        fence: impl Into<Number>,
    ) -> Update {
        let values = [event_id.into(), endpoint_id.into(), AttributeValue::N(fence.into())];
        Update::new(&self.0, 14, values)
    }

    /// Note how an endpoint answers (R003-webhook-1, C3-10).
    pub fn put_health(&self, revision: impl Into<Number>) -> Put {
        Put::new(&self.0, 15, [AttributeValue::N(revision.into())])
    }

    /// Change the roster with a new endpoint (R003-webhook-1).
    pub fn put_roster(&self, revision: impl Into<Number>) -> Put {
        Put::new(&self.0, 16, [AttributeValue::N(revision.into())])
    }

    /// Delete an endpoint (R003-webhook-1).
    pub fn delete_endpoint(
        &self,
        account_id: &str,
        endpoint_id: &str,
        version: impl Into<Number>,
    ) -> Delete {
        let values = [account_id.into(), endpoint_id.into(), AttributeValue::N(version.into())];
        Delete::new(&self.0, 17, values)
    }

    /// Items of the kind `event`. One event.
    pub fn event(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `delivery`. One event on its way to one endpoint or publisher.
    pub fn delivery(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }

    /// Items of the kind `attempt`. One attempt to deliver.
    pub fn attempt(&self) -> Kind<'_> {
        Kind::new(&self.0, 2)
    }

    /// Items of the kind `endpoint`. Where an account receives events.
    pub fn endpoint(&self) -> Kind<'_> {
        Kind::new(&self.0, 3)
    }

    /// Items of the kind `health`. How an endpoint has been answering: its circuit breaker and
    /// throttle.
    pub fn health(&self) -> Kind<'_> {
        Kind::new(&self.0, 4)
    }

    /// Items of the kind `roster`. Changes with each endpoint that an account gets, so that their
    /// limit holds.
    pub fn roster(&self) -> Kind<'_> {
        Kind::new(&self.0, 5)
    }
}
