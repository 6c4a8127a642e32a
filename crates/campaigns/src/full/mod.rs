//! A full disk: writes end with a clear error, reads go on, and freeing space is all it takes.

mod cycle;
mod small_disk;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use cycle::{Cycle, Statistics};
use small_disk::SmallDisk;

use crate::common::{Common, Watchdog, silence_errors};
use crate::report::Report;
use crate::{chance, progress};

/// Longer than any cycle should take.
const CYCLE_LIMIT: Duration = Duration::from_secs(120);

/// Fills the disk under a database and frees it again.
///
/// Needs the right to mount a small file system in memory; without it, nothing is tested and that is
/// said. Two of three cycles keep the reserve: a foreign file takes the space, writes are refused,
/// reads go on, the file goes, writes are taken again. In the third there is no reserve: the disk
/// fills up in the middle of a commit, the database stops, and opens again once there is room.
#[derive(Args, Debug)]
pub struct FullArguments {
    /// How many cycles.
    #[arg(value_name = "CYCLES", default_value_t = 3)]
    cycles: u64,
    /// Shows what the database says when it stops.
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the cycles.
pub fn run(arguments: &FullArguments) -> io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("full {}", arguments.cycles), seed);
    let workplace = arguments.common.workplace(&std::env::temp_dir())?;
    let disk = match SmallDisk::mount(&workplace.path().join("disk")) {
        Ok(disk) => disk,
        Err(error) => {
            report.row("skipped", format!("a small disk cannot be mounted here: {error}"));
            return Ok(report.finish(arguments.common.json.as_deref()));
        }
    };
    if !arguments.verbose {
        silence_errors()?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let bar = progress::bar(arguments.cycles, "cycles");
    let mut statistics = Statistics::default();
    for number in 0..arguments.cycles {
        let _watchdog = Watchdog::start(CYCLE_LIMIT, format!("cycle {number} of seed {seed}"));
        let random = chance::random(seed, "full", number);
        let cycle = Cycle::new(disk.path(), chance::part(seed, "full", number), random);
        let found = if number % 3 == 2 {
            runtime.block_on(cycle.without_reserve(&mut statistics))?
        } else {
            runtime.block_on(cycle.with_reserve(&mut statistics))?
        };
        for finding in found.kept() {
            report.finding(format!("cycle {number}: {finding}"));
        }
        disk.clear()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    statistics.print(&mut report);
    Ok(report.finish(arguments.common.json.as_deref()))
}
