//! Kill loops: a child writes, is killed at any moment, and what it leaves is opened and checked.

mod child;
mod lap;
pub(crate) mod victim;

use std::process::ExitCode;
use std::time::Duration;

pub use child::{ChildArguments, run as run_child};
use clap::Args;
use lap::{Folder, Statistics};

use crate::common::{Common, Watchdog, times};
use crate::report::Report;
use crate::{progress, recorder};

/// A folder is used for this many laps, so that its database grows.
const LAPS_PER_FOLDER: u64 = 10;
/// Longer than any lap should take.
const LAP_LIMIT: Duration = Duration::from_secs(180);

/// Kill -9 loops under load: nothing acknowledged is lost, nothing is half done.
///
/// Each loop starts a process with 32 writers on a database folder, kills it after 20 to 1,500 ms or
/// at a named point inside the database or the storage engine, opens the folder and compares
/// everything in it with a ledger of what was sent and answered.
#[derive(Args, Debug)]
pub struct KillArguments {
    /// How many loops.
    #[arg(value_name = "LOOPS", default_value_t = 20)]
    loops: u64,
    #[command(flatten)]
    common: Common,
}

/// Runs the loops.
pub fn run(arguments: &KillArguments) -> std::io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("kill {}", arguments.loops), seed);
    let library = recorder::locate()?;
    let mut workplace = arguments.common.workplace(&std::env::temp_dir())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let bar = progress::bar(arguments.loops, "loops");
    let mut statistics = Statistics::default();
    let mut folder: Option<Folder> = None;
    for lap in 0..arguments.loops {
        let mut current = match folder.take() {
            Some(folder) if lap % LAPS_PER_FOLDER != 0 => folder,
            used => {
                if let Some(used) = used {
                    used.remove()?;
                }
                let number = lap / LAPS_PER_FOLDER;
                Folder::new(workplace.path(), seed, number, library.clone())?
            }
        };
        let watchdog = Watchdog::start(LAP_LIMIT, format!("loop {lap} of seed {seed}"));
        let findings = runtime.block_on(current.lap(seed, lap, &mut statistics))?;
        drop(watchdog);
        for finding in findings.kept() {
            report.finding(format!("loop {lap}: {finding}"));
        }
        if findings.is_empty() {
            folder = Some(current);
        } else {
            // What went wrong stays for somebody to look into; the next loop starts anew.
            workplace.keep();
            println!("kept: {}", current.path().display());
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    statistics.print(&mut report);
    Ok(report.finish(arguments.common.json.as_deref()))
}

impl Statistics {
    fn print(self, report: &mut Report) {
        report.row("loops", self.laps);
        report.row("killed at a moment", self.killed_by_time);
        report.row("killed at a point", self.killed_at_point);
        for (point, count) in &self.points {
            report.row(&format!("  {point}"), count);
        }
        report.row("killed in recovery", self.killed_in_recovery);
        report.row("operations sent", self.sent);
        report.row("acknowledged", self.acknowledged);
        report.row("left open", self.open);
        report.row("transactions repeated", self.retried);
        report.row("stream records checked", self.records);
        report.row("largest log", format!("{} commits", self.commits_max));
        report.row("time to open", times(self.recovery));
        report.row("1,000 writes after it", times(self.probe));
    }
}
