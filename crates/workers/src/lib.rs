//! Who does the work that is due? Any number of workers, in any number of processes, share the tasks
//! of a table: a due index lists them, a claim with a lease decides which worker has a task, a
//! heartbeat extends the lease, and a fence keeps a worker that was too slow from writing.
//!
//! ```text
//!   due index --page--> lane --claim--> run, under heartbeat --> settle, under fence
//!       ^                                   |                        |
//!       '--------- lease has ended <--------'      next time, or off the index
//! ```
//!
//! A claim moves the task's due time to the end of its lease: the index that lists what is due also
//! lists what a killed worker left behind. Nothing else watches over workers.
//!
//! [`Work`] says what the tasks are; [`Worker`] does them, in one bounded [`Worker::step`] that a
//! scheduled function can call, or in [`Worker::run`], a loop that waits for news, the poll interval
//! or the stop.
//!
//! Invariants:
//! - A task is claimed before it is run, and each claim raises its fence.
//! - No heartbeat is under way when a task is settled: an extension that arrives late must not put a
//!   settled task back on the due index.
//! - A worker never waits for a task while others have room: tasks run side by side, a few per lane.
//!
//! Not here: what a task is, where it is stored, how often it is tried again (the work settles it).

mod bounds;
mod lanes;
mod lease;
mod lists;
mod round;
mod stop;
mod task_run;
mod work;
mod worker;

pub use bounds::{Bounds, Progress};
pub use lease::{Lease, LeaseAttributes};
pub use stop::StopSignal;
pub use work::{Candidate, Work};
pub use worker::{Parts, Settings, Worker};
