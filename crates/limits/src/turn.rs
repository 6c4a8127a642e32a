//! One at a time takes a block for a subject: of several who find none left, the first takes enough for
//! all who wait by then, and they spend it. If the store does not answer, they hear of it too, instead of
//! asking it one after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Mutex, MutexGuard};

/// Where those wait who want a block.
#[derive(Default)]
pub(super) struct Turn {
    queue: Mutex<()>,
    waiting: AtomicU64,
    failures: AtomicU64,
}

impl Turn {
    /// Waits for those who came before, with something that costs this much. None if one of them has
    /// failed since.
    pub async fn wait(&self, cost: u64) -> Option<MutexGuard<'_, ()>> {
        let _waits = Waits::of(self, cost);
        let failures = self.failures.load(Ordering::SeqCst);
        let mine = self.queue.lock().await;
        (self.failures.load(Ordering::SeqCst) == failures).then_some(mine)
    }

    /// Whose turn it is has failed.
    pub fn fail(&self) {
        self.failures.fetch_add(1, Ordering::SeqCst);
    }

    /// What those cost who wait now. Who gives up does not.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::SeqCst)
    }
}

struct Waits<'a> {
    turn: &'a Turn,
    cost: u64,
}

impl Waits<'_> {
    fn of(turn: &Turn, cost: u64) -> Waits<'_> {
        turn.waiting.fetch_add(cost, Ordering::SeqCst);
        Waits { turn, cost }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.turn.waiting.fetch_sub(self.cost, Ordering::SeqCst);
    }
}
