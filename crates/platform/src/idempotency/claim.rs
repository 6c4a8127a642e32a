//! A request is claimed, and its claim is completed, released, or taken over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::HeaderValue;
use store::{Record as _, Transaction};

use super::fingerprint::Request;
use super::record::{Record, Status};
use super::{IDEMPOTENCY_KEY_REUSED, Idempotency, REPLAYED, REQUEST_IN_PROGRESS};
use crate::answer::Answer;
use crate::error::Error;
use crate::moment::Moment;

/// After which time the client asks again while somebody works on the same request.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How often a claim is tried while others come between.
const ATTEMPTS_MAX: u32 = 5;

/// What a request is to do.
#[derive(Debug)]
pub enum Begun {
    /// Its work: nobody did it before.
    Claimed(Claim),
    /// Give this answer, which was given before.
    Replay(Answer),
}

/// The right to answer a request. Clones are the same claim.
#[derive(Clone, Debug)]
pub struct Claim {
    record: Arc<Record>,
    settled: Arc<AtomicBool>,
}

impl Claim {
    fn new(record: Record) -> Claim {
        Claim { record: Arc::new(record), settled: Arc::default() }
    }

    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// The number of the claim: one that takes over has a greater one.
    pub fn fencing_token(&self) -> u64 {
        self.record.fencing_token
    }

    /// Whether an answer has been kept, or the claim given up.
    pub fn is_settled(&self) -> bool {
        self.settled.load(Ordering::SeqCst)
    }

    /// Nothing is left to be done about it.
    pub(crate) fn note_settled(&self) {
        self.settled.store(true, Ordering::SeqCst);
    }
}

impl Idempotency {
    /// Claims a request, or finds what was answered. An error says that the key was used for another
    /// request (422), or that somebody works on this one (409, Retry-After).
    pub async fn begin(&self, request: &Request<'_>) -> Result<Begun, Error> {
        for _ in 0..ATTEMPTS_MAX {
            let now = self.now();
            let record = Record::claim(request, now, self.lease);
            let seconds = i64::try_from(now.seconds()).unwrap_or(i64::MAX);
            let claim = self.table()?.access("begin-request")?.with("now", seconds)?;
            let claim = claim.with("request_hash", record.request_hash.as_str())?;
            let found = match claim.put("request", &record)?.run().await {
                Ok(_) => return Ok(Begun::Claimed(Claim::new(record))),
                Err(store::Error::ConditionFailed { found }) => found,
                Err(error) => return Err(error.into()),
            };
            // Released since: try again.
            let Some(found) = found else { continue };
            let found = Record::from_item(found)?;
            if found.request_fingerprint != record.request_fingerprint {
                return Err(Error::new(
                    IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key was used for another request. Use a new key",
                ));
            }
            if found.status == Status::Completed {
                let answer = self.kept(found).await?;
                return Ok(Begun::Replay(answer.with(REPLAYED, HeaderValue::from_static("true"))));
            }
            if found.is_locked(now) {
                return Err(in_progress());
            }
            if let Some(claim) = self.take_over(record, &found, now).await? {
                return Ok(Begun::Claimed(claim));
            }
        }
        Err(in_progress())
    }

    /// Takes over a request whose worker did not answer in time.
    async fn take_over(
        &self,
        mut record: Record,
        found: &Record,
        now: Moment,
    ) -> Result<Option<Claim>, Error> {
        record.fencing_token = now.millis().max(found.fencing_token + 1);
        record.created_at = found.created_at;
        let taken = self.fenced("take-over-request", found)?.put("request", &record)?;
        match taken.run().await {
            Ok(_) => Ok(Some(Claim::new(record))),
            Err(store::Error::ConditionFailed { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Settles the claim of a request that changed nothing: its answer is kept, or, if the same request
    /// may well succeed next time, the claim is released. Does nothing if a committed change has settled
    /// it. After a commit without an answer this is safe too: if the change was made, the condition
    /// fails and its answer stays; if it is still on its way, its own fence stops it.
    pub async fn settle(&self, claim: &Claim, answer: &Answer) -> Result<(), Error> {
        if claim.is_settled() {
            return Ok(());
        }
        if may_succeed_next_time(answer.status.as_u16()) {
            return self.release(claim).await;
        }
        let mut writes = self.completion(claim, answer).await?;
        let done = if writes.len() == 1 {
            writes.remove(0).run().await.map(|_| ())
        } else {
            let transaction = writes.into_iter().fold(Transaction::new(), Transaction::with);
            self.store.commit(transaction).await
        };
        settled(claim, done)
    }

    /// Gives a claim up: the next request with its key does the work.
    pub async fn release(&self, claim: &Claim) -> Result<(), Error> {
        if claim.is_settled() {
            return Ok(());
        }
        let released = self.fenced("release-request", claim.record())?.delete()?;
        settled(claim, released.run().await.map(|_| ()))
    }
}

/// Somebody else has taken the claim over: theirs is the answer that is kept.
fn settled(claim: &Claim, done: Result<(), store::Error>) -> Result<(), Error> {
    match done {
        Ok(()) | Err(store::Error::ConditionFailed { .. } | store::Error::TransactionFailed(_)) => {
            claim.note_settled();
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Faults of ours, and refusals that have nothing to do with what was asked.
fn may_succeed_next_time(status: u16) -> bool {
    status >= 500 || matches!(status, 401 | 403 | 408 | 429)
}

fn in_progress() -> Error {
    let message =
        "A request with this Idempotency-Key is being worked on. Ask again for its answer";
    Error::new(REQUEST_IN_PROGRESS, message).retry_after(RETRY_AFTER)
}
