//! What the tasks of one step, or of one loop, share: how many may be started, when they must stop, and
//! how they ended.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::bounds::Progress;
use crate::stop::StopSignal;

/// A step, or a loop of them.
pub(crate) struct Round {
    /// Tasks that may still be started.
    left: AtomicUsize,
    stop: watch::Sender<bool>,
    signal: StopSignal,
    progress: Mutex<Progress>,
}

impl Round {
    /// A round of so many tasks at most.
    pub(crate) fn new(tasks: usize) -> Round {
        let (stop, signal) = StopSignal::new();
        Round { left: AtomicUsize::new(tasks), stop, signal, progress: Mutex::default() }
    }

    /// A round without bounds.
    pub(crate) fn unbounded() -> Round {
        Round::new(usize::MAX)
    }

    /// Takes leave to start a task; false if there is none left, or time is up.
    pub(crate) fn take(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let is_stopped = self.signal.is_set();
        !is_stopped && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Gives back what [`Round::take`] took, for a task that was not started.
    pub(crate) fn give_back(&self) {
        self.left.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether no task may be started any more.
    pub(crate) fn is_spent(&self) -> bool {
        self.signal.is_set() || self.left.load(Ordering::Relaxed) == 0
    }

    /// Tells the tasks that run, and starts no more.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    pub(crate) fn signal(&self) -> &StopSignal {
        &self.signal
    }

    /// Notes how a task ended.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Progress)) {
        note(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn progress(&self) -> Progress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
