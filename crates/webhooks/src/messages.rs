//! Events that were told, how their deliveries stand, and what came of each attempt.

use std::sync::Arc;

use audit::Entry;
use changes::Event;
use kernel::clock::Clock;
use kernel::error::{Error, NOT_FOUND};
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Page, Raw, Record as _, Store};
use values::AttributeValue;

use crate::endpoints::{Endpoints, Planned};
use crate::events::{Outbox, StoredEvent};
use crate::records::{Attempt, Delivery};

/// What an endpoint is tried with.
pub(super) const TEST_EVENT: &str = "webhook.test";

/// Attempts that are shown.
const ATTEMPTS_SHOWN: u32 = 1000;

/// An event as callers see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// `evt_…`, the `webhook-id`.
    pub id: String,
    /// What happened.
    pub event_type: String,
    /// When.
    pub created_at: Moment,
    /// Whether deliveries were made for it.
    pub dispatched: bool,
    /// What is sent.
    pub payload: Value,
}

/// The events of all accounts, with deliveries and attempts. Cloning is cheap.
#[derive(Clone)]
pub struct Messages {
    pub(crate) table: WebhookEvents,
    pub(crate) store: Store,
    pub(crate) outbox: Outbox,
    pub(crate) endpoints: Endpoints,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Messages {
    /// Events of this store.
    pub fn new(
        store: &Store,
        outbox: Outbox,
        endpoints: Endpoints,
        clock: Arc<dyn Clock>,
    ) -> Result<Messages, Error> {
        let table = WebhookEvents::open(store)?;
        Ok(Messages { table, store: store.clone(), outbox, endpoints, clock })
    }

    /// An event of an account.
    pub async fn get(&self, account: &str, event_id: &str) -> Result<EventView, Error> {
        view(&self.stored(account, event_id).await?)
    }

    /// The events of an account, newest first.
    pub async fn list(
        &self,
        account: &str,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<EventView>, Error> {
        let list = self.table.list_events(account);
        let page = list.page::<StoredEvent>(caller, limit, token).await?;
        let items = page.items.iter().map(view).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }

    /// The deliveries to an endpoint, newest event first.
    pub async fn deliveries(
        &self,
        account: &str,
        endpoint_id: &str,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Delivery>, Error> {
        self.endpoints.read(account, endpoint_id).await?;
        Ok(self.table.list_deliveries(endpoint_id).page(caller, limit, token).await?)
    }

    /// The attempts at a delivery, oldest first.
    pub async fn attempts(
        &self,
        account: &str,
        event_id: &str,
        endpoint_id: &str,
    ) -> Result<Vec<Attempt>, Error> {
        self.stored(account, event_id).await?;
        let list = self.table.list_attempts(event_id, endpoint_id);
        Ok(list.page("", ATTEMPTS_SHOWN, None).await?.items)
    }

    /// The attempts at all deliveries of an event to endpoints, oldest first for each of them. What
    /// publishers answered is not the account's to see.
    pub async fn all_attempts(&self, account: &str, event_id: &str) -> Result<Vec<Attempt>, Error> {
        self.stored(account, event_id).await?;
        let list = self.table.get_event_records(event_id);
        let (mut attempts, mut token) = (Vec::new(), None);
        loop {
            let page = list.page::<Raw>("", ATTEMPTS_SHOWN, token.as_deref()).await?;
            for Raw(item) in page.items {
                let is_attempt = matches!(item.get("record"), Some(AttributeValue::S(record))
                    if record.starts_with("ATTEMPT#ep_"));
                if is_attempt {
                    attempts.push(Attempt::from_item(item)?);
                }
            }
            token = page.next;
            if token.is_none() || attempts.len() >= ATTEMPTS_SHOWN as usize {
                return Ok(attempts);
            }
        }
    }

    /// A test event, for one endpoint only, whatever its filter. Gives the event's id.
    pub async fn test(&self, account: &str, endpoint_id: &str) -> Result<Planned<String>, Error> {
        let endpoint = self.endpoints.enabled(account, endpoint_id).await?;
        let now = self.now();
        let data = json!({ "endpointId": endpoint_id, "message": "This is a test." });
        let mut event = self.outbox.stored(&Event::new(TEST_EVENT, account, data), now)?;
        event.status = "dispatched".to_owned();
        event.next_retry_at = None;
        let delivery = Delivery::of(&event, &endpoint.endpoint_id, now);
        let writes =
            vec![self.table.event().create(&event)?, self.table.delivery().create(&delivery)?];
        let entry = Entry::new("WEBHOOK", "WEBHOOK_TEST_SENT", account)
            .of("webhook_endpoint", endpoint_id)
            .detail("eventId", event.event_id.as_str());
        Ok(Planned { value: event.event_id, writes, entry, event: None })
    }

    pub(crate) async fn stored(&self, account: &str, event_id: &str) -> Result<StoredEvent, Error> {
        let found: Option<StoredEvent> = self.table.get_event(event_id).get().await?;
        found
            .filter(|event| event.account_id == account)
            .ok_or_else(|| Error::new(NOT_FOUND, "There is no such event"))
    }

    pub(crate) fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}

fn view(event: &StoredEvent) -> Result<EventView, Error> {
    Ok(EventView {
        id: event.event_id.clone(),
        event_type: event.event_type.clone(),
        created_at: event.created_at,
        dispatched: event.status != "new",
        payload: serde_json::from_str(&event.payload).map_err(Error::internal)?,
    })
}
