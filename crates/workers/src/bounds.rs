//! How much one step may do, and what it did.

use std::time::Duration;

/// The bounds of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Tasks that it starts at most.
    pub tasks: usize,
    /// When no task is started any more and those that run are told to stop.
    pub time: Duration,
    /// How much longer those may take. One that takes longer is dropped, and its lease ends by itself.
    pub grace: Duration,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What [`crate::Work::feed`] returned.
    pub fed: usize,
    /// Tasks that were run and settled.
    pub settled: usize,
    /// Tasks that another worker claimed first.
    pub missed: usize,
    /// Tasks whose lease was lost while they were run: nothing was written.
    pub lost: usize,
    /// Tasks that failed with an error: they are due when their lease has ended.
    pub failed: usize,
    /// Tasks that were dropped because time was up: they are due when their lease has ended.
    pub dropped: usize,
    /// Whether a further step may find due tasks at once, because this one left some.
    pub has_more: bool,
}
