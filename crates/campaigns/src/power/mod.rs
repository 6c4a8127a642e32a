//! Power loss: everything a process does to its files is recorded, and disks are rebuilt as they may
//! look if the power goes at any moment.

mod content;
mod disk;
mod image;
mod session;
#[cfg(test)]
mod tests;
mod trace;
mod variant;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
pub use image::{Image, read as read_image, write as write_image};
use session::{Laboratory, Session, Tally};

use crate::common::{Common, DurabilityArgument, Watchdog, fast_folder};
use crate::report::Report;
use crate::{chance, progress, recorder};

/// Images of one recorded run.
const IMAGES_PER_SESSION: u64 = 100;
/// Images of the control, in which losses must be found.
const CONTROL_IMAGES: u64 = 40;
/// Longer than any session should take.
const SESSION_LIMIT: Duration = Duration::from_secs(600);

/// Power-loss images: what was acknowledged before the power went is there afterwards.
///
/// A workload runs under a recorder that writes down every file operation and every acknowledgement.
/// From the trace, disks are rebuilt as they may look after a loss of power at random moments: synced
/// data is there, of the rest some, torn, as garbage or not at all. Each image is opened and checked
/// as in `kill`. A control without syncs runs along, in which losses must be found.
#[derive(Args, Debug)]
pub struct PowerArguments {
    /// How many images.
    #[arg(value_name = "IMAGES", default_value_t = 200)]
    images: u64,
    /// Acknowledge after or before the sync. With `relaxed`, losses are found.
    #[arg(long, default_value = "durable")]
    durability: DurabilityArgument,
    /// Changes of names may be lost in any order unless their folder was synced, which is more than
    /// common file systems do.
    #[arg(long)]
    strict: bool,
    /// Operations in each recorded run.
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    operations: u64,
    #[command(flatten)]
    common: Common,
}

/// Makes and checks the images.
pub fn run(arguments: &PowerArguments) -> std::io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("power {}", arguments.images), seed);
    let library = recorder::locate()?;
    let mut workplace = arguments.common.workplace(&fast_folder())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let laboratory = Laboratory {
        library,
        folder: workplace.path().to_owned(),
        strict: arguments.strict,
        operations: arguments.operations,
    };
    let bar = progress::bar(arguments.images, "images");
    let mut tally = Tally::default();
    let (mut sessions, mut events) = (0, 0);
    while tally.images < arguments.images {
        let _watchdog =
            Watchdog::start(SESSION_LIMIT, format!("session {sessions} of seed {seed}"));
        let session_seed = chance::part(seed, "session", sessions);
        let session = Session::record(&laboratory, session_seed, arguments.durability)?;
        sessions += 1;
        events += session.trace.events.len();
        if let Some(mismatch) = &session.mismatch {
            report.finding(format!("the recorder has missed something: {mismatch}"));
        }
        let images = IMAGES_PER_SESSION.min(arguments.images - tally.images);
        let mut random = chance::random(seed, "images", sessions);
        let found = session.check(&runtime, &mut random, images, &mut tally, || bar.inc(1))?;
        if found.is_empty() {
            session.clean()?;
        } else {
            workplace.keep();
        }
        found.into_iter().for_each(|finding| report.finding(finding));
    }
    bar.finish_and_clear();
    report.row("images", tally.images);
    report.row("recorded runs", format!("{sessions} with {events} calls"));
    for (writes, count) in &tally.writes {
        report.row(&format!("  writes: {writes:?}"), count);
    }
    for (names, count) in &tally.names {
        report.row(&format!("  names: {names:?}"), count);
    }
    report.row("second crash in recovery", tally.recovered_twice);
    report.row("acknowledgements checked", tally.acknowledged);
    report.row("stream records checked", tally.records);
    report.row("bad images", tally.bad_images);
    control(&laboratory, seed, &runtime, &mut report)?;
    Ok(report.finish(arguments.common.json.as_deref()))
}

/// The same without syncs: if nothing is found lost there, nothing can be believed.
fn control(
    laboratory: &Laboratory,
    seed: u64,
    runtime: &tokio::runtime::Runtime,
    report: &mut Report,
) -> std::io::Result<()> {
    let mut tally = Tally::default();
    let control_seed = chance::part(seed, "control", 0);
    let session = Session::record(laboratory, control_seed, DurabilityArgument::Relaxed)?;
    let mut random = chance::random(seed, "control", 1);
    session.check(runtime, &mut random, CONTROL_IMAGES, &mut tally, || {})?;
    session.clean()?;
    report.row("control without syncs", format!("{} of {} bad", tally.bad_images, tally.images));
    if tally.bad_images == 0 {
        report.finding("the control has lost nothing: this test does not test".to_owned());
    }
    Ok(())
}
