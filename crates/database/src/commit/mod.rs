//! One commit, one log: how writes become durable.
//!
//! ```text
//! callers ──jobs──▶ executor ──groups──▶ committer ──▶ storage (one batch, one fdatasync)
//!    ▲                 ▲                     │
//!    └────answers──────┼─────────────────────┤
//!                      └──────"committed"────┘
//! ```
//!
//! A write is a [`Job`]: a function that reads what it must and stages its writes in a
//! [`Transaction`]. The *executor* is one thread that runs jobs one after another, so that every job
//! sees the result of all jobs before it, in memory if need be; that is what makes writes
//! serializable without a lock. It collects what the jobs wrote into a group. The *committer* is a
//! second thread that hands one group at a time to the storage and answers its callers when the
//! group is durable. While it waits for the disk, the executor fills the next group.
//!
//! Invariants
//! - Nothing about a write exists outside its group's batch: item, index entries, log record,
//!   counters and client token are one atomic unit.
//! - An answer leaves only after everything its job has read or written is durable; also the answer
//!   of a job that failed its condition, since it may have seen a write that was not durable yet.
//! - Readers see the storage only, so a write is durable before it is visible.
//! - After the first storage error on the write path nothing is committed or acknowledged any more.

mod committer;
mod executor;
mod group;
mod transaction;
mod watermark;

use std::sync::mpsc;

pub use committer::{CommitStatistics, Committer, Outbox, Shared};
pub use executor::{Executor, Start};
pub use group::Group;
pub use transaction::{ItemWrite, Transaction, WriteEffect, expiry_seconds};
pub use watermark::{Watermark, WatermarkError};

use crate::Error;

/// Called once the group of a job is durable, or cannot be.
pub type Completion = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// What a caller wants done in one commit. It stages writes in the transaction and gives back what
/// to do when they are durable; the `bool` says whether the staged writes stand (`true`) or are
/// dropped because the job failed.
pub type Job = Box<dyn FnOnce(&mut Transaction<'_>) -> (bool, Completion) + Send>;

/// What the executor hears.
pub enum Message {
    /// A caller's job.
    Job(Job),
    /// The committer has finished the group it was given.
    Committed,
    /// Finish what is there, then end; the sender is told when everything is durable.
    Stop(mpsc::Sender<()>),
}
