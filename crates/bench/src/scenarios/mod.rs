//! What a run does, part by part: both engines side by side, Plinth against itself ten times as
//! large, and what it promises about memory, opening and expiry.

mod comparison;
mod endurance;
mod expiry;
mod growth;

use std::path::PathBuf;

pub use comparison::{Compared, Medium, compare};
pub use endurance::{Endurance, endure};
pub use expiry::{Expiry, sweep};
pub use growth::{Grown, grow};

use crate::engines::EngineName;
use crate::progress::Progress;
use crate::worker::{Worker, WorkerArguments};
use crate::workload::Operation;

/// What every part is given.
pub struct Setting {
    /// Where databases are made.
    pub folder: PathBuf,
    /// Items in each table.
    pub items: u64,
    /// Items in each table, to see what ten times as many cost.
    pub large_items: u64,
    /// How long a round is.
    pub seconds: f64,
    /// How many rounds of each operation; their median counts.
    pub rounds: usize,
    /// Which operations.
    pub operations: Vec<Operation>,
    /// Which items.
    pub seed: u64,
    /// Tells the user what is being done.
    pub progress: Progress,
}

impl Setting {
    /// The arguments of a worker on disk. `batch` tells workers on the same folder apart.
    fn on_disk(&self, engine: EngineName, items: u64, batch: u64) -> WorkerArguments {
        let folder = self.folder.join(format!("{}-{items}", engine.label()));
        WorkerArguments { folder: Some(folder), ..self.in_memory(engine, items, batch) }
    }

    /// The arguments of a worker in memory.
    fn in_memory(&self, engine: EngineName, items: u64, batch: u64) -> WorkerArguments {
        let fresh = batch << 40;
        WorkerArguments { engine, folder: None, relaxed: false, items, seed: self.seed, fresh }
    }

    fn load(&self, worker: &mut Worker, arguments: &WorkerArguments) -> anyhow::Result<()> {
        let place = if arguments.folder.is_some() { "on disk" } else { "in memory" };
        // Two tables.
        let items = 2 * arguments.items;
        let name = format!("Loading {items} items into {} {place}", arguments.engine.label());
        let stage = self.progress.stage(&name, items);
        worker.load(|loaded| stage.reach(loaded))
    }

    /// Loads a folder, fast, and closes it again.
    fn load_folder(&self, arguments: &WorkerArguments) -> anyhow::Result<()> {
        let relaxed = WorkerArguments { relaxed: true, ..arguments.clone() };
        let mut worker = Worker::start(&relaxed)?;
        self.load(&mut worker, arguments)?;
        worker.close()
    }
}

/// Numbers that tell the workers on one folder apart.
mod batch {
    pub const COMPARISON: u64 = 1;
    pub const GROWTH: u64 = 2;
    pub const READING: u64 = 3;
    pub const KILL: u64 = 4;
    pub const AFTER_KILL: u64 = 5;
}
