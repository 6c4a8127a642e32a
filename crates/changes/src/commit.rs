//! A change is committed: its writes first, so that a condition that fails is known to be theirs.

use audit::{Entry, Failure, Head};
use kernel::error::Error;
use store::Write;

use super::Change;
use crate::answer::Answer;
use crate::idempotency::REQUEST_IN_PROGRESS;
use crate::refusal::Rejection;

impl Change {
    /// Does everything, or nothing. If the request was claimed, the answer is kept with it, and given
    /// back. A change with nothing in it is not committed. An error that says the service is unavailable leaves open whether it was done.
    pub async fn commit(
        self,
        answer: impl Into<Option<Answer>>,
    ) -> Result<Option<Answer>, Rejection> {
        let answer = answer.into();
        let is_empty = self.writes.is_empty() && self.entries.is_empty() && self.events.is_empty();
        if is_empty {
            return Ok(None);
        }
        let Change { changes, request, writes, mut refusals, entries, events, adjust } = self;
        let origin = request.origin();
        let draft = |entry: Entry| changes.audit.draft(&entry, &origin);
        let mut rows: Vec<_> = entries.into_iter().map(draft).collect();
        // From here on one request waits for another and for the disk: nothing is held in vain.
        drop(origin);
        let mut with: Vec<Write> = Vec::new();
        let claim = request.claim.as_ref().filter(|_| answer.is_some());
        if let (Some(claim), Some(answer)) = (claim, &answer) {
            with.extend(changes.idempotency.completion(claim, answer).await?);
        }
        let fence = claim.map(|_| 0);
        let has_events = !events.is_empty();
        for event in events {
            with.extend(changes.outbox.writes(&event, changes.audit.now()).await?);
        }
        let adjust = |head: &mut Head| {
            if let Some(adjust) = &adjust {
                adjust(head);
            }
        };
        match changes.audit.commit(writes, &mut rows, with, &adjust).await {
            Ok(()) => {
                if let Some(claim) = claim {
                    claim.note_settled();
                }
                if has_events {
                    changes.outbox.committed();
                }
                Ok(answer)
            }
            Err(Failure::Before { index, found }) if index < refusals.len() => {
                Err(refusals.swap_remove(index).of(found))
            }
            Err(Failure::After { index }) if Some(index) == fence => Err(superseded().into()),
            Err(Failure::Before { index, .. } | Failure::After { index }) => {
                let why = format!("write {index} of those that go with a change was refused");
                Err(Error::internal(why).into())
            }
            Err(Failure::TooLarge(error) | Failure::Uncertain(error) | Failure::Failed(error)) => {
                Err(error.into())
            }
        }
    }
}

/// The request took so long that its claim was taken over by a repetition.
fn superseded() -> Error {
    let message = "A request with this Idempotency-Key is being worked on. Ask again";
    Error::new(REQUEST_IN_PROGRESS, message)
        .because("the claim was taken over")
        .retry_after(std::time::Duration::from_secs(1))
}
