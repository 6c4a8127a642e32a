//! One commit, one log: how writes become durable.
//!
//! ```text
//! callers ──jobs──▶ executor ──groups──▶ committer ──▶ storage (one batch, one fdatasync)
//!    ▲                                       │
//!    └────────────────answers────────────────┘
//! ```
//!
//! A write is a [`Job`]: a function that reads what it must and stages its writes in a
//! [`Transaction`]. The *executor* runs jobs one after another, on the threads of those who bring them,
//! so that every job sees the result of all jobs before it, in memory if need be; that is what makes
//! writes serializable. It collects what the jobs wrote into a group. The *committer* is a thread that
//! hands one group at a time to the storage and answers its callers when the group is durable. While it
//! waits for the disk, the next group fills.
//!
//! Invariants
//! - Nothing about a write exists outside its group's batch: item, index entries, log record,
//!   counters and client token are one atomic unit.
//! - An answer leaves only after everything its job has read or written is durable; also the answer
//!   of a job that failed its condition, since it may have seen a write that was not durable yet.
//! - Readers see the storage only, so a write is durable before it is visible.
//! - A job asks nothing but its transaction and takes no lock: it may run on the thread of another
//!   caller, whatever that one holds.
//! - After the first storage error on the write path nothing is committed or acknowledged any more.

mod committer;
mod executor;
mod group;
mod transaction;
mod watermark;

pub use committer::{CommitStatistics, Committer, Shared};
pub use executor::{Executor, Start};
pub use group::{Group, KeySet};
pub use transaction::{ItemWrite, Transaction, WriteEffect, expiry_seconds};
pub use watermark::{Watermark, WatermarkError};

use crate::Error;

/// Called once the group of a job is durable, or cannot be.
pub type Completion = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// What a caller wants done in one commit. It stages writes in the transaction and gives back what
/// to do when they are durable; the `bool` says whether the staged writes stand (`true`) or are
/// dropped because the job failed.
pub type Job = Box<dyn FnOnce(&mut Transaction<'_>) -> (bool, Completion) + Send>;
