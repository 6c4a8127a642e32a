//! One attempt: claim the delivery; ask whether the endpoint may be bothered, and send; note what came
//! of it, if the delivery is still ours.

use std::time::Duration;

use bytes::Bytes;
use kernel::error::{Error, NOT_FOUND};
use kernel::moment::Moment;
use store::{Changes, Error as StoreError, Transaction, Write};
use workers::{Lease, LeaseAttributes};

use crate::client::{Outgoing, Reply};
use crate::events::StoredEvent;
use crate::health::{Gate, interval};
use crate::owner::NoticeKind;
use crate::records::{Attempt, Delivery, Endpoint, Health};
use crate::schedule::jittered;
use crate::secret::sign;
use crate::verdict::{Verdict, judge};
use crate::worker::Deliveries;

/// Most characters of an answer that are kept.
const EXCERPT_CHARACTERS: usize = 1_000;
/// Tries to store a health that others change too.
pub(crate) const HEALTH_TRIES: usize = 10;
/// How late a turn of a throttle may be used.
const SLOT_LATE_MAX: Duration = Duration::from_secs(1);
/// What a delivery keeps its lease in.
const LEASE: LeaseAttributes = LeaseAttributes {
    owner: "lease_owner",
    expires_at: "lease_expires_at",
    due_at: "next_retry_at",
    fence: "fence",
};

/// What came of an attempt.
pub(crate) enum Outcome {
    /// None was made, and none will be.
    Stopped(&'static str),
    /// None was made: the endpoint is not to be bothered before this moment, which may be a turn of
    /// its throttle.
    Postponed { until: Moment, slot: Option<Moment> },
    /// A publisher was tried.
    Published { started: Moment, reply: Result<Reply, String> },
    /// An endpoint was tried.
    Sent { endpoint: Box<Endpoint>, started: Moment, reply: Result<Reply, String> },
}

impl Deliveries {
    /// Makes an attempt at a delivery that this worker has.
    pub(crate) async fn attempt(&self, delivery: &Delivery) -> Result<Outcome, Error> {
        if delivery.endpoint_id.starts_with("pub_") {
            return self.publish(delivery).await;
        }
        let (account, id) = (delivery.account_id.as_str(), delivery.endpoint_id.as_str());
        let endpoint = match self.parts.endpoints.read(account, id).await {
            Ok(endpoint) if endpoint.enabled => Box::new(endpoint),
            Ok(_) => return Ok(Outcome::Stopped("its endpoint is disabled")),
            Err(error) if error.code() == NOT_FOUND => {
                return Ok(Outcome::Stopped("its endpoint was deleted"));
            }
            Err(error) => return Err(error),
        };
        if let Some((until, slot)) = self.wait_for(delivery, &endpoint).await? {
            return Ok(Outcome::Postponed { until, slot });
        }
        let Some(event) = self.event(&delivery.event_id).await? else {
            return Ok(Outcome::Stopped("its event has expired"));
        };
        let started = self.now();
        let reply = self.send(&endpoint, &event, started).await?;
        Ok(Outcome::Sent { endpoint, started, reply })
    }

    /// Stores what came of an attempt; false if the delivery is no longer ours.
    pub(crate) async fn conclude(
        &self,
        delivery: &Delivery,
        outcome: Outcome,
    ) -> Result<bool, Error> {
        match outcome {
            Outcome::Stopped(why) => self.give_up(delivery, why).await,
            Outcome::Postponed { until, slot } => self.postpone(delivery, until, slot).await,
            Outcome::Published { started, reply } => {
                self.note(delivery, started, &reply, reply.is_ok(), None, None).await
            }
            Outcome::Sent { endpoint, started, reply } => {
                self.conclude_sent(delivery, &endpoint, started, reply).await
            }
        }
    }

    /// Takes a delivery, if it is still due.
    pub(crate) async fn claim_delivery(
        &self,
        due: &Delivery,
        lease: &Lease,
    ) -> Result<Option<Delivery>, Error> {
        let Delivery { event_id, endpoint_id, shard, .. } = due;
        let claim = self.table.claim_delivery(event_id, endpoint_id, &lease.now.to_string());
        let changes = LEASE.claim(lease).set("status", "delivering").set("shard", *shard);
        match claim.update(changes)?.run_into().await {
            Err(StoreError::ConditionFailed { .. }) => Ok(None),
            claimed => Ok(claimed?),
        }
    }

