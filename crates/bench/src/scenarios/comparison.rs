//! Both engines side by side, each in a process of its own, taking turns round by round: whatever
//! else the machine does hits both alike.

use serde::Serialize;

use super::{Setting, batch};
use crate::engines::EngineName;
use crate::measure::Measurement;
use crate::worker::Worker;
use crate::workload::Operation;

/// Where the data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Medium {
    /// On the same disk, and every answer after a sync.
    Disk,
    /// In memory.
    Memory,
}

/// One operation in both engines.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// Where the data is.
    pub medium: Medium,
    /// What was measured.
    pub operation: Operation,
    /// The medians of Plinth's rounds.
    pub plinth: Measurement,
    /// The medians of dynoxide's rounds.
    pub dynoxide: Measurement,
    /// How many times as many operations a second Plinth does.
    pub ratio: f64,
    /// Every round of Plinth.
    pub plinth_rounds: Vec<Measurement>,
    /// Every round of dynoxide.
    pub dynoxide_rounds: Vec<Measurement>,
}

/// Measures every operation in both engines.
pub fn compare(setting: &Setting, medium: Medium) -> anyhow::Result<Vec<Compared>> {
    let mut plinth = start(setting, medium, EngineName::Plinth)?;
    let mut dynoxide = start(setting, medium, EngineName::Dynoxide)?;
    let name = match medium {
        Medium::Disk => "Comparing on disk, each answer after a sync",
        Medium::Memory => "Comparing in memory",
    };
    let stage = setting.progress.stage(name, setting.operations.len() as u64);
    let mut results = Vec::new();
    for &operation in &setting.operations {
        stage.step(operation.label());
        let (plinth_rounds, dynoxide_rounds) =
            alternate(setting, operation, &mut plinth, &mut dynoxide)?;
        let plinth = Measurement::median(&plinth_rounds);
        let dynoxide = Measurement::median(&dynoxide_rounds);
        let ratio = plinth.operations_per_second / dynoxide.operations_per_second;
        results.push(Compared {
            medium,
            operation,
            plinth,
            dynoxide,
            ratio,
            plinth_rounds,
            dynoxide_rounds,
        });
    }
    drop(stage);
    plinth.close()?;
    dynoxide.close()?;
    Ok(results)
}

/// The rounds of one operation in two workers that take turns; who begins changes each time.
pub fn alternate(
    setting: &Setting,
    operation: Operation,
    one: &mut Worker,
    other: &mut Worker,
) -> anyhow::Result<(Vec<Measurement>, Vec<Measurement>)> {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for round in 0..setting.rounds {
        if round.is_multiple_of(2) {
            ones.push(one.measure(operation, setting.seconds)?);
            others.push(other.measure(operation, setting.seconds)?);
        } else {
            others.push(other.measure(operation, setting.seconds)?);
            ones.push(one.measure(operation, setting.seconds)?);
        }
    }
    Ok((ones, others))
}

/// A worker whose database is loaded, and durable if it is on disk.
fn start(setting: &Setting, medium: Medium, engine: EngineName) -> anyhow::Result<Worker> {
    let items = setting.items;
    match medium {
        Medium::Disk => {
            let arguments = setting.on_disk(engine, items, batch::COMPARISON);
            setting.load_folder(&arguments)?;
            Worker::start(&arguments)
        }
        Medium::Memory => {
            let arguments = setting.in_memory(engine, items, batch::COMPARISON);
            let mut worker = Worker::start(&arguments)?;
            setting.load(&mut worker, &arguments)?;
            Ok(worker)
        }
    }
}
