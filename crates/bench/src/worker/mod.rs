//! One engine in one process: so that processor time, bytes written and memory are its own, and so
//! that it can be killed.
//!
//! The process is this same program with the hidden subcommand `worker`. It reads one [`Command`]
//! a line from standard input and writes one or more [`Reply`]s, a line each, to standard output.

mod client;
mod serve;

use std::path::PathBuf;

pub use client::Worker;
use serde::{Deserialize, Serialize};
pub use serve::serve;

use crate::engines::EngineName;
use crate::measure::Measurement;
use crate::workload::{Dataset, Operation};

/// What a worker is started with.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerArguments {
    /// Which engine.
    #[arg(long)]
    pub engine: EngineName,
    /// Where the data is; without it, in memory.
    #[arg(long)]
    pub folder: Option<PathBuf>,
    /// Acknowledge writes before they are on the disk, for loading.
    #[arg(long)]
    pub relaxed: bool,
    /// Items in each table.
    #[arg(long)]
    pub items: u64,
    /// Which items.
    #[arg(long)]
    pub seed: u64,
    /// The number of the first new item, so that workers on the same folder make different ones.
    #[arg(long)]
    pub fresh: u64,
}

impl WorkerArguments {
    fn dataset(&self) -> Dataset {
        Dataset { items: self.items, seed: self.seed }
    }
}

/// What a worker is told.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Make the tables and fill them.
    Load,
    /// Measure an operation.
    Measure {
        /// Which.
        operation: Operation,
        /// For how long.
        seconds: f64,
    },
    /// Read, then tell how much memory that took.
    Read {
        /// GetItem, so many times.
        gets: u64,
        /// Query of 20, so many times, half of them on an index.
        queries: u64,
    },
    /// Write at full speed and never stop.
    WriteUntilKilled,
    /// Close the database and end.
    Close,
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The database is open; said once, unasked.
    Ready {
        /// How long that took.
        open_millis: f64,
    },
    /// So many items are in.
    Progress(u64),
    /// All items are in.
    Loaded,
    /// An operation was measured.
    Measured(Measurement),
    /// The reads are done.
    Read {
        /// Memory now.
        resident_bytes: u64,
        /// The most at any time.
        peak_resident_bytes: u64,
    },
    /// Writing has begun.
    Writing,
    /// The database is closed.
    Closed,
    /// It did not work.
    Failed(String),
}
