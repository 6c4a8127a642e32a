//! The engines that are measured, behind one trait: open, load, run.

mod dynoxide;
mod dynoxide_requests;
mod plinth;
mod plinth_requests;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use clap::ValueEnum;
pub use dynoxide::Dynoxide;
pub use plinth::Plinth;
use serde::{Deserialize, Serialize};

use crate::measure::Tally;
use crate::workload::{Dataset, Operation, QUERY_ITEMS};

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    /// This database.
    Plinth,
    /// The one it is compared with.
    Dynoxide,
}

impl EngineName {
    /// Its name in tables and messages.
    pub fn label(self) -> &'static str {
        match self {
            EngineName::Plinth => "plinth",
            EngineName::Dynoxide => "dynoxide",
        }
    }
}

/// Where the data is, and when a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// In a folder; acknowledged when it is on the disk.
    Durable(&'a Path),
    /// In a folder; acknowledged before it is on the disk. For loading.
    Relaxed(&'a Path),
    /// In memory.
    Memory,
}

/// What every caller of a round is given.
#[derive(Clone, Debug)]
pub struct Round {
    /// What is measured.
    pub operation: Operation,
    /// The items.
    pub dataset: Dataset,
    /// For how long.
    pub duration: Duration,
    /// How many operations at most, for all callers together.
    pub operations_max: u64,
    /// The number of the next new item.
    pub fresh: Arc<AtomicU64>,
}

impl Round {
    /// How many operations one of the callers does at most.
    fn share_max(&self) -> u64 {
        self.operations_max.div_ceil(self.operation.callers())
    }
}

/// An open database of some engine.
pub trait Engine {
    /// Makes the tables and fills them; `progress` is told how many items are in.
    fn load(&self, dataset: Dataset, progress: &(dyn Fn(u64) + Sync)) -> anyhow::Result<()>;

    /// Runs one operation with all its callers for the duration.
    fn run(&self, round: &Round) -> anyhow::Result<Tally>;

    /// Finishes what was taken, and closes.
    fn close(self: Box<Self>);
}

/// Opens an engine.
pub fn open(name: EngineName, place: Place<'_>) -> anyhow::Result<Box<dyn Engine>> {
    Ok(match name {
        EngineName::Plinth => Box::new(Plinth::open(place)?),
        EngineName::Dynoxide => Box::new(Dynoxide::open(place)?),
    })
}

/// What an update does.
pub const ADD_ONE: &str = "SET revision = revision + :one";
/// What an update asks for first; it always holds.
pub const CONDITION: &str = "revision >= :zero";

/// An engine that finds less does less work.
fn check_query(found: usize) -> anyhow::Result<()> {
    anyhow::ensure!(found as u64 == QUERY_ITEMS, "a query found {found} items");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both engines answer every request of the workload, and as expected: see `perform`.
    #[test]
    fn both_engines_do_the_whole_workload() {
        let dataset = Dataset { items: 2000, seed: 1 };
        for name in [EngineName::Plinth, EngineName::Dynoxide] {
            let engine = open(name, Place::Memory).unwrap();
            engine.load(dataset, &|_| {}).unwrap();
            for operation in Operation::ALL {
                let round = Round {
                    operation,
                    dataset,
                    duration: Duration::from_secs(60),
                    operations_max: 128,
                    fresh: Arc::new(AtomicU64::new((operation as u64 + 1) << 32)),
                };
                let tally = engine.run(&round).unwrap();
                assert_eq!(tally.operations(), 128, "{} {operation:?}", name.label());
            }
            engine.close();
        }
    }
}
