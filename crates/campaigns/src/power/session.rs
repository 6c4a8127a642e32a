//! One recorded run of the workload, and the images that come of it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use database::clock::{Clock as _, SystemClock};
use database::{Database, Options};

use super::disk::Disk;
use super::image::{self, Image};
use super::trace::{Event, Trace};
use super::variant::{Names, Variant, Writes};
use crate::chance;
use crate::common::DurabilityArgument;
use crate::kill::ChildArguments;
use crate::ledger::{History, read_notes};
use crate::recorder::Recording;
use crate::verify::{Findings, verify};
use crate::workload::Plan;

/// Where and how sessions are recorded.
#[derive(Clone, Debug)]
pub(super) struct Laboratory {
    /// The recorder.
    pub(super) library: PathBuf,
    /// Where sessions live.
    pub(super) folder: PathBuf,
    /// Names in any order.
    pub(super) strict: bool,
    /// How many operations a session has.
    pub(super) operations: u64,
}

/// A recorded run.
#[derive(Debug)]
pub(super) struct Session {
    laboratory: Laboratory,
    folder: PathBuf,
    plan: Plan,
    pub(super) trace: Trace,
    /// The recorder and the folder disagree.
    pub(super) mismatch: Option<String>,
}

/// What the images were like.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) images: u64,
    pub(super) recovered_twice: u64,
    pub(super) bad_images: u64,
    pub(super) writes: BTreeMap<Writes, u64>,
    pub(super) names: BTreeMap<Names, u64>,
    pub(super) acknowledged: u64,
    pub(super) records: u64,
}

impl Session {
    /// Runs the workload under the recorder.
    pub(super) fn record(
        laboratory: &Laboratory,
        seed: u64,
        durability: DurabilityArgument,
    ) -> io::Result<Session> {
        let folder = laboratory.folder.join(format!("session-{seed:x}"));
        std::fs::create_dir_all(&folder)?;
        let mut random = fastrand::Rng::with_seed(seed);
        let plan = Plan {
            seed,
            items_per_table: 60,
            actions_max: 12,
            expiry_seconds: SystemClock.now_millis() / 1_000,
        };
        let mut arguments = child(&plan, &folder.join("data"), &mut random);
        arguments.ledger = folder.join("ledger");
        arguments.operations = Some(laboratory.operations);
        arguments.durability = durability;
        let trace = run_recorded(laboratory, &arguments, &folder)?;
        let mut disk = Disk::default();
        disk.advance(&trace, trace.events.len());
        let everything = Variant { writes: Writes::Everything, names: Names::Everything, seed: 0 };
        let rebuilt = everything.image(&disk, &trace, false);
        let mismatch = image::difference(&rebuilt, &image::read(&folder.join("data"))?);
        std::fs::remove_dir_all(folder.join("data"))?;
        let laboratory = laboratory.clone();
        Ok(Session { laboratory, folder, plan, trace, mismatch })
    }

    /// Makes images and checks them; gives what is wrong with each bad one.
    pub(super) fn check(
        &self,
        runtime: &tokio::runtime::Runtime,
        random: &mut fastrand::Rng,
        images: u64,
        tally: &mut Tally,
        mut progress: impl FnMut(),
    ) -> io::Result<Vec<String>> {
        let mut findings = Vec::new();
        let mut cuts: Vec<usize> = (0..images).map(|_| self.cut(random)).collect();
        cuts.sort_unstable();
        let mut disk = Disk::default();
        for cut in cuts {
            disk.advance(&self.trace, cut);
            let variant = Variant::draw(random, self.laboratory.strict);
            let image = variant.image(&disk, &self.trace, self.laboratory.strict);
            let notes = read_notes(&self.trace.ledger(cut))?;
            let history = History::new(&self.plan, &notes);
            tally.images += 1;
            tally.acknowledged += history.acknowledged() as u64;
            *tally.writes.entry(variant.writes).or_default() += 1;
            *tally.names.entry(variant.names).or_default() += 1;
            let mut found = self.check_image(runtime, &image, &history, tally)?;
            if random.u8(0..20) == 0 {
                tally.recovered_twice += 1;
                for finding in self.crash_again(runtime, random, &image, &history, tally)?.kept() {
                    found.add(format!("after a second crash in recovery: {finding}"));
                }
            }
            if !found.is_empty() {
                tally.bad_images += 1;
                let kept = self.keep(&image, cut)?;
                let first = found.kept().first().cloned().unwrap_or_default();
                let more = found.count() - 1;
                findings.push(format!(
                    "event {cut} of {}, {variant:?}, {}: {first} (and {more} more)",
                    self.trace.events.len(),
                    kept.display()
                ));
            }
            progress();
        }
        Ok(findings)
    }

