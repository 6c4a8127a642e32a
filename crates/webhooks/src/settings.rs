//! What can be set about deliveries, and the usual values.

use std::time::Duration;

use crate::schedule::Schedule;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Settings of endpoints and workers.
#[derive(Clone, Debug)]
pub struct Settings {
    /// When attempts are made.
    pub schedule: Schedule,
    /// How long an endpoint has to answer; 15 to 30 seconds are usual.
    pub timeout: Duration,
    /// How long a worker may have a delivery. Longer than everything an attempt may take.
    pub lease: Duration,
    /// Attempts at one time, of one worker.
    pub concurrency: usize,
    /// Attempts at one time to one endpoint, of one worker: a slow endpoint holds no more of it.
    pub endpoint_concurrency: usize,
    /// Failures in a row that open the circuit.
    pub failures_to_open: i64,
    /// How long the circuit is open at first; it doubles up to `cooldown_max`.
    pub cooldown: Duration,
    /// How long it is open at most.
    pub cooldown_max: Duration,
    /// An endpoint that fails for so long is disabled.
    pub disable_after: Duration,
    /// How long an endpoint that says 429, 502 or 504 is left alone, if it does not say itself.
    pub hold: Duration,
    /// The longest Retry-After that is honoured.
    pub retry_after_max: Duration,
    /// How long a replaced secret signs beside its successor.
    pub secret_overlap: Duration,
    /// How long events, deliveries and attempts are kept.
    pub retention: Duration,
    /// How often a worker without news looks for what is due.
    pub poll: Duration,
    /// Tries of one attempt at a publisher (R002-11.3-1).
    pub publish_tries: u32,
    /// Pause before the second of them; it doubles.
    pub publish_pause: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            schedule: Schedule::default(),
            timeout: Duration::from_secs(20),
            lease: 2 * MINUTE,
            concurrency: 64,
            endpoint_concurrency: 4,
            failures_to_open: 5,
            cooldown: MINUTE,
            cooldown_max: HOUR,
            disable_after: 5 * DAY,
            hold: Duration::from_secs(10),
            retry_after_max: DAY,
            secret_overlap: DAY,
            retention: 30 * DAY,
            poll: Duration::from_secs(1),
            publish_tries: 3,
            publish_pause: Duration::from_millis(200),
        }
    }
}
