//! The workers that deliver events: started beside the services, and stopped with them.

use std::sync::Arc;
use std::time::Duration;

use kernel::error::Error;
use kernel::metrics::{Counter, Metrics};
use store::TokioPauses;
use tokio::sync::watch;
use tokio::task::JoinSet;
use webhooks::events::Publisher;
use webhooks::{Client, Parts, Sender, SystemResolver, Worker};

use super::Platform;
use super::owners::AccountOwners;

/// How long attempts that have begun may take to end. One that does not is made again when its lease
/// ends, by any worker.
const ENDING_MAX: Duration = Duration::from_secs(10);

/// Workers at work. Dropping them ends them at once, in the middle of attempts.
#[must_use = "workers end when this is dropped"]
pub struct Workers {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Workers {
    /// Begins nothing any more, and waits for what has begun, for a while.
    pub async fn finish(mut self) {
        let _told = self.stop.send(true);
        let ending = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(ENDING_MAX, ending).await.is_err() {
            tracing::warn!("webhook attempts were left unfinished: they are made again");
        }
    }
}

impl Platform {
    /// Starts so many workers, which send over HTTP to where endpoints may be, and to these
    /// publishers. What becomes of deliveries is shown with these metrics.
    pub fn deliver(
        &self,
        count: usize,
        publishers: &[Arc<dyn Publisher>],
        metrics: &Metrics,
    ) -> Result<Workers, Error> {
        let help = "Deliveries of events that ended, by outcome";
        let ended = metrics.counter("plinth", "webhook_deliveries", help);
        for outcome in ["delivered", "failed", "exhausted"] {
            ended.show(&[("outcome", outcome)]);
        }
        let (policy, timeout) = (self.inner.destinations.clone(), self.inner.webhooks.timeout);
        let client: Arc<dyn Sender> =
            Arc::new(Client::new(policy, Arc::new(SystemResolver), timeout)?);
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            let (client, publishers) = (Arc::clone(&client), publishers.to_vec());
            let worker = self.counted_worker(client, publishers, ended.clone())?;
            tasks.spawn(worker.run(stopped.clone()));
        }
        Ok(Workers { stop, tasks })
    }

    /// A worker that sends in this way, and does nothing yet.
    pub fn worker(
        &self,
        sender: Arc<dyn Sender>,
        publishers: Vec<Arc<dyn Publisher>>,
    ) -> Result<Arc<Worker>, Error> {
        self.counted_worker(sender, publishers, Counter::default())
    }

    fn counted_worker(
        &self,
        sender: Arc<dyn Sender>,
        publishers: Vec<Arc<dyn Publisher>>,
        ended: Counter,
    ) -> Result<Arc<Worker>, Error> {
        let inner = &self.inner;
        Ok(Worker::new(Parts {
            name: inner.ids.prefixed("worker", self.now())?,
            store: inner.store.clone(),
            outbox: inner.outbox.clone(),
            endpoints: inner.endpoints.clone(),
            sender,
            publishers,
            owner: Arc::new(AccountOwners(inner.identity.clone())),
            changes: inner.changes.clone(),
            ids: inner.ids.clone(),
            clock: Arc::clone(&inner.clock),
            pauses: Arc::new(TokioPauses),
            settings: inner.webhooks.clone(),
            ended,
        }))
    }
}
