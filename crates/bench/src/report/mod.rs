//! What a run found: as data, as tables, and against the figures that are promised.

mod figures;
mod machine;
mod print;
pub mod table;

use std::path::Path;

use anyhow::Context as _;
pub use figures::{Figure, Limit};
pub use machine::Machine;
pub use print::{figures_table, print};
use serde::Serialize;

use crate::scenarios::{Compared, Endurance, Expiry, Grown, Setting};
use crate::workload::Operation;

/// Everything that a run found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it ran.
    pub machine: Machine,
    /// How it ran.
    pub run: Run,
    /// Both engines side by side.
    pub comparison: Vec<Compared>,
    /// Plinth at two sizes.
    pub growth: Vec<Grown>,
    /// Memory and opening.
    pub endurance: Option<Endurance>,
    /// The sweep of expired items.
    pub expiry: Option<Expiry>,
    /// Parts that could not be measured, and why.
    pub failures: Vec<String>,
    /// What is promised, and what was found.
    pub figures: Vec<Figure>,
}

/// How a run was made.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Items in each table.
    pub items: u64,
    /// Items in each table of the large database; none if growth was not measured.
    pub large_items: Option<u64>,
    /// How long a round was.
    pub seconds: f64,
    /// Rounds of each operation.
    pub rounds: usize,
    /// Which operations.
    pub operations: Vec<Operation>,
    /// Which items.
    pub seed: u64,
}

impl Report {
    /// Nothing found yet.
    pub fn new(setting: &Setting, large_items: Option<u64>) -> anyhow::Result<Report> {
        Ok(Report {
            machine: Machine::here(&setting.folder)?,
            run: Run {
                items: setting.items,
                large_items,
                seconds: setting.seconds,
                rounds: setting.rounds,
                operations: setting.operations.clone(),
                seed: setting.seed,
            },
            comparison: Vec::new(),
            growth: Vec::new(),
            endurance: None,
            expiry: None,
            failures: Vec::new(),
            figures: Vec::new(),
        })
    }

    /// Keeps what a part found, or why it found nothing.
    pub fn keep<T>(&mut self, part: &str, found: anyhow::Result<T>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(error) => {
                let failure = format!("{part}: {error:#}");
                eprintln!("{failure}");
                self.failures.push(failure);
                None
            }
        }
    }

    /// Compares what was found with what is promised.
    pub fn judge(&mut self) {
        self.figures = figures::judge(self);
    }

    /// The figures that were missed, or not measured though they should have been.
    pub fn missed(&self) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(|figure| !figure.met())
    }

    /// Writes everything as JSON.
    pub fn write_json(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        std::fs::write(path, text).with_context(|| format!("`{}` is not written", path.display()))
    }
}
