//! What an answer does to an endpoint: its circuit closes or opens, or it is disabled, and then its
//! owner hears of it, once.

use std::time::Duration;

use std::sync::Arc;

use audit::Entry;
use changes::{Conflict, Event, Rejection, RequestFacts};
use kernel::Caller;
use kernel::error::Error;
use kernel::moment::Moment;
use store::{Error as StoreError, Write};

use crate::attempt::HEALTH_TRIES;
use crate::endpoints::disabled_reason;
use crate::health::Turn;
use crate::owner::{Notice, NoticeKind};
use crate::records::{Endpoint, Health};
use crate::worker::Deliveries;

impl Deliveries {
    /// After a success.
    pub(crate) async fn recovered(&self, endpoint: &Endpoint) -> Result<(), Error> {
        for _ in 0..HEALTH_TRIES {
            let (account, id) = (&endpoint.account_id, &endpoint.endpoint_id);
            let health = Health::read(&self.table, account, id).await?;
            let Some(healed) = health.succeeded() else { return Ok(()) };
            match healed.write(&self.table, self.now())?.run().await {
                Err(StoreError::ConditionFailed { .. }) => {}
                stored => return Ok(stored.map(|_| ())?),
            }
        }
        Ok(())
    }

    /// After a failure.
    pub(crate) async fn failed(
        &self,
        endpoint: &Endpoint,
        hold: Option<Duration>,
    ) -> Result<(), Error> {
        for _ in 0..HEALTH_TRIES {
            let now = self.now();
            let (account, id) = (&endpoint.account_id, &endpoint.endpoint_id);
            let health = Health::read(&self.table, account, id).await?;
            let (health, turn) = health.failed(&self.parts.settings, hold, now);
            let since = health.failing_since;
            if turn == Turn::Hopeless {
                return self.disable(endpoint, NoticeKind::DisabledAfterFailing, since).await;
            }
            let write = health.write(&self.table, now)?;
            if turn == Turn::Quiet {
                match write.run().await {
                    Err(StoreError::ConditionFailed { .. }) => continue,
                    stored => return Ok(stored.map(|_| ())?),
                }
            }
            let notice = notice(endpoint, NoticeKind::Failing, since, now);
            let entry = Entry::new("WEBHOOK", "WEBHOOK_ENDPOINT_FAILING", account)
                .of("webhook_endpoint", id.as_str())
                .failed();
            if self.tell(&notice, vec![write], entry, None).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Disables an endpoint.
    pub(crate) async fn disable(
        &self,
        endpoint: &Endpoint,
        kind: NoticeKind,
        since: Option<Moment>,
    ) -> Result<(), Error> {
        let mut after = endpoint.clone();
        after.enabled = false;
        after.disabled_reason = Some(disabled_reason(kind).to_owned());
        let action = "WEBHOOK_ENDPOINT_DISABLED";
        let planned = self.parts.endpoints.replaced(action, "disabled", endpoint, after)?;
        let notice = notice(endpoint, kind, since, self.now());
        // If somebody changed it meanwhile, the next failure decides again.
        self.tell(&notice, planned.writes, planned.entry, planned.event).await.map(drop)
    }

    /// Commits what happened to an endpoint with its audit entry, its event and the notice to its
    /// owner: one transaction, so that it is told once. False if it does not hold any more.
    async fn tell(
        &self,
        notice: &Notice,
        writes: Vec<Write>,
        entry: Entry,
        event: Option<Event>,
    ) -> Result<bool, Error> {
        let telling = self.parts.owner.notify(notice).await?;
        let request = RequestFacts::new("", Caller::system("webhooks"), self.now());
        let mut change = self.parts.changes.begin(&Arc::new(request));
        for write in writes {
            change.add(write, Conflict);
        }
        for write in telling.writes {
            change.add(write, Error::changed_meanwhile());
        }
        change.record(entry);
        event.into_iter().for_each(|event| change.emit(event));
        // What is told afterwards belongs to the transaction: a worker that is stopped in between must
        // not take it along.
        let told = tokio::spawn(async move {
            match change.commit(None).await {
                Err(Rejection::Conflict) => return Ok(false),
                done => done.map(drop)?,
            }
            telling.afterwards.await;
            Ok(true)
        });
        told.await.map_err(Error::internal)?
    }
}

fn notice(
    endpoint: &Endpoint,
    kind: NoticeKind,
    failing_since: Option<Moment>,
    at: Moment,
) -> Notice {
    Notice {
        kind,
        account_id: endpoint.account_id.clone(),
        endpoint_id: endpoint.endpoint_id.clone(),
        url: endpoint.url.clone(),
        failing_since,
        at,
    }
}
