//! The n-th failure: every call of the storage fails once, and the database must cope.

mod disk;
mod run;
mod steps;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use run::{Mode, Run};

use crate::common::{Common, Watchdog, silence_errors};
use crate::progress;
use crate::report::Report;

/// Longer than any run should take: each one is a few milliseconds of work.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// Fails the n-th call of the storage, for n = 1, 2, … until a workload passes untouched.
///
/// Three times over: the call fails once; it and all calls after it fail; a commit that fails has
/// been carried out all the same. After each, nothing may have been acknowledged since the failure,
/// and a database opened on what is left must hold what was acknowledged, whole, with matching
/// indexes and log. Then the same on disk: single calls of the operating system fail, once or from
/// then on, or the disk is full, while a process writes.
#[derive(Args, Debug)]
pub struct FaultsArguments {
    /// How many different workloads.
    #[arg(value_name = "WORKLOADS", default_value_t = 1)]
    workloads: u64,
    /// How often a call of the operating system fails under a database on disk.
    #[arg(long, value_name = "RUNS", default_value_t = 30)]
    disk: u64,
    /// Shows what the database says when it stops.
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Default)]
struct Totals {
    runs: u64,
    stopped: u64,
    refused_to_open: u64,
    acknowledged: u64,
    calls: u64,
}

/// Runs the workloads.
pub fn run(arguments: &FaultsArguments) -> std::io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("faults {}", arguments.workloads), seed);
    if !arguments.verbose {
        silence_errors()?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let bar = progress::bar(arguments.workloads * Mode::ALL.len() as u64, "loops");
    let mut totals = Totals::default();
    for workload in 0..arguments.workloads {
        let workload_seed = crate::chance::part(seed, "faults", workload);
        for mode in Mode::ALL {
            for call in 1.. {
                let doing = format!("{mode:?} failure of call {call} of workload {workload}");
                let watchdog = Watchdog::start(RUN_LIMIT, doing.clone());
                let outcome = runtime.block_on(Run::new(workload_seed, mode, call).run());
                drop(watchdog);
                totals.runs += 1;
                totals.stopped += u64::from(outcome.stopped);
                totals.refused_to_open += u64::from(outcome.refused_to_open);
                totals.acknowledged += outcome.acknowledged;
                for finding in outcome.findings.kept() {
                    report.finding(format!("{doing}: {finding}"));
                }
                bar.set_message(format!("call {call}"));
                if outcome.untouched {
                    totals.calls += call - 1;
                    break;
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let disk = disk::run(&runtime, seed, arguments.disk, &arguments.common, &mut report)?;
    report.row("workloads", arguments.workloads);
    report.row("runs", totals.runs);
    report
        .row("calls of the storage in a workload", totals.calls / (3 * arguments.workloads).max(1));
    report.row("runs in which the database stopped", totals.stopped);
    report.row("runs in which it refused to open", totals.refused_to_open);
    report.row("acknowledged writes checked", totals.acknowledged);
    disk.print(&mut report);
    Ok(report.finish(arguments.common.json.as_deref()))
}
