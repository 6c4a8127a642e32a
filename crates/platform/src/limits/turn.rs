//! One at a time takes a block for a subject: of several who find none left, the first takes enough for
//! all who wait by then, and they spend it.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Mutex, MutexGuard};

/// Where those wait who want a block.
#[derive(Default)]
pub(super) struct Turn {
    queue: Mutex<()>,
    waiting: AtomicU64,
}

impl Turn {
    /// Waits for those who came before, with something that costs this much.
    pub async fn wait(&self, cost: u64) -> MutexGuard<'_, ()> {
        let _waits = Waits::of(self, cost);
        self.queue.lock().await
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
