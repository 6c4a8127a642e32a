//! What a store is told when it is made: environment, keys, limits, and where time, chance and
//! pauses come from.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use database::clock::{Clock, SystemClock};
use tables::Environment;

use crate::page_token::TokenKeys;
use crate::randomness::{Randomness, SystemRandomness};
use crate::retry::Retry;

/// Settings of a store. Start from [`Settings::new`].
#[derive(Clone)]
pub struct Settings {
    /// Which names the tables have.
    pub environment: Environment,
    /// What page tokens are sealed with.
    pub token_keys: TokenKeys,
    /// How long a page token is good for.
    pub token_age_max: Duration,
    /// Most items that one page looks at. A page ends there even if it is not full, which a filter
    /// that few items pass can bring about; its token goes on from there.
    pub evaluated_per_page_max: u64,
    /// How often and how soon it is tried again.
    pub retry: Retry,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where chance comes from: it must be unpredictable, page tokens rest on it.
    pub randomness: Arc<dyn Randomness>,
    /// How to wait.
    pub pauses: Arc<dyn Pauses>,
    /// Who is told what each operation costs, if the back end measures.
    pub meter: Option<Arc<dyn Meter>>,
}

impl Settings {
    /// The usual settings, on the machine's clock and chance.
    pub fn new(environment: Environment, token_keys: TokenKeys) -> Settings {
        Settings {
            environment,
            token_keys,
            token_age_max: Duration::from_secs(24 * 60 * 60),
            evaluated_per_page_max: 10_000,
            retry: Retry::default(),
            clock: Arc::new(SystemClock),
            randomness: Arc::new(SystemRandomness),
            pauses: Arc::new(TokioPauses),
            meter: None,
        }
    }
}

/// A way to wait.
pub trait Pauses: Send + Sync + 'static {
    /// Waits.
    fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioPauses;

impl Pauses for TokioPauses {
    fn pause(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Who is told what operations cost.
pub trait Meter: Send + Sync + 'static {
    /// An operation was charged so many units on a table, or on its index.
    fn consumed(&self, operation: &'static str, table_name: &str, index: Option<&str>, units: f64);
}
