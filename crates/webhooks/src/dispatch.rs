//! From an event to its deliveries: one for each endpoint that wants it and for each publisher.
//!
//! It can be done twice without harm: a delivery's key is the event and the endpoint, and the event is
//! marked in the transaction that makes the deliveries.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use kernel::error::Error;
use store::{Changes, Error as StoreError, Transaction, Write};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::events::StoredEvent;
use crate::records::{Delivery, Endpoint};
use crate::subscription::matches;
use crate::worker::{Deliveries, PAGE_ITEMS as DUE_ITEMS};

/// Deliveries that are made in one transaction, with the mark on the event.
const TOGETHER_MAX: usize = 90;
/// Endpoints of an account that are read at once.
const PAGE_ITEMS: u32 = 500;
/// Events that are dispatched at one time.
const DISPATCHED_TOGETHER: usize = 16;

impl Delivery {
    /// A delivery that is due at once.
    pub(crate) fn of(event: &StoredEvent, endpoint_id: &str, now: kernel::Moment) -> Delivery {
        Delivery {
            event_id: event.event_id.clone(),
            endpoint_id: endpoint_id.to_owned(),
            account_id: event.account_id.clone(),
            event_type: event.event_type.clone(),
            created_at: event.created_at,
            status: "pending".to_owned(),
            shard: event.shard,
            next_retry_at: Some(now),
            attempt_count: 0,
            step: 0,
            fence: 0,
            slot_at: None,
            lease_owner: None,
            lease_expires_at: None,
            delivered_at: None,
            stopped_reason: None,
            ttl: event.ttl,
        }
    }
}

impl Deliveries {
    /// Dispatches the events of one part of the index; gives how many. Where another worker is at
    /// them already, they are left to it.
    pub(crate) async fn dispatch_due(self: &Arc<Deliveries>, shard: i64) -> Result<usize, Error> {
        let list = self.table.list_due("new", shard, &self.now().to_string());
        let page = list.page::<StoredEvent>("", DUE_ITEMS, None).await?;
        let mut events = page.items.into_iter();
        let subscribers = Arc::new(Subscribers::default());
        let mut running = JoinSet::new();
        let (mut dispatched, mut is_alone) = (0, true);
        loop {
            while is_alone
                && running.len() < DISPATCHED_TOGETHER
                && let Some(event) = events.next()
            {
                let (work, subscribers) = (Arc::clone(self), Arc::clone(&subscribers));
                running.spawn(async move { work.dispatch(event, &subscribers).await });
            }
            match running.join_next().await {
                None => return Ok(dispatched),
                Some(Ok(Ok(true))) => dispatched += 1,
                Some(Ok(Ok(false))) => is_alone = false,
                Some(Ok(Err(error))) => tracing::warn!(?error, "webhooks: an event waits"),
                Some(Err(_)) => {}
            }
        }
    }

    /// Makes the deliveries of an event; false if somebody else did.
    async fn dispatch(&self, event: StoredEvent, subscribers: &Subscribers) -> Result<bool, Error> {
        let receivers = self.receivers(&event, subscribers).await?;
        let delay = self.parts.settings.schedule.delay_after(0).unwrap_or_default();
        let due = self.now().after(delay);
        let mut creates = Vec::new();
        for receiver in &receivers {
            creates.push(self.table.delivery().create(&Delivery::of(&event, receiver, due))?);
        }
        let apart = creates.split_off(creates.len().min(TOGETHER_MAX));
        create_each(apart).await?;
        let mut transaction = Transaction::new().with(self.mark(&event)?);
        for create in creates.clone() {
            transaction = transaction.with(create);
        }
        match self.parts.store.commit(transaction).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_condition_of(0) => Ok(false),
            // A delivery is there already: somebody had the event sent again before it was dispatched.
            Err(StoreError::TransactionFailed(_)) => {
                create_each(creates).await?;
                let marked = self.parts.store.commit(Transaction::new().with(self.mark(&event)?));
                match marked.await {
                    Err(error) if error.is_condition_of(0) => Ok(false),
                    marked => Ok(marked.map(|()| true)?),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    fn mark(&self, event: &StoredEvent) -> Result<Write, Error> {
        let changes = Changes::new()
            .set("status", "dispatched")
            .set("shard", event.shard)
            .remove("next_retry_at");
        Ok(self.table.dispatch_event(&event.event_id).update(changes)?)
    }

    /// Everybody who is to have an event.
    async fn receivers(
        &self,
        event: &StoredEvent,
        subscribers: &Subscribers,
    ) -> Result<Vec<String>, Error> {
        let mut receivers: Vec<String> = Vec::new();
        for publisher in &self.parts.publishers {
            if publisher.wants(&event.event_type) {
                receivers.push(format!("pub_{}", publisher.name()));
            }
        }
        let mut known = subscribers.0.lock().await;
        let endpoints = match known.entry(event.account_id.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.endpoints_of(&event.account_id).await?),
        };
        let wants = |endpoint: &&Endpoint| {
            endpoint.enabled && matches(endpoint.event_types.as_ref(), &event.event_type)
        };
        let wanting = endpoints.iter().filter(wants);
        receivers.extend(wanting.map(|endpoint| endpoint.endpoint_id.clone()));
        Ok(receivers)
    }

    async fn endpoints_of(&self, account: &str) -> Result<Vec<Endpoint>, Error> {
        let list = self.table.list_endpoints(account);
        let (mut endpoints, mut token) = (Vec::new(), None);
        loop {
            let page = list.page::<Endpoint>("", PAGE_ITEMS, token.as_deref()).await?;
            endpoints.extend(page.items);
            token = page.next;
            if token.is_none() {
                return Ok(endpoints);
            }
        }
    }
}

/// The endpoints of accounts, read once for the events that are dispatched together: after those were
/// listed, so that an endpoint which was there before an event hears of it.
#[derive(Default)]
pub(crate) struct Subscribers(Mutex<HashMap<String, Vec<Endpoint>>>);

/// Makes each that is not there yet.
async fn create_each(creates: Vec<Write>) -> Result<(), Error> {
    for create in creates {
        match create.run().await {
            Ok(_) | Err(StoreError::ConditionFailed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
