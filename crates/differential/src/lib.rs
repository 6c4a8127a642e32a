//! Does the database answer as DynamoDB does?
//!
//! Random sequences of requests go to the database and to dynoxide, an independent implementation,
//! as the same JSON; every answer, error and, at the end, every table, index and stream is
//! compared. dynoxide is an oracle, not the judge: where AWS's documentation or the behaviour notes
//! say otherwise, the difference is accepted by name in `accepted_differences.md`.
//!
//! Over HTTP the sequences are the same, but both are behind their servers, status, checksum and
//! request id are looked at too, and before many a request goes a copy of it that is broken.
//!
//! - [`world`] and [`generate`] make tables and steps from a seed.
//! - [`party`] holds the two that answer, in process and over HTTP.
//! - [`run`] executes a step on one side; [`compare`] compares the outcomes of both.
//! - [`sequence`] puts them together, and makes a failing sequence short.
//! - [`statistics`] counts what was exercised.
//!
//! Nothing of the product depends on this crate.

pub mod compare;
pub mod expression;
pub mod generate;
pub mod party;
pub mod random;
pub mod run;
pub mod sequence;
pub mod statistics;
pub mod step;
pub mod world;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sequence::{Finding, Pair, explore, shrink};
use statistics::Statistics;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Who is compared with the reference, and how.
    pub pair: Pair,
    /// The seed of the first sequence; the others follow.
    pub seed: u64,
    /// How many sequences.
    pub sequences: u64,
    /// Steps in each.
    pub operations: usize,
    /// Threads.
    pub threads: usize,
    /// Whether findings are made short. It takes a few hundred runs of the sequence each.
    pub shrinks: bool,
}

/// What a run found.
pub struct Report {
    /// What was exercised.
    pub statistics: Statistics,
    /// One finding for each signature, with the number of sequences that showed it.
    pub findings: BTreeMap<String, (usize, Finding)>,
}

/// Runs a plan. `progress` is called now and then with the number of sequences that are done.
pub fn run_plan(plan: Plan, progress: impl Fn(u64) + Sync) -> Report {
    let next = AtomicU64::new(0);
    let report =
        Mutex::new(Report { statistics: Statistics::default(), findings: BTreeMap::new() });
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| work(plan, &next, &report, &progress));
        }
    });
    report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn work(plan: Plan, next: &AtomicU64, report: &Mutex<Report>, progress: &(impl Fn(u64) + Sync)) {
    let mut statistics = Statistics::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.sequences {
            break;
        }
        if number > 0 && number.is_multiple_of(100) {
            progress(number);
        }
        let seed = plan.seed.wrapping_add(number);
        let Some(finding) = explore(plan.pair, seed, plan.operations, &mut statistics) else {
            continue;
        };
        let signature = finding.difference.signature.clone();
        let is_known = {
            let mut report = lock(report);
            let known = report.findings.get_mut(&signature);
            known.map(|(count, _)| *count += 1).is_some()
        };
        if !is_known {
            let finding = if plan.shrinks { shrink(plan.pair, finding) } else { finding };
            lock(report).findings.entry(signature).or_insert((0, finding)).0 += 1;
        }
    }
    lock(report).statistics.merge(statistics);
}

fn lock(report: &Mutex<Report>) -> std::sync::MutexGuard<'_, Report> {
    report.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
