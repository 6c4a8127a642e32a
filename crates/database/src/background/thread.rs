//! The background thread: when it runs, how it is woken, and how it ends.
//!
//! While it waits it holds no database, only a weak handle and the signal, so that dropping the last
//! clone closes the database. During a round it holds one; then [`Handle::stop`] waits for the round
//! to end, so that after `close` nothing of the database is in use here. If the round itself drops
//! the last clone, `stop` is called on this very thread, and does not wait.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use super::{Depth, Progress, run_round};
use crate::{Database, Error};

/// The pause between two rounds that found nothing to do.
const PAUSE: Duration = Duration::from_millis(500);

/// How often a round looks at everything.
const FULL_ROUND: Duration = Duration::from_secs(20);

/// Wakes and stops the background thread, and keeps its place in its tasks.
#[derive(Debug, Default)]
pub struct Handle {
    signal: Arc<Signal>,
    pub(super) progress: Mutex<Progress>,
    /// The second up to which every table is swept of expired items; 0 if none expires.
    pub(super) swept_seconds: AtomicU64,
}

impl Handle {
    /// There may be something to do: do not wait for the pause to end.
    pub fn wake(&self) {
        self.signal.lock().woken = true;
        self.signal.changed.notify_all();
    }

    /// No more rounds. Returns when the one under way has ended, unless that is what calls this.
    pub fn stop(&self) {
        let mut state = self.signal.lock();
        state.stopped = true;
        self.signal.changed.notify_all();
        while state.runner.is_some_and(|runner| runner != std::thread::current().id()) {
            state = self.signal.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The second up to which every table is swept of expired items, if any has items that expire.
    pub fn swept_seconds(&self) -> Option<u64> {
        Some(self.swept_seconds.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }

    /// Has [`Handle::stop`] been called?
    pub fn is_stopped(&self) -> bool {
        self.signal.lock().stopped
    }
}

/// What the thread and the handle share.
#[derive(Debug, Default)]
struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    woken: bool,
    /// The thread, while it is in a round.
    runner: Option<ThreadId>,
}

impl Signal {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a round, unless there shall be no more.
    fn begin(self: &Arc<Self>) -> Option<Round> {
        let mut state = self.lock();
        if state.stopped {
            return None;
        }
        state.woken = false;
        state.runner = Some(std::thread::current().id());
        Some(Round { signal: Arc::clone(self) })
    }

    /// Waits for the pause to end, or to be woken or stopped.
    fn pause(&self) {
        let state = self.lock();
        let idle = |state: &mut State| !state.woken && !state.stopped;
        // Why the wait ended does not matter: the next round finds out.
        drop(self.changed.wait_timeout_while(state, PAUSE, idle));
    }
}

/// A round under way; ends when dropped, also by a panic.
struct Round {
    signal: Arc<Signal>,
}

impl Drop for Round {
    fn drop(&mut self) {
        self.signal.lock().runner = None;
        self.signal.changed.notify_all();
    }
}

/// Starts the thread, unless the options say otherwise.
pub fn start(database: &Database) -> io::Result<()> {
    if !database.options().background_work {
        return Ok(());
    }
    let weak = database.downgrade();
    let signal = Arc::clone(&database.background().signal);
    let body = move || {
        let mut full_round_due = Instant::now();
        while let Some(round) = signal.begin() {
            let Some(database) = weak.upgrade() else { return };
            let full = Instant::now() >= full_round_due;
            let depth = if full { Depth::Full } else { Depth::Recent };
            let worked = run_round(&database, depth);
            if full {
                full_round_due = Instant::now() + FULL_ROUND;
            }
            // The database before the round: whoever waits for its end wants the database closed.
            drop(database);
            drop(round);
            match worked {
                // The database has stopped or was closed; nothing is committed any more.
                Err(Error::Stopped(_)) => return,
                Ok(0) | Err(_) => signal.pause(),
                Ok(_) => {}
            }
        }
    };
    std::thread::Builder::new().name("plinth-background".to_owned()).spawn(body).map(drop)
}
