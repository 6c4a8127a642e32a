//! The circuit breaker and the throttle of an endpoint: what the next attempt must wait for, and what
//! an attempt changes. Pure, except for reading and storing the item.

use std::time::Duration;

use kernel::error::Error;
use kernel::moment::Moment;
use patterns::platform::WebhookEvents;
use store::Write;

use crate::records::Health;
use crate::settings::Settings;

/// Whether an attempt may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It may.
    Free,
    /// It may, as the probe of an open circuit, for whoever stores the change.
    Probe,
    /// Not before this moment.
    Wait(Moment),
}

/// What an attempt did to the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing that anybody must hear of.
    Quiet,
    /// The circuit opened for the first time since the last success.
    Opened,
    /// The endpoint has been failing for so long that it is to be disabled.
    Hopeless,
}

impl Health {
    /// The health of an endpoint that nothing is known of.
    pub(crate) fn new(account_id: &str, endpoint_id: &str) -> Health {
        Health {
            endpoint_id: endpoint_id.to_owned(),
            account_id: account_id.to_owned(),
            revision: 0,
            circuit: "closed".to_owned(),
            consecutive_failures: 0,
            times_opened: 0,
            failing_since: None,
            open_until: None,
            held_until: None,
            next_slot_at: None,
            updated_at: None,
        }
    }

    /// The stored health of an endpoint, or a new one.
    pub(crate) async fn read(
        table: &WebhookEvents,
        account_id: &str,
        endpoint_id: &str,
    ) -> Result<Health, Error> {
        let found = table.get_health(account_id, endpoint_id).get().await?;
        Ok(found.unwrap_or_else(|| Health::new(account_id, endpoint_id)))
    }

    /// The write that stores it, if nobody stored another since it was read.
    pub(crate) fn write(mut self, table: &WebhookEvents, now: Moment) -> Result<Write, Error> {
        let put = table.put_health(self.revision);
        self.revision += 1;
        self.updated_at = Some(now);
        Ok(put.put(&self)?)
    }

    /// Whether an attempt may be made now.
    pub(crate) fn gate(&self, now: Moment) -> Gate {
        if let Some(held) = self.held_until.filter(|held| *held > now) {
            return Gate::Wait(held);
        }
        if self.circuit == "closed" {
            return Gate::Free;
        }
        match self.open_until.filter(|until| *until > now) {
            Some(until) => Gate::Wait(until),
            None => Gate::Probe,
        }
    }

    /// The circuit with a probe under way, which nobody else may start before it could have ended.
    pub(crate) fn probing(mut self, settings: &Settings, now: Moment) -> Health {
        self.circuit = "half_open".to_owned();
        self.open_until = Some(now.after(settings.lease));
        self
    }

    /// After a success; nothing if that changes nothing.
    pub(crate) fn succeeded(&self) -> Option<Health> {
        let clean = self.circuit == "closed" && self.consecutive_failures == 0;
        (!clean).then(|| Health {
            revision: self.revision,
            next_slot_at: self.next_slot_at,
            ..Health::new(&self.account_id, &self.endpoint_id)
        })
    }

    /// After a failure; `hold` is how long the endpoint is to be left alone besides.
    pub(crate) fn failed(
        mut self,
        settings: &Settings,
        hold: Option<Duration>,
        now: Moment,
    ) -> (Health, Turn) {
        self.consecutive_failures += 1;
        let since = *self.failing_since.get_or_insert(now);
        if let Some(hold) = hold {
            self.held_until = self.held_until.max(Some(now.after(hold)));
        }
        if now.since(since) >= settings.disable_after {
            return (self, Turn::Hopeless);
        }
        let probed = self.circuit == "half_open";
        let opens =
            self.circuit == "closed" && self.consecutive_failures >= settings.failures_to_open;
        if !probed && !opens {
            return (self, Turn::Quiet);
        }
        let doublings = u32::try_from(self.times_opened).unwrap_or(u32::MAX).min(20);
        let cooldown = settings.cooldown.saturating_mul(1 << doublings).min(settings.cooldown_max);
        let turn = if self.times_opened == 0 { Turn::Opened } else { Turn::Quiet };
        self.circuit = "open".to_owned();
        self.times_opened += 1;
        self.open_until = Some(now.after(cooldown));
        (self, turn)
    }

    /// The next turn of the throttle, which is now if nobody waits, and the health after it is given.
    pub(crate) fn slot(mut self, rate: u32, now: Moment) -> (Moment, Health) {
        let slot = self.next_slot_at.unwrap_or(now).max(now);
        self.next_slot_at = Some(slot.after(interval(rate)));
        (slot, self)
    }
}

/// Time between two turns of a throttle.
pub(crate) fn interval(rate: u32) -> Duration {
    Duration::from_millis(u64::from(1000 / rate.clamp(1, 1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_circuit_opens_after_repeated_failure_and_lets_one_probe_through() {
        let settings = Settings::default();
        let mut now = Moment::from_seconds(1_000_000);
        let mut health = Health::new("a", "ep_1");
        for failure in 1..=settings.failures_to_open {
            assert_eq!(health.gate(now), Gate::Free, "before failure {failure}");
            let (after, turn) = health.failed(&settings, None, now);
            let last = failure == settings.failures_to_open;
            assert_eq!(turn, if last { Turn::Opened } else { Turn::Quiet });
            health = after;
        }
        assert_eq!(health.gate(now), Gate::Wait(now.after(settings.cooldown)));
        now = now.after(settings.cooldown);
        assert_eq!(health.gate(now), Gate::Probe);
        health = health.probing(&settings, now);
        assert_eq!(health.gate(now), Gate::Wait(now.after(settings.lease)), "one probe at a time");
        let (health, turn) = health.failed(&settings, None, now);
        assert_eq!(turn, Turn::Quiet, "the owner is told once");
        assert_eq!(health.gate(now), Gate::Wait(now.after(2 * settings.cooldown)));
        let healed = health.succeeded().unwrap();
        assert_eq!((healed.gate(now), healed.succeeded()), (Gate::Free, None));
    }

    #[test]
    fn days_of_failing_are_hopeless() {
        let settings = Settings::default();
        let start = Moment::from_seconds(1_000_000);
        let (health, _) = Health::new("a", "ep_1").failed(&settings, None, start);
        let almost = start.after(settings.disable_after - SECOND);
        assert_eq!(health.clone().failed(&settings, None, almost).1, Turn::Quiet);
        let then = start.after(settings.disable_after);
        assert_eq!(health.failed(&settings, None, then).1, Turn::Hopeless);
    }

    #[test]
    fn a_throttle_gives_turns_one_after_the_other() {
        let now = Moment::from_seconds(1_000_000);
        let (first, health) = Health::new("a", "ep_1").slot(10, now);
        let (second, health) = health.slot(10, now);
        let (third, _) = health.slot(10, now.after(SECOND));
        let tenth = Duration::from_millis(100);
        assert_eq!((first, second, third), (now, now.after(tenth), now.after(SECOND)));
    }
}
