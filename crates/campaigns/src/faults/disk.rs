//! Failing calls of the operating system under a database on disk.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use database::clock::{Clock as _, SystemClock};

use crate::aftermath::examine;
use crate::common::{Common, DurabilityArgument, Watchdog};
use crate::kill::ChildArguments;
use crate::kill::victim::{self, End};
use crate::recorder::Recording;
use crate::report::Report;
use crate::workload::Plan;
use crate::{chance, progress, recorder};

/// After this time a process that should have stopped or finished hangs.
const TIME: Duration = Duration::from_secs(30);
const OPERATIONS: u64 = 1_500;

/// Calls that fail, and how often they are made.
const CALLS: [(&str, u64); 6] = [
    ("create", 60),
    ("write", 2_000),
    ("resize", 6),
    ("rename", 50),
    ("unlink", 40),
    ("sync", 600),
];
/// How they fail: once, from then on, or for want of space.
const DEEDS: [&str; 3] = ["fail", "fail-on", "full"];

const NOT_NOTICED: &str = "not noticed";

/// What came of all runs.
#[derive(Debug, Default)]
pub(super) struct Totals {
    runs: u64,
    /// How the process ended, by call.
    ends: BTreeMap<(&'static str, &'static str), u64>,
    acknowledged: u64,
}

impl Totals {
    pub(super) fn print(&self, report: &mut Report) {
        report.row("failing calls on disk", self.runs);
        for ((call, end), count) in &self.ends {
            report.row(&format!("  {call}: {end}"), count);
        }
        report.row("acknowledged writes checked on disk", self.acknowledged);
    }
}

/// Runs them.
pub(super) fn run(
    runtime: &tokio::runtime::Runtime,
    seed: u64,
    runs: u64,
    common: &Common,
    report: &mut Report,
) -> io::Result<Totals> {
    let library = recorder::locate()?;
    let mut workplace = common.workplace(&crate::common::fast_folder())?;
    let bar = progress::bar(runs, "failing calls on disk");
    let mut totals = Totals::default();
    for number in 0..runs {
        let mut random = chance::random(seed, "failing call", number);
        let folder = workplace.path().join(format!("run-{number}"));
        std::fs::create_dir_all(&folder)?;
        let arguments = child(seed, number, &folder, &mut random);
        let (call, often) = CALLS[random.usize(0..CALLS.len())];
        let deed = DEEDS[random.usize(0..DEEDS.len())];
        let recording = Recording {
            library: library.clone(),
            root: arguments.data.clone(),
            trace: None,
            ledger: None,
            done: Some(folder.join("done")),
            at: Some(format!("{call}:{}:{deed}", random.u64(1..=often))),
        };
        let doing = format!("failing call {number} ({})", recording.at.clone().unwrap_or_default());
        let _watchdog = Watchdog::start(TIME * 4, doing.clone());
        let errors = folder.join("errors");
        let end = victim::run(&arguments, &recording.environment(), &errors, TIME)?;
        let said = std::fs::read_to_string(&errors).unwrap_or_default();
        let mut findings = Vec::new();
        // The file whose call failed.
        let failed = std::fs::read_to_string(folder.join("done")).ok();
        let name = judge(end, failed.is_some(), &said, &mut findings);
        if call == "sync"
            && name == NOT_NOTICED
            && let Some(file) = failed.filter(|file| holds_acknowledged(file))
        {
            findings.push(format!("a sync of `{file}` failed, and nobody noticed"));
        }
        totals.runs += 1;
        *totals.ends.entry((call, name)).or_default() += 1;
        let plan = arguments.plan();
        let examined = examine(&arguments.data, &arguments.ledger, &plan, &mut random);
        match runtime.block_on(examined)? {
            Err(refusal) => findings.push(refusal),
            Ok(aftermath) => {
                totals.acknowledged += aftermath.history.acknowledged() as u64;
                findings.extend(aftermath.verdict.findings.kept().iter().cloned());
                aftermath.database.close();
            }
        }
        if findings.is_empty() {
            std::fs::remove_dir_all(&folder)?;
        } else {
            workplace.keep();
            for finding in findings {
                report.finding(format!("{doing}: {finding} ({})", folder.display()));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(totals)
}

/// Is this one of the files that an acknowledged commit lies in? Tables repeat what the journal
/// holds: where writing one fails when the last commit has been acknowledged, there is nobody to
/// tell.
fn holds_acknowledged(file: &str) -> bool {
    file.ends_with(".jnl") || file.ends_with("watermark")
}

/// How the process ended, in a word; it must have finished or stopped.
fn judge(end: End, failed: bool, said: &str, findings: &mut Vec<String>) -> &'static str {
    if said.contains("panicked at") {
        findings.push(format!("a thread panicked: {said}"));
    }
    match end {
        End::Other(status) if status.success() && failed => NOT_NOTICED,
        End::Other(status) if status.success() => "not reached",
        End::Other(_) if said.contains("the database has stopped") => "stopped",
        End::Other(_) if said.contains("cannot be used") || said.contains("is damaged") => {
            "refused to open"
        }
        End::Other(status) => {
            findings.push(format!("ended otherwise, {status}: {said}"));
            "ended otherwise"
        }
        End::Killed | End::AtPoint => {
            findings.push(format!("hangs: {said}"));
            "HUNG"
        }
    }
}

fn child(
    seed: u64,
    number: u64,
    folder: &std::path::Path,
    random: &mut fastrand::Rng,
) -> ChildArguments {
    let engine = chance::engine_options(random);
    let plan = Plan {
        seed: chance::part(seed, "failing call", number),
        items_per_table: 200,
        actions_max: 12,
        expiry_seconds: SystemClock.now_millis() / 1_000,
    };
    ChildArguments {
        data: folder.join("data"),
        ledger: folder.join("ledger"),
        seed: plan.seed,
        items: plan.items_per_table,
        actions: plan.actions_max,
        expiry_seconds: plan.expiry_seconds,
        run: 1,
        writers: 16,
        operations: Some(OPERATIONS),
        // Small, so that tables are written and merged during the short run.
        memtable_bytes: random.u64(16 << 10..256 << 10),
        cache_bytes: engine.cache_bytes,
        worker_threads: engine.worker_threads,
        durability: DurabilityArgument::Durable,
        end_at: None,
        end_count: 1,
    }
}