    /// What an attempt must wait for, and the turn that it was given, if it must.
    async fn wait_for(
        &self,
        delivery: &Delivery,
        endpoint: &Endpoint,
    ) -> Result<Option<(Moment, Option<Moment>)>, Error> {
        let settings = &self.parts.settings;
        for _ in 0..HEALTH_TRIES {
            let now = self.now();
            let mut health =
                Health::read(&self.table, &endpoint.account_id, &endpoint.endpoint_id).await?;
            let probe = match health.gate(now) {
                Gate::Wait(until) => {
                    let spread = jittered(until.since(now), &self.parts.ids)?;
                    return Ok(Some((now.after(spread), None)));
                }
                Gate::Probe => true,
                Gate::Free => false,
            };
            if probe {
                health = health.probing(settings, now);
            }
            let reserved = delivery.slot_at.is_some_and(|slot| {
                let rate = endpoint.throttle_rate.unwrap_or(1);
                now >= slot && now.since(slot) <= SLOT_LATE_MAX.max(interval(rate))
            });
            let mut turn = None;
            if let Some(rate) = endpoint.throttle_rate.filter(|_| !reserved && !probe) {
                let (slot, after) = health.slot(rate, now);
                (turn, health) = (Some(slot), after);
            } else if !probe {
                return Ok(None);
            }
            match health.write(&self.table, now)?.run().await {
                Ok(_) => return Ok(turn.filter(|turn| *turn > now).map(|turn| (turn, Some(turn)))),
                Err(StoreError::ConditionFailed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some((self.now().after(settings.poll), None)))
    }

    pub(crate) async fn event(&self, event_id: &str) -> Result<Option<StoredEvent>, Error> {
        Ok(self.table.get_event(event_id).get().await?)
    }

    async fn send(
        &self,
        endpoint: &Endpoint,
        event: &StoredEvent,
        now: Moment,
    ) -> Result<Result<Reply, String>, Error> {
        let secrets = self.parts.endpoints.secrets(endpoint).await?;
        let (body, timestamp) = (event.payload.as_bytes(), now.seconds());
        let signature = sign(&secrets, &event.event_id, timestamp, body);
        let headers = vec![
            ("webhook-id", event.event_id.clone()),
            ("webhook-timestamp", timestamp.to_string()),
            ("webhook-signature", signature),
        ];
        let body = Bytes::copy_from_slice(body);
        let outgoing = Outgoing { url: endpoint.url.clone(), headers, body };
        Ok(self.parts.sender.post(outgoing).await)
    }

    /// Notes what came of an attempt, on the delivery and then on the endpoint; false if the delivery
    /// is no longer ours.
    async fn conclude_sent(
        &self,
        delivery: &Delivery,
        endpoint: &Endpoint,
        started: Moment,
        reply: Result<Reply, String>,
    ) -> Result<bool, Error> {
        let verdict = judge(&reply, self.now());
        let wait = match &verdict {
            Verdict::Retry { after, .. } => {
                after.map(|after| after.min(self.parts.settings.retry_after_max))
            }
            _ => None,
        };
        let gone = (verdict == Verdict::Gone).then_some("its endpoint answered 410 Gone");
        let delivered = verdict == Verdict::Delivered;
        if !self.note(delivery, started, &reply, delivered, wait, gone).await? {
            return Ok(false);
        }
        match verdict {
            Verdict::Delivered => self.recovered(endpoint).await?,
            Verdict::Gone => self.disable(endpoint, NoticeKind::DisabledAsGone, None).await?,
            Verdict::Retry { overloaded, .. } => {
                let hold = overloaded.then(|| wait.unwrap_or(self.parts.settings.hold));
                self.failed(endpoint, hold).await?;
            }
        }
        Ok(true)
    }

    /// Stores an attempt and where the delivery now stands; false if it is no longer ours.
    async fn note(
        &self,
        delivery: &Delivery,
        started: Moment,
        reply: &Result<Reply, String>,
        delivered: bool,
        wait: Option<Duration>,
        stop: Option<&str>,
    ) -> Result<bool, Error> {
        let now = self.now();
        let changes = Changes::new().add("attempt_count", 1_i64).add("step", 1_i64);
        let step = usize::try_from(delivery.step + 1).unwrap_or(usize::MAX);
        let next = self.parts.settings.schedule.delay_after(step);
        let (outcome, changes) = match (delivered, stop, next) {
            (true, ..) => {
                let changes = ended(changes, "delivered");
                (Some("delivered"), changes.set("delivered_at", now.to_string()))
            }
            (_, Some(why), _) => {
                (Some("failed"), ended(changes, "failed").set("stopped_reason", why))
            }
            (_, _, None) => {
                let why = "every scheduled attempt failed";
                (Some("exhausted"), ended(changes, "exhausted").set("stopped_reason", why))
            }
            (_, _, Some(delay)) => {
                let delay = jittered(delay, &self.parts.ids)?.max(wait.unwrap_or_default());
                let changes = changes.set("status", "pending");
                (None, changes.set("next_retry_at", now.after(delay).to_string()))
            }
        };
        let attempt = attempt(delivery, started, now, reply, delivered);
        let transaction = Transaction::new()
            .with(self.change(delivery, changes)?)
            .with(self.table.attempt().put(&attempt)?);
        match self.parts.store.commit(transaction).await {
            Err(error) if error.is_condition_of(0) => Ok(false),
            noted => {
                noted?;
                self.count(outcome);
                Ok(true)
            }
        }
    }

    /// Counts a delivery that ended so, if it did.
    fn count(&self, outcome: Option<&str>) {
        outcome.into_iter().for_each(|outcome| self.parts.ended.count(&[("outcome", outcome)]));
    }

    /// Stops a delivery without an attempt; false if it is no longer ours.
    async fn give_up(&self, delivery: &Delivery, why: &str) -> Result<bool, Error> {
        let changes = ended(Changes::new(), "failed").set("stopped_reason", why);
        let is_ours = self.commit_own(delivery, changes).await?;
        if is_ours {
            self.count(Some("failed"));
        }
        Ok(is_ours)
    }

    /// Puts a delivery off without an attempt; false if it is no longer ours.
    async fn postpone(
        &self,
        delivery: &Delivery,
        until: Moment,
        slot: Option<Moment>,
    ) -> Result<bool, Error> {
        let changes = Changes::new().set("status", "pending");
        let changes = changes.set("next_retry_at", until.to_string());
        let changes = match slot {
            Some(slot) => changes.set("slot_at", slot.to_string()),
            None => changes.remove("slot_at"),
        };
        self.commit_own(delivery, changes).await
    }

    /// Commits a change of a delivery; false if it is no longer ours.
    async fn commit_own(&self, delivery: &Delivery, changes: Changes) -> Result<bool, Error> {
        let transaction = Transaction::new().with(self.change(delivery, changes)?);
        match self.parts.store.commit(transaction).await {
            Err(error) if error.is_condition_of(0) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// A change of a delivery by the worker that has it, which then has it no longer.
    fn change(&self, delivery: &Delivery, changes: Changes) -> Result<Write, Error> {
        let Delivery { event_id, endpoint_id, fence, .. } = delivery;
        let changes = LEASE.release(changes.set("shard", delivery.shard));
        Ok(self.table.change_delivery(event_id, endpoint_id, *fence).update(changes)?)
    }
}

/// Nothing more is to be done about a delivery.
fn ended(changes: Changes, status: &str) -> Changes {
    changes.set("status", status).remove("next_retry_at").remove("slot_at")
}

fn attempt(
    delivery: &Delivery,
    started: Moment,
    now: Moment,
    reply: &Result<Reply, String>,
    delivered: bool,
) -> Attempt {
    let answered = reply.as_ref().ok();
    let excerpt = answered.map(|reply| {
        let text = String::from_utf8_lossy(&reply.body);
        text.chars().take(EXCERPT_CHARACTERS).collect::<String>()
    });
    Attempt {
        event_id: delivery.event_id.clone(),
        endpoint_id: delivery.endpoint_id.clone(),
        account_id: delivery.account_id.clone(),
        attempted_at: started,
        attempt_number: delivery.attempt_count + 1,
        outcome: if delivered { "success" } else { "failure" }.to_owned(),
        response_status: answered.map(|reply| reply.status),
        response_excerpt: excerpt.filter(|text| !text.is_empty()),
        duration_milliseconds: u64::try_from(now.since(started).as_millis()).ok(),
        error: reply.as_ref().err().cloned(),
        ttl: delivery.ttl,
    }
}
