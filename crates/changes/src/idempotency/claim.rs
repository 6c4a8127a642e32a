//! A request is claimed, and its claim is completed, released, or taken over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use kernel::error::Error;
use kernel::moment::Moment;
use store::{Record as _, Transaction};

use super::fingerprint::Request;
use super::record::{Record, Status};
use super::running::Entry;
use super::{IDEMPOTENCY_KEY_REUSED, Idempotency, REPLAYED, REQUEST_IN_PROGRESS};
use crate::Answer;

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
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    record: Record,
    stands_on: Ground,
    /// Present while this process holds it in memory.
    entry: Mutex<Option<Entry>>,
    settled: AtomicBool,
}

/// What must be in the store for the claim to hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ground {
    /// A request in progress with this fence.
    Fence(u64),
    /// Nothing, or what had expired when the request began.
    Nothing,
}

impl Claim {
    fn stored(record: Record) -> Claim {
        let stands_on = Ground::Fence(record.fencing_token);
        Claim::new(record, stands_on, None)
    }

    fn new(record: Record, stands_on: Ground, entry: Option<Entry>) -> Claim {
        let (entry, settled) = (Mutex::new(entry), AtomicBool::default());
        Claim { inner: Arc::new(Inner { record, stands_on, entry, settled }) }
    }

    pub(super) fn record(&self) -> &Record {
        &self.inner.record
    }

    pub(super) fn stands_on(&self) -> Ground {
        self.inner.stands_on
    }

    /// The number of the claim: one that takes over has a greater one.
    pub fn fencing_token(&self) -> u64 {
        self.record().fencing_token
    }

    /// Whether an answer has been kept, or the claim given up.
    pub fn is_settled(&self) -> bool {
        self.inner.settled.load(Ordering::SeqCst)
    }

    /// Nothing is left to be done about it.
    pub(crate) fn note_settled(&self) {
        self.inner.settled.store(true, Ordering::SeqCst);
        drop(self.entry().take());
    }

    fn is_in_memory(&self) -> bool {
        self.entry().is_some()
    }

    fn entry(&self) -> MutexGuard<'_, Option<Entry>> {
        self.inner.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a request finds that was there before.
enum Met {
    Answered(Answer),
    /// Whoever worked on it did not answer in time.
    Abandoned(Record),
}

impl Idempotency {
    /// Claims a request, or finds what was answered. An error says that the key was used for another
    /// request (422), or that somebody works on this one (409, Retry-After).
    pub async fn begin(&self, request: &Request<'_>) -> Result<Begun, Error> {
        let now = self.now();
        let record = Record::claim(request, now, self.lease);
        match &self.running {
            Some(running) => {
                let entered = running.enter(&record.request_hash, &record.request_fingerprint);
                let entry = entered.map_err(|other| refusal(&other, &record))?;
                self.begin_in_memory(record, entry, now).await
            }
            None => Box::pin(self.begin_stored(record, now)).await,
        }
    }

    /// The request was entered before the store is asked, so that an answer that somebody has kept
    /// since is found.
    async fn begin_in_memory(
        &self,
        mut record: Record,
        entry: Entry,
        now: Moment,
    ) -> Result<Begun, Error> {
        let found = self.table.get_request(&record.request_hash).get::<Record>().await?;
        let found = found.filter(|found| found.ttl > now.seconds());
        let stands_on = match found {
            None => Ground::Nothing,
            Some(found) => match Box::pin(self.meet(found, &record, now)).await? {
                Met::Answered(answer) => return Ok(Begun::Replay(answer)),
                Met::Abandoned(found) => {
                    record.follow(&found, now);
                    Ground::Fence(found.fencing_token)
                }
            },
        };
        Ok(Begun::Claimed(Claim::new(record, stands_on, Some(entry))))
    }

    async fn begin_stored(&self, record: Record, now: Moment) -> Result<Begun, Error> {
        for _ in 0..ATTEMPTS_MAX {
            let claim = self.unseen(&record).put(&record)?;
            let found = match claim.run().await {
                Ok(_) => return Ok(Begun::Claimed(Claim::stored(record))),
                Err(store::Error::ConditionFailed { found }) => found,
                Err(error) => return Err(error.into()),
            };
            // Released since: try again.
            let Some(found) = found else { continue };
            match self.meet(Record::from_item(found)?, &record, now).await? {
                Met::Answered(answer) => return Ok(Begun::Replay(answer)),
                Met::Abandoned(found) => {
                    if let Some(claim) = self.take_over(record.clone(), &found, now).await? {
                        return Ok(Begun::Claimed(claim));
                    }
                }
            }
        }
        Err(in_progress())
    }

    /// What a record that is there means for a request.
    async fn meet(&self, found: Record, record: &Record, now: Moment) -> Result<Met, Error> {
        let is_other = found.request_fingerprint != record.request_fingerprint;
        if is_other || (found.status == Status::InProgress && found.is_locked(now)) {
            return Err(refusal(&found.request_fingerprint, record));
        }
        if found.status == Status::InProgress {
            return Ok(Met::Abandoned(found));
        }
        let answer = self.kept(found).await?;
        Ok(Met::Answered(answer.with(REPLAYED, HeaderValue::from_static("true"))))
    }

    /// Takes over a request whose worker did not answer in time.
    async fn take_over(
        &self,
        mut record: Record,
        found: &Record,
        now: Moment,
    ) -> Result<Option<Claim>, Error> {
        record.follow(found, now);
        let take = self.table.take_over_request(found.fencing_token);
        match take.put(&record)?.run().await {
            Ok(_) => Ok(Some(Claim::stored(record))),
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
        if claim.is_in_memory() {
            claim.note_settled();
            return Ok(());
        }
        let Record { request_hash, fencing_token, .. } = claim.record();
        let released = self.table.release_request(request_hash, *fencing_token).delete()?;
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

/// Faults of ours, refusals that have nothing to do with what was asked, and those for the state of
/// things: somebody was faster, or the version is another one by now.
fn may_succeed_next_time(status: u16) -> bool {
    status >= 500 || matches!(status, 401 | 403 | 408 | 409 | 412 | 428 | 429)
}

/// Why a request cannot be begun while another with its key is there.
fn refusal(fingerprint: &str, record: &Record) -> Error {
    if fingerprint == record.request_fingerprint {
        return in_progress();
    }
    let message = "This Idempotency-Key was used for another request. Use a new key";
    Error::new(IDEMPOTENCY_KEY_REUSED, message)
}

fn in_progress() -> Error {
    let message =
        "A request with this Idempotency-Key is being worked on. Ask again for its answer";
    Error::new(REQUEST_IN_PROGRESS, message).retry_after(RETRY_AFTER)
}