    /// Anywhere, but every tenth time while the database is being created; every second time next to
    /// a call that decides something.
    fn cut(&self, random: &mut fastrand::Rng) -> usize {
        let is_note = |event: &Event| matches!(event, Event::Ledger(_));
        let events = match self.trace.events.iter().position(is_note) {
            Some(first_note) if random.u8(0..10) == 0 => first_note,
            _ => self.trace.events.len(),
        };
        let anywhere = random.usize(0..=events);
        if random.bool() {
            return anywhere;
        }
        let decides = |event: &Event| !matches!(event, Event::Write { .. } | Event::Ledger(_));
        let later = self.trace.events.iter().skip(anywhere).position(decides);
        (anywhere + later.unwrap_or(0) + random.usize(0..2)).min(self.trace.events.len())
    }

    fn check_image(
        &self,
        runtime: &tokio::runtime::Runtime,
        image: &Image,
        history: &History,
        tally: &mut Tally,
    ) -> io::Result<Findings> {
        let folder = self.folder.join("image");
        image::write(image, &folder)?;
        let mut options = Options::folder(&folder);
        options.background_work = false;
        let findings = match Database::open(options) {
            Err(error) => {
                let mut findings = Findings::default();
                findings.add(format!("the database does not open: {error}"));
                findings
            }
            Ok(database) => {
                let verdict = runtime.block_on(verify(&database, &self.plan, history));
                database.close();
                tally.records += verdict.records as u64;
                verdict.findings
            }
        };
        remove(&folder)?;
        Ok(findings)
    }

    /// Opens the image under the recorder, and crashes that too.
    fn crash_again(
        &self,
        runtime: &tokio::runtime::Runtime,
        random: &mut fastrand::Rng,
        image: &Image,
        history: &History,
        tally: &mut Tally,
    ) -> io::Result<Findings> {
        let folder = self.folder.join("again");
        std::fs::create_dir_all(&folder)?;
        let data = folder.join("data");
        image::write(image, &data)?;
        let mut disk = if data.exists() { image::disk_of(&data)? } else { Disk::default() };
        let mut arguments = child(&self.plan, &data, random);
        arguments.ledger = folder.join("ledger");
        arguments.operations = Some(0);
        let recorded = run_recorded(&self.laboratory, &arguments, &folder);
        let mut findings = Findings::default();
        match recorded {
            Err(error) => findings.add(format!("the first recovery fails: {error}")),
            Ok(trace) => {
                let mut cuts = [0; 2].map(|_| random.usize(0..=trace.events.len()));
                cuts.sort_unstable();
                for cut in cuts {
                    disk.advance(&trace, cut);
                    let variant = Variant::draw(random, self.laboratory.strict);
                    let image = variant.image(&disk, &trace, self.laboratory.strict);
                    let found = self.check_image(runtime, &image, history, tally)?;
                    found.kept().iter().for_each(|finding| findings.add(finding.clone()));
                }
            }
        }
        remove(&folder)?;
        Ok(findings)
    }

    /// Leaves a bad image for somebody to look into.
    fn keep(&self, image: &Image, cut: usize) -> io::Result<PathBuf> {
        let path = self.folder.join(format!("bad-image-{cut}"));
        if !path.exists() {
            image::write(image, &path)?;
        }
        Ok(path)
    }

    /// Removes everything but bad images.
    pub(super) fn clean(&self) -> io::Result<()> {
        remove(&self.folder)
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn child(plan: &Plan, data: &Path, random: &mut fastrand::Rng) -> ChildArguments {
    let engine = chance::engine_options(random);
    ChildArguments {
        data: data.to_owned(),
        ledger: PathBuf::new(),
        seed: plan.seed,
        items: plan.items_per_table,
        actions: plan.actions_max,
        expiry_seconds: plan.expiry_seconds,
        run: 1,
        writers: 8,
        operations: None,
        // Small, so that tables are written and merged during the short run.
        memtable_bytes: random.u64(16 << 10..256 << 10),
        cache_bytes: engine.cache_bytes,
        worker_threads: engine.worker_threads,
        durability: DurabilityArgument::Durable,
        end_at: None,
        end_count: 1,
    }
}

fn run_recorded(
    laboratory: &Laboratory,
    arguments: &ChildArguments,
    folder: &Path,
) -> io::Result<Trace> {
    let recording = Recording {
        library: laboratory.library.clone(),
        root: arguments.data.clone(),
        trace: Some(folder.join("trace")),
        ledger: Some(arguments.ledger.clone()),
        at: None,
        done: None,
    };
    let output = Command::new(std::env::current_exe()?)
        .args(arguments.command_line())
        .envs(recording.environment())
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("the recorded run fails: {said}")));
    }
    Trace::read(&folder.join("trace"))
}
