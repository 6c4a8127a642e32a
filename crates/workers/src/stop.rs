//! How running tasks hear that their worker is about to end.

use tokio::sync::watch;

/// Is set once, when a worker is stopped or its step has used up its time. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// A signal, and what sets it.
    pub(crate) fn new() -> (watch::Sender<bool>, StopSignal) {
        let (sender, receiver) = watch::channel(false);
        (sender, StopSignal(receiver))
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is set.
    pub async fn wait(&self) {
        // Without its sender there is no worker to go on for.
        let mut receiver = self.0.clone();
        let _gone = receiver.wait_for(|is_set| *is_set).await;
    }
}
