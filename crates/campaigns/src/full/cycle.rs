//! One cycle: fill, see what happens, free, see that all is well.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use database::clock::{Clock as _, SystemClock};
use database::{Database, Options};

use super::small_disk::take_space;
use crate::aftermath::examine;
use crate::chance;
use crate::ledger::Ledger;
use crate::report::Report;
use crate::verify::{Findings, observe};
use crate::workload::{Plan, Tally, Writers, create_tables};

/// A write may be refused for this long after space was freed.
const NOTICE: Duration = Duration::from_millis(300);

/// What all cycles did.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    cycles: u64,
    acknowledged: u64,
    refused: u64,
    stopped: u64,
}

impl Statistics {
    pub(super) fn print(&self, report: &mut Report) {
        report.row("cycles", self.cycles);
        report.row("acknowledged writes checked", self.acknowledged);
        report.row("writes refused for want of space", self.refused);
        report.row("times the database stopped on a full disk", self.stopped);
    }
}

pub(super) struct Cycle<'a> {
    disk: &'a Path,
    /// Off the disk: the ledger must not run out of space.
    ledger: PathBuf,
    plan: Plan,
    random: fastrand::Rng,
    findings: Findings,
}

impl<'a> Cycle<'a> {
    pub(super) fn new(disk: &'a Path, seed: u64, random: fastrand::Rng) -> Cycle<'a> {
        let expiry_seconds = SystemClock.now_millis() / 1_000;
        Cycle {
            disk,
            ledger: disk.with_file_name(format!("ledger-{seed:x}")),
            plan: Plan { seed, items_per_table: 300, actions_max: 25, expiry_seconds },
            random,
            findings: Findings::default(),
        }
    }

    fn options(&mut self) -> Options {
        let mut options = Options::folder(self.disk.join("data"));
        options.engine = chance::engine_options(&mut self.random);
        options
    }

    async fn write(&self, database: &Database, run: u16, count: u64) -> io::Result<Arc<Tally>> {
        let ledger = Arc::new(Ledger::open(&self.ledger)?);
        let writers = Writers { run, first: 0, count: 16, operations: Some(count) };
        writers.run(database, self.plan, ledger).await
    }

    /// A foreign file takes what is left but less than the reserve.
    pub(super) async fn with_reserve(
        mut self,
        statistics: &mut Statistics,
    ) -> io::Result<Findings> {
        statistics.cycles += 1;
        let options = self.options();
        let reserve = options.reserved_disk_bytes;
        let Some(database) = self.open(options).await else { return Ok(self.findings) };
        self.write(&database, 1, 500).await?;
        let left = self.random.u64(reserve / 4..reserve - (1 << 20));
        let foreign = take_space(self.disk, left)?;
        tokio::time::sleep(NOTICE).await;
        let tally = self.write(&database, 2, 500).await?;
        let deletions = tally.deletions.load(Ordering::Relaxed);
        let done = tally.done.load(Ordering::Relaxed) - deletions;
        statistics.refused += tally.full.load(Ordering::Relaxed);
        if done > 0 {
            self.findings.add(format!(
                "{done} writes other than deletions were taken on a nearly full disk"
            ));
        }
        if let Err(error) = observe(&database).await {
            self.findings.add(format!("reading fails on a nearly full disk: {error}"));
        }
        std::fs::remove_file(foreign)?;
        tokio::time::sleep(NOTICE).await;
        let tally = self.write(&database, 3, 500).await?;
        let refused = tally.full.load(Ordering::Relaxed);
        if refused > 0 || database.stopped().is_some() {
            let word = database.stopped();
            self.findings
                .add(format!("{refused} writes were refused after space was freed: {word:?}"));
        }
        database.close();
        drop(database);
        self.finish(statistics).await
    }

    /// No reserve: the disk is full in the middle of a commit.
    pub(super) async fn without_reserve(
        mut self,
        statistics: &mut Statistics,
    ) -> io::Result<Findings> {
        statistics.cycles += 1;
        let mut options = self.options();
        options.reserved_disk_bytes = 0;
        let Some(database) = self.open(options).await else { return Ok(self.findings) };
        self.write(&database, 1, 300).await?;
        let left = self.random.u64(0..2 << 20);
        let foreign = take_space(self.disk, left)?;
        let tally = self.write(&database, 2, 20_000).await?;
        let is_stopped = database.stopped().is_some();
        statistics.stopped += u64::from(is_stopped);
        let done = tally.done.load(Ordering::Relaxed);
        if !is_stopped {
            self.findings.add(format!("the disk is full, and {done} writes were taken"));
        }
        database.close();
        drop(database);
        std::fs::remove_file(foreign)?;
        self.finish(statistics).await
    }

    async fn open(&mut self, options: Options) -> Option<Database> {
        let opened = match Database::open(options) {
            Ok(database) => create_tables(&database).await.map(|()| database),
            Err(error) => {
                self.findings.add(format!("the database does not open: {error}"));
                return None;
            }
        };
        opened.map_err(|error| self.findings.add(format!("no tables: {error}"))).ok()
    }

    /// With room again, everything acknowledged is there, and new writes are taken.
    async fn finish(mut self, statistics: &mut Statistics) -> io::Result<Findings> {
        let data = self.disk.join("data");
        let examined = examine(&data, &self.ledger, &self.plan, &mut self.random).await?;
        match examined {
            Err(refusal) => self.findings.add(refusal),
            Ok(aftermath) => {
                statistics.acknowledged += aftermath.history.acknowledged() as u64;
                for finding in aftermath.verdict.findings.kept() {
                    self.findings.add(finding.clone());
                }
                let tally = self.write(&aftermath.database, 4, 200).await?;
                if tally.done.load(Ordering::Relaxed) == 0 {
                    self.findings.add("no write is taken after the disk was freed".to_owned());
                }
                aftermath.database.close();
            }
        }
        Ok(self.findings)
    }
}
