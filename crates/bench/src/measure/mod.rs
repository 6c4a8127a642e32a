//! How a round is measured: what the callers felt, and what the process used.

mod rest;
mod tally;
mod usage;
mod yardstick;

pub use rest::{cpu_of, rest, rest_of};
use serde::{Deserialize, Serialize};
pub use tally::Tally;
pub use usage::{Usage, peak_resident_bytes, resident_bytes, resident_bytes_of};
pub use yardstick::Yardstick;

/// One round, or the medians of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Operations finished in a second.
    pub operations_per_second: f64,
    /// Half of the answers took no longer.
    pub p50_micros: f64,
    /// Of a hundred answers one took longer.
    pub p99_micros: f64,
    /// Processor time of the whole process for each operation, deferred work included.
    pub cpu_micros_per_operation: f64,
    /// Bytes sent towards the disk for each operation, deferred work included.
    pub written_bytes_per_operation: f64,
    /// Memory of the process after the round.
    pub resident_bytes: f64,
}

impl Measurement {
    /// Runs and measures `work`, from rest to rest: what an engine puts off until after the answer
    /// (merging, checkpoints) is charged to the operations that caused it.
    pub fn of(work: impl FnOnce() -> anyhow::Result<Tally>) -> anyhow::Result<Measurement> {
        rest()?;
        let before = Usage::now()?;
        let tally = work()?;
        rest()?;
        let used = Usage::now()?.since(&before);
        let operations = tally.operations().max(1) as f64;
        Ok(Measurement {
            operations_per_second: tally.operations() as f64 / tally.elapsed.as_secs_f64(),
            p50_micros: tally.quantile_micros(0.50),
            p99_micros: tally.quantile_micros(0.99),
            cpu_micros_per_operation: used.cpu.as_secs_f64() * 1e6 / operations,
            written_bytes_per_operation: used.written_bytes as f64 / operations,
            resident_bytes: resident_bytes()? as f64,
        })
    }

    /// The median of each figure.
    pub fn median(rounds: &[Measurement]) -> Measurement {
        let of = |figure: fn(&Measurement) -> f64| median(rounds.iter().map(figure));
        Measurement {
            operations_per_second: of(|round| round.operations_per_second),
            p50_micros: of(|round| round.p50_micros),
            p99_micros: of(|round| round.p99_micros),
            cpu_micros_per_operation: of(|round| round.cpu_micros_per_operation),
            written_bytes_per_operation: of(|round| round.written_bytes_per_operation),
            resident_bytes: of(|round| round.resident_bytes),
        }
    }
}

/// The middle of some figures; of an even number, the lower one of the two in the middle.
pub fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 3.0].into_iter()), 3.0);
        assert_eq!(median(std::iter::empty()), 0.0);
    }

    #[test]
    fn a_round_is_charged_with_what_it_used() {
        let measured = Measurement::of(|| {
            let start = Instant::now();
            let mut tally = Tally::new()?;
            while start.elapsed() < Duration::from_millis(50) {
                tally.record(Duration::from_micros(100));
            }
            tally.elapsed = start.elapsed();
            Ok(tally)
        })
        .unwrap();
        assert!((99.0..101.0).contains(&measured.p50_micros), "{measured:?}");
        assert!(measured.operations_per_second > 1000.0, "{measured:?}");
        assert!(measured.cpu_micros_per_operation > 0.0, "{measured:?}");
        assert!(measured.resident_bytes > 1e6, "{measured:?}");
    }
}
