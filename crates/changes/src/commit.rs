//! A change is committed: its writes first, so that a condition that fails is named by its place.

use std::fmt;

use audit::{Entry, Failure, Head};
use kernel::error::{CONFLICT, Error};
use store::Write;
use values::Item;

use super::Change;
use crate::Answer;
use crate::idempotency::REQUEST_IN_PROGRESS;

/// Why a change did not happen.
#[derive(Debug)]
pub enum CommitError {
    /// A condition of one of the change's own writes was false.
    Condition {
        /// The place that [`Change::add`] gave.
        index: usize,
        /// The item as it was found.
        found: Option<Item>,
    },
    /// It is more than a transaction holds.
    TooLarge(Error),
    /// It took so long that somebody else works on the same request now.
    Superseded,
    /// Anything else; after [`Error::unavailable`] it may have happened.
    Failed(Error),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommitError::Condition { index, .. } => {
                write!(f, "the condition of write {index} was false")
            }
            CommitError::Superseded => f.write_str("somebody else works on the same request"),
            CommitError::TooLarge(error) | CommitError::Failed(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CommitError {}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Error {
        match error {
            CommitError::Condition { index, .. } => {
                Error::new(CONFLICT, "Somebody else changed this at the same time: read it again")
                    .because(format!("the condition of write {index} was false"))
            }
            CommitError::Superseded => {
                let message = "A request with this Idempotency-Key is being worked on. Ask again";
                Error::new(REQUEST_IN_PROGRESS, message)
                    .because("the claim was taken over")
                    .retry_after(std::time::Duration::from_secs(1))
            }
            CommitError::TooLarge(error) | CommitError::Failed(error) => error,
        }
    }
}

impl From<Error> for CommitError {
    fn from(error: Error) -> CommitError {
        CommitError::Failed(error)
    }
}

impl Change {
    /// Does everything, or nothing, and gives the answer, which is kept with it if the request was
    /// claimed.
    pub async fn commit(self, answer: Answer) -> Result<Answer, CommitError> {
        let Change { changes, request, writes, entries, events, adjust } = self;
        let (origin, claim) = request.into_parts();
        let draft = |entry: Entry| changes.audit.draft(&entry, &origin);
        let mut rows: Vec<_> = entries.into_iter().map(draft).collect();
        // From here on one request waits for another and for the disk: nothing is held in vain.
        drop(origin);
        let mut with: Vec<Write> = Vec::new();
        if let Some(claim) = &claim {
            with.extend(changes.idempotency.completion(claim, &answer).await?);
        }
        let fence = claim.as_ref().map(|_| 0);
        let has_events = !events.is_empty();
        for event in events {
            with.extend(changes.outbox.writes(&event, changes.audit.now()).await?);
        }
        let adjust = |head: &mut Head| {
            if let Some(adjust) = &adjust {
                adjust(head);
            }
        };
        let done = changes.audit.commit(writes, &mut rows, with, &adjust).await;
        if let (Ok(()), Some(claim)) = (&done, &claim) {
            claim.note_settled();
        }
        match done {
            Ok(()) => {
                if has_events {
                    changes.outbox.committed();
                }
                Ok(answer)
            }
            Err(Failure::Before { index, found }) => Err(CommitError::Condition { index, found }),
            Err(Failure::After { index }) if Some(index) == fence => Err(CommitError::Superseded),
            Err(Failure::After { index }) => {
                let why = format!("write {index} of those that go with a change was refused");
                Err(Error::internal(why).into())
            }
            Err(Failure::TooLarge(error)) => Err(CommitError::TooLarge(error)),
            Err(Failure::Uncertain(error) | Failure::Failed(error)) => Err(error.into()),
        }
    }
}
