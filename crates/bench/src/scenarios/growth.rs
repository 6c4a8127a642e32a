//! What do ten times as many items cost? Plinth against itself, durable, taking turns.

use serde::Serialize;

use super::comparison::alternate;
use super::{Setting, batch};
use crate::engines::EngineName;
use crate::measure::Measurement;
use crate::worker::Worker;
use crate::workload::Operation;

/// One operation at both sizes.
#[derive(Clone, Debug, Serialize)]
pub struct Grown {
    /// What was measured.
    pub operation: Operation,
    /// The medians with fewer items.
    pub small: Measurement,
    /// The medians with more items.
    pub large: Measurement,
    /// How many times as much processor time with more items.
    pub cpu_ratio: f64,
    /// How many times as long an answer takes with more items.
    pub p50_ratio: f64,
    /// Every round with fewer items.
    pub small_rounds: Vec<Measurement>,
    /// Every round with more items.
    pub large_rounds: Vec<Measurement>,
}

/// Loads the large database and measures every operation in it and in the small one, which the
/// comparison has left behind.
pub fn grow(setting: &Setting) -> anyhow::Result<Vec<Grown>> {
    let large = setting.on_disk(EngineName::Plinth, setting.large_items, batch::GROWTH);
    setting.load_folder(&large)?;
    let mut large = Worker::start(&large)?;
    let small = setting.on_disk(EngineName::Plinth, setting.items, batch::GROWTH);
    let mut small = Worker::start(&small)?;
    let name = format!("Comparing {} and {} items", setting.items, setting.large_items);
    let stage = setting.progress.stage(&name, setting.operations.len() as u64);
    let mut results = Vec::new();
    for &operation in &setting.operations {
        stage.step(operation.label());
        let (small_rounds, large_rounds) = alternate(setting, operation, &mut small, &mut large)?;
        let small = Measurement::median(&small_rounds);
        let large = Measurement::median(&large_rounds);
        results.push(Grown {
            operation,
            small,
            large,
            cpu_ratio: large.cpu_micros_per_operation / small.cpu_micros_per_operation,
            p50_ratio: large.p50_micros / small.p50_micros,
            small_rounds,
            large_rounds,
        });
    }
    drop(stage);
    small.close()?;
    large.close()?;
    Ok(results)
}
