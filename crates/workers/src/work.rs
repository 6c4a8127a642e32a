//! What a worker must know of the work: which tasks are due, and how one is claimed, run and settled.

use std::future::Future;
use std::sync::Arc;

use kernel::error::Error;
use kernel::moment::Moment;
use store::Page;

use crate::lease::Lease;
use crate::stop::StopSignal;

/// A task as a list of due tasks shows it. No worker has it yet.
pub trait Candidate: Send + Sync + 'static {
    /// Tells it from the others of its lane.
    fn id(&self) -> &str;

    /// Candidates of one lane share a few places, so that one of them, a slow endpoint say, does not
    /// take the whole worker.
    fn lane(&self) -> &str;
}

/// Tasks of one kind.
pub trait Work: Send + Sync + 'static {
    /// A task that is due.
    type Candidate: Candidate;
    /// A task that this worker has, with the fence of its claim.
    type Task: Send + Sync;
    /// What came of a run.
    type Outcome: Send;

    /// How many lists of due tasks there are: the partitions of the due index.
    fn lists(&self) -> usize;

    /// A page of a list, oldest first, of tasks whose due time is `now` at the latest. A token goes
    /// with the `now` it was given for.
    fn due(
        &self,
        list: usize,
        now: Moment,
        token: Option<&str>,
    ) -> impl Future<Output = Result<Page<Self::Candidate>, Error>> + Send;

    /// Makes tasks of what has come in, before the lists are looked through. Returns how many sources
    /// of tasks were used up; unless that is none, a further call may find more.
    fn feed(self: &Arc<Self>) -> impl Future<Output = Result<usize, Error>> + Send {
        async { Ok(0) }
    }

    /// Claims a task: raises its fence and moves its due time to the end of the lease, on condition
    /// that it is still due. None if another worker was faster.
    fn claim(
        &self,
        candidate: &Self::Candidate,
        lease: &Lease,
    ) -> impl Future<Output = Result<Option<Self::Task>, Error>> + Send;

    /// Extends the lease of a task, on condition that its fence is unchanged. False if it changed, or
    /// if the task was cancelled: its run then ends at once. Asked only if
    /// [`crate::Settings::heartbeat`] is set.
    fn extend(
        &self,
        _task: &Self::Task,
        _lease: &Lease,
    ) -> impl Future<Output = Result<bool, Error>> + Send {
        async { Err(Error::internal("a heartbeat is set for work that cannot extend a lease")) }
    }

    /// Runs a task. It may be dropped at any point, and the same task may be run again. A run that
    /// takes long should end early when the signal is set, with an outcome that goes on later.
    ///
    /// An error leaves the task as it is, and another claim follows when its lease has ended.
    fn run(
        &self,
        task: &Self::Task,
        stop: &StopSignal,
    ) -> impl Future<Output = Result<Self::Outcome, Error>> + Send;

    /// Stores what came of a run and when the task is due again, if ever, on condition that the
    /// fence is unchanged. False if it changed: another worker has the task, and nothing is written.
    fn settle(
        &self,
        task: Self::Task,
        outcome: Self::Outcome,
    ) -> impl Future<Output = Result<bool, Error>> + Send;
}
