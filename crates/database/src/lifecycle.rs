//! Tables that are being created or deleted, for as long as [`Options::table_creation_time`] says.
//!
//! A table here can be used as soon as CreateTable answers, and is gone as soon as DeleteTable does. On
//! AWS both take seconds, so a program that forgets to wait works here and fails there. With the option
//! set, a new table answers as if it did not exist, and a deleted one keeps its name, until the time has
//! passed or DescribeTable has asked: a waiter that polls finds ACTIVE, or nothing, at once.
//!
//! This is kept in memory only. Nothing that is stored depends on it.
//!
//! [`Options::table_creation_time`]: crate::Options::table_creation_time

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Error;
use crate::clock::Clock;

/// What is being done to a table as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It cannot be used yet.
    Creating,
    /// It is gone, but for its name.
    Deleting,
}

/// The tables that are being created or deleted.
#[derive(Debug, Default)]
pub struct Lifecycle {
    /// Whether there may be any: every operation asks, and most databases never have one.
    is_any: AtomicBool,
    phases: Mutex<HashMap<String, (Phase, u64)>>,
}

impl Lifecycle {
    /// A phase of a table begins, if it is to take any time.
    pub fn begin(&self, table_name: &str, phase: Phase, takes: Duration, clock: &dyn Clock) {
        if takes.is_zero() {
            return;
        }
        let takes = u64::try_from(takes.as_millis()).unwrap_or(u64::MAX);
        let end = clock.now_millis().saturating_add(takes);
        self.phases().insert(table_name.to_owned(), (phase, end));
        self.is_any.store(true, Ordering::Release);
    }

    /// The phase of a table ends before its time.
    pub fn end(&self, table_name: &str) {
        if self.is_any.load(Ordering::Acquire) {
            self.remove(table_name);
        }
    }

    /// What is being done to a table now.
    pub fn phase(&self, table_name: &str, clock: &dyn Clock) -> Option<Phase> {
        if !self.is_any.load(Ordering::Acquire) {
            return None;
        }
        let (phase, end) = self.phases().get(table_name).copied()?;
        if clock.now_millis() < end {
            return Some(phase);
        }
        self.remove(table_name);
        None
    }

    /// Refuses to change a table as a whole meanwhile.
    pub fn check_change(&self, table_name: &str, clock: &dyn Clock) -> Result<(), Error> {
        let under_way = match self.phase(table_name, clock) {
            None => return Ok(()),
            Some(Phase::Creating) => "created",
            Some(Phase::Deleting) => "deleted",
        };
        Err(Error::ResourceInUse(format!(
            "Attempt to change a resource which is still in use: Table is being {under_way}: \
             {table_name}"
        )))
    }

    fn remove(&self, table_name: &str) {
        let mut phases = self.phases();
        phases.remove(table_name);
        self.is_any.store(!phases.is_empty(), Ordering::Release);
    }

    fn phases(&self) -> MutexGuard<'_, HashMap<String, (Phase, u64)>> {
        self.phases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
