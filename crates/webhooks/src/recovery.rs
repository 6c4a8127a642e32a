//! Sending again: one event, a range of time, or everything that an endpoint missed.
//!
//! What was missed is computed from the events themselves and their deliveries, so that an event for
//! which no delivery was ever made is found as well.

use audit::Entry;
use kernel::error::{CONFLICT, Error};
use kernel::moment::Moment;
use serde::Serialize;
use store::{Changes, Key, Page, Write};

use crate::endpoints::Planned;
use crate::events::StoredEvent;
use crate::messages::{Messages, TEST_EVENT};
use crate::records::{Delivery, Endpoint};
use crate::subscription::matches;

/// Events of a range that are looked at in one call: sending them again, with what is recorded of it, is
/// one transaction.
const PAGE_ITEMS: u32 = 50;

/// An event that an endpoint wants and does not have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The event.
    pub event_id: String,
    /// What happened.
    pub event_type: String,
    /// When.
    pub created_at: Moment,
    /// How far its delivery is; absent if there never was one.
    pub status: Option<String>,
    /// Attempts so far.
    pub attempt_count: i64,
}

/// A part of a replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// The events that will be sent again.
    pub event_ids: Vec<String>,
    /// What to go on with; absent at the end.
    pub next: Option<String>,
}

impl Messages {
    /// Sends one event to one endpoint again, from the beginning of the schedule, also if it has it.
    pub async fn resend(
        &self,
        account: &str,
        event_id: &str,
        endpoint_id: &str,
    ) -> Result<Planned<()>, Error> {
        let endpoint = self.endpoints.enabled(account, endpoint_id).await?;
        let event = self.stored(account, event_id).await?;
        let get = self.table.get_delivery(event_id, endpoint_id);
        let delivery: Option<Delivery> = get.get().await?;
        if delivery.as_ref().is_some_and(|delivery| delivery.status == "delivering") {
            let message = "The event is being sent to this endpoint now: see what comes of it";
            return Err(Error::new(CONFLICT, message));
        }
        let writes = vec![self.again(&event, &endpoint, delivery.as_ref())?];
        let entry = Entry::new("WEBHOOK", "WEBHOOK_EVENT_RESENT", account)
            .of("webhook_endpoint", endpoint_id)
            .detail("eventId", event_id);
        Ok(Planned { value: (), writes, entry, event: None })
    }

    /// What an endpoint wants of a range of time and does not have, oldest first. What is still under
    /// way is among it.
    pub async fn missing(
        &self,
        account: &str,
        endpoint_id: &str,
        since: Moment,
        caller: &str,
        token: Option<&str>,
    ) -> Result<Page<Missing>, Error> {
        let endpoint = self.endpoints.read(account, endpoint_id).await?;
        // One list keeps one end: the token is bound to it.
        let range = (since, Moment::from_millis(u64::MAX));
        let (found, next) = self.wanted(&endpoint, range, caller, token).await?;
        let lacking = found.into_iter().filter(|(_, delivery)| !has(delivery.as_ref()));
        let items = lacking.map(|(event, delivery)| Missing {
            event_id: event.event_id,
            event_type: event.event_type,
            created_at: event.created_at,
            attempt_count: delivery.as_ref().map_or(0, |delivery| delivery.attempt_count),
            status: delivery.map(|delivery| delivery.status),
        });
        Ok(Page { items: items.collect(), next })
    }

    /// Sends the events of a range of time to an endpoint again, some in each call: all of them, or
    /// only those that it does not have. What is under way is left alone.
    pub async fn replay(
        &self,
        account: &str,
        endpoint_id: &str,
        range: (Moment, Moment),
        only_missing: bool,
        token: Option<&str>,
    ) -> Result<Planned<Replayed>, Error> {
        let endpoint = self.endpoints.enabled(account, endpoint_id).await?;
        let (found, next) = self.wanted(&endpoint, range, "replay", token).await?;
        let (mut event_ids, mut writes) = (Vec::new(), Vec::new());
        for (event, delivery) in found {
            let status = delivery.as_ref().map(|delivery| delivery.status.as_str());
            let under_way = matches!(status, Some("delivering" | "pending"));
            if under_way || (only_missing && has(delivery.as_ref())) {
                continue;
            }
            writes.push(self.again(&event, &endpoint, delivery.as_ref())?);
            event_ids.push(event.event_id);
        }
        let entry = Entry::new("WEBHOOK", "WEBHOOK_EVENTS_REPLAYED", account)
            .of("webhook_endpoint", endpoint_id)
            .detail("from", range.0.to_string())
            .detail("to", range.1.to_string())
            .detail("events", event_ids.len());
        Ok(Planned { value: Replayed { event_ids, next }, writes, entry, event: None })
    }

    /// Some events of a range that an endpoint wants, with their deliveries to it.
    async fn wanted(
        &self,
        endpoint: &Endpoint,
        (from, to): (Moment, Moment),
        caller: &str,
        token: Option<&str>,
    ) -> Result<(Vec<(StoredEvent, Option<Delivery>)>, Option<String>), Error> {
        let (from, to) = (from.to_string(), to.to_string());
        let list = self.table.list_events_between(&endpoint.account_id, &from, &to);
        let mut page = list.page::<StoredEvent>(caller, PAGE_ITEMS, token).await?;
        page.items.retain(|event| {
            // A test was for one endpoint, and nobody waits for it.
            event.event_type != TEST_EVENT
                && matches(endpoint.event_types.as_ref(), &event.event_type)
        });
        let key = |event: &StoredEvent| -> Result<Key, Error> {
            Ok(self.table.get_delivery(&event.event_id, &endpoint.endpoint_id).key()?)
        };
        let keys = page.items.iter().map(key).collect::<Result<Vec<_>, _>>()?;
        let deliveries = self.store.batch_get::<Delivery>(&keys).await?;
        Ok((page.items.into_iter().zip(deliveries).collect(), page.next))
    }

    /// The write that starts a delivery from the beginning.
    fn again(
        &self,
        event: &StoredEvent,
        endpoint: &Endpoint,
        delivery: Option<&Delivery>,
    ) -> Result<Write, Error> {
        let now = self.now();
        let Some(delivery) = delivery else {
            let delivery = Delivery::of(event, &endpoint.endpoint_id, now);
            return Ok(self.table.delivery().create(&delivery)?);
        };
        let changes = Changes::new()
            .set("status", "pending")
            .set("shard", delivery.shard)
            .set("step", 0_i64)
            .set("next_retry_at", now.to_string())
            .add("fence", 1_i64)
            .remove("stopped_reason")
            .remove("delivered_at");
        let Delivery { event_id, endpoint_id, fence, .. } = delivery;
        Ok(self.table.change_delivery(event_id, endpoint_id, *fence).update(changes)?)
    }
}

fn has(delivery: Option<&Delivery>) -> bool {
    delivery.is_some_and(|delivery| delivery.status == "delivered")
}
