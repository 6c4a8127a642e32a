//! How much of each limit is used: one item for each subject and policy.
//!
//! Generated from `tables/platform/rate_limits.json`: do not edit, `ACCEPT=1 cargo nextest run -p
//! tables` writes it anew.

use store::{Delete, Error, Get, Kind, Put, Store, TableHandle, Update};
use values::{AttributeValue, Number};

/// The table `platform/rate_limits`. Cloning is cheap.
#[derive(Clone)]
pub struct RateLimits(TableHandle);

impl RateLimits {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<RateLimits, Error> {
        let fingerprint = 0xb73c_5984_2667_6f55;
        TableHandle::generated(store, "platform/rate_limits", fingerprint).map(RateLimits)
    }

    /// Get the state of a window (R003-rate-2, R003-rate-3, C3-11).
    pub fn get_window(&self, subject: &str, policy: &str) -> Get {
        Get::new(&self.0, 0, [subject.into(), policy.into()])
    }

    /// Count the first request (R003-rate-2, C3-11).
    pub fn start_window(&self) -> Put {
        Put::new(&self.0, 1, [])
    }

    /// Count a request, unless the limit is reached (R003-rate-2, C3-11).
    pub fn count_request(
        &self,
        subject: &str,
        policy: &str,
        length: impl Into<Number>,
        part: impl Into<Number>,
        room: impl Into<Number>,
    ) -> Update {
        let values = [
            subject.into(),
            policy.into(),
            AttributeValue::N(length.into()),
            AttributeValue::N(part.into()),
            AttributeValue::N(room.into()),
        ];
        Update::new(&self.0, 2, values)
    }

    /// Move a window on to a later part, and count a request there (R003-rate-2, R003-rate-3,
    /// C3-11).
    pub fn move_window(
        &self,
        subject: &str,
        policy: &str,
        length: impl Into<Number>,
        part: impl Into<Number>,
        total: impl Into<Number>,
    ) -> Update {
        let values = [
            subject.into(),
            policy.into(),
            AttributeValue::N(length.into()),
            AttributeValue::N(part.into()),
            AttributeValue::N(total.into()),
        ];
        Update::new(&self.0, 3, values)
    }

    /// Forget what was counted (R003-rate-1, C3-11).
    pub fn reset_window(&self, subject: &str, policy: &str) -> Delete {
        Delete::new(&self.0, 4, [subject.into(), policy.into()])
    }

    /// Get the state of a burst rule (R003-rate-3, C3-11).
    pub fn get_bucket(&self, subject: &str, policy: &str) -> Get {
        Get::new(&self.0, 5, [subject.into(), policy.into()])
    }

    /// Count a request of somebody who was idle (R003-rate-2, C3-11).
    pub fn start_burst(&self, subject: &str, policy: &str, now_us: impl Into<Number>) -> Update {
        Update::new(&self.0, 6, [subject.into(), policy.into(), AttributeValue::N(now_us.into())])
    }

    /// Count a request of somebody who was not, unless the burst is used up (R003-rate-2, C3-11).
    pub fn count_burst(
        &self,
        subject: &str,
        policy: &str,
        now_us: impl Into<Number>,
        latest_us: impl Into<Number>,
    ) -> Update {
        let values = [
            subject.into(),
            policy.into(),
            AttributeValue::N(now_us.into()),
            AttributeValue::N(latest_us.into()),
        ];
        Update::new(&self.0, 7, values)
    }

    /// Forget a burst (R003-rate-1, C3-11).
    pub fn reset_bucket(&self, subject: &str, policy: &str) -> Delete {
        Delete::new(&self.0, 8, [subject.into(), policy.into()])
    }

    /// Items of the kind `window`. A sliding window: what was admitted in its latest parts.
    pub fn window(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `bucket`. The state of a burst rule.
    pub fn bucket(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }
}
