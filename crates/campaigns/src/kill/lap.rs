//! One loop: write, kill, perhaps kill the recovery too, open, check, repeat, write on.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use database::Database;
use database::clock::{Clock as _, SystemClock};

use super::ChildArguments;
use super::victim::{self, End};
use crate::aftermath::{Aftermath, examine};
use crate::chance;
use crate::common::DurabilityArgument;
use crate::ledger::{History, Ledger, read_notes};
use crate::recorder::Recording;
use crate::verify::{Findings, retry_open_transactions, verify};
use crate::workload::{Plan, Writers, background_work, create_tables};

const WRITERS: u16 = 32;
const PROBE_OPERATIONS: u64 = 1_000;
/// A round that finds nothing to do comes long before.
const BACKGROUND_ROUNDS_MAX: usize = 100;
const PROBE_LIMIT: Duration = Duration::from_secs(10);
/// Writers of the parent have numbers from here on.
const PROBE_WRITER: u16 = 1_000;

/// Points inside the database at which a child may be told to end, and how often they are reached
/// in the time it has.
const POINTS: [(&str, u64); 9] = [
    ("backfill:chunk", 2),
    ("backfill:finish", 2),
    ("purge:chunk", 2),
    ("expiry:chunk", 1),
    ("committer:before-group", 80),
    ("committer:before-commit", 80),
    ("committer:before-watermark", 80),
    ("committer:before-answers", 80),
    ("committer:after-answer", 1_000),
];

/// Calls of the operating system, by the storage engine or the database itself, likewise.
const CALLS: [(&str, u64); 6] =
    [("create", 20), ("write", 300), ("resize", 3), ("rename", 10), ("unlink", 8), ("sync", 80)];

/// What all loops did.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    pub(super) laps: u64,
    pub(super) killed_by_time: u64,
    pub(super) killed_at_point: u64,
    pub(super) killed_in_recovery: u64,
    pub(super) points: BTreeMap<String, u64>,
    pub(super) sent: u64,
    pub(super) acknowledged: u64,
    pub(super) open: u64,
    pub(super) retried: u64,
    pub(super) records: u64,
    pub(super) commits_max: u64,
    pub(super) recovery: Vec<Duration>,
    pub(super) probe: Vec<Duration>,
}

/// A database folder with its ledger.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    plan: Plan,
    run: u16,
    recorder: PathBuf,
}

impl Folder {
    /// A new one.
    pub(super) fn new(
        parent: &Path,
        seed: u64,
        number: u64,
        recorder: PathBuf,
    ) -> io::Result<Folder> {
        let path = parent.join(format!("folder-{number}"));
        std::fs::create_dir_all(&path)?;
        let seed = chance::part(seed, "folder", number);
        let plan = Plan {
            seed,
            items_per_table: 2_000,
            actions_max: 25,
            expiry_seconds: SystemClock.now_millis() / 1_000,
        };
        Ok(Folder { path, plan, run: 0, recorder })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Nobody needs it any more.
    pub(super) fn remove(self) -> io::Result<()> {
        std::fs::remove_dir_all(self.path)
    }

    /// One loop.
    pub(super) async fn lap(
        &mut self,
        seed: u64,
        lap: u64,
        statistics: &mut Statistics,
    ) -> io::Result<Findings> {
        let mut random = chance::random(seed, "kill", lap);
        let mut findings = Findings::default();
        statistics.laps += 1;
        self.kill_a_child(&mut random, statistics, &mut findings)?;
        while random.u8(0..10) == 0 {
            let time = Duration::from_millis(random.u64(1..150));
            self.run += 1;
            let arguments = self.child(&mut random);
            let end = victim::run(&arguments, &[], &self.errors(), time)?;
            self.judge(end, &mut findings);
            statistics.killed_in_recovery += 1;
        }
        self.check(&mut random, statistics, &mut findings).await?;
        Ok(findings)
    }

    fn kill_a_child(
        &mut self,
        random: &mut fastrand::Rng,
        statistics: &mut Statistics,
        findings: &mut Findings,
    ) -> io::Result<()> {
        self.run += 1;
        let mut time = Duration::from_millis(random.u64(20..1_500));
        let mut arguments = self.child(random);
        let mut point = None;
        let mut environment = Vec::new();
        if random.bool() {
            time = Duration::from_millis(1_500);
            if random.bool() {
                let (name, often) = POINTS[random.usize(0..POINTS.len())];
                arguments.end_at = Some(name.to_owned());
                arguments.end_count = random.u64(1..=often);
                point = Some(name.to_owned());
            } else {
                let (name, often) = CALLS[random.usize(0..CALLS.len())];
                let recording = Recording {
                    library: self.recorder.clone(),
                    root: arguments.data.clone(),
                    trace: None,
                    ledger: None,
                    done: None,
                    at: Some(format!("{name}:{}:end", random.u64(1..=often))),
                };
                environment = recording.environment();
                point = Some(format!("call: {name}"));
            }
        }
        let end = victim::run(&arguments, &environment, &self.errors(), time)?;
        match (end, point) {
            (End::AtPoint, Some(point)) => {
                statistics.killed_at_point += 1;
                *statistics.points.entry(point).or_default() += 1;
            }
            (End::Killed, _) => statistics.killed_by_time += 1,
            _ => self.judge(end, findings),
        }
        Ok(())
    }

    fn child(&self, random: &mut fastrand::Rng) -> ChildArguments {
        let engine = chance::engine_options(random);
        ChildArguments {
            data: self.path.join("data"),
            ledger: self.path.join("ledger"),
            seed: self.plan.seed,
            items: self.plan.items_per_table,
            actions: self.plan.actions_max,
            expiry_seconds: self.plan.expiry_seconds,
            run: self.run,
            writers: WRITERS,
            operations: None,
            memtable_bytes: engine.memtable_bytes,
            cache_bytes: engine.cache_bytes,
            worker_threads: engine.worker_threads,
            durability: DurabilityArgument::Durable,
            end_at: None,
            end_count: 1,
        }
    }

    fn errors(&self) -> PathBuf {
        self.path.join("errors")
    }

    /// A child that ends by itself has something to say.
    fn judge(&self, end: End, findings: &mut Findings) {
        if let End::Other(status) = end {
            let said = std::fs::read_to_string(self.errors()).unwrap_or_default();
            findings.add(format!("the writing process ended by itself, {status}: {said}"));
        }
    }

    /// Opens what is left and checks it; then writes on.
    async fn check(
        &mut self,
        random: &mut fastrand::Rng,
        statistics: &mut Statistics,
        findings: &mut Findings,
    ) -> io::Result<()> {
        let path = self.path.join("ledger");
        let data = self.path.join("data");
        let examined = examine(&data, &path, &self.plan, random).await?;
        let Aftermath { database, history, mut verdict, opening } = match examined {
            Ok(aftermath) => aftermath,
            Err(refusal) => {
                findings.add(refusal);
                return Ok(());
            }
        };
        statistics.recovery.push(opening);
        let ledger = Arc::new(Ledger::open(&path)?);
        statistics.records += verdict.records as u64;
        statistics.commits_max = statistics.commits_max.max(verdict.commits);
        let of_this_run =
            |attempt: &&crate::ledger::Attempt| attempt.operation.id.0 >> 48 == u64::from(self.run);
        let sent = history.attempts.iter().filter(of_this_run);
        statistics.sent += sent.clone().count() as u64;
        statistics.acknowledged +=
            sent.filter(|a| a.ended.is_some() && a.certainty.certain != 0).count() as u64;
        statistics.open += history.open().count() as u64;
        let retried =
            retry_open_transactions(&database, &self.plan, &history, &mut verdict, &ledger).await?;
        statistics.retried += retried as u64;
        for finding in verdict.findings.kept() {
            findings.add(finding.clone());
        }
        if findings.is_empty() {
            self.probe(&database, ledger, statistics, findings).await?;
        }
        if findings.is_empty() && random.u8(0..4) == 0 {
            self.finish_background_work(&database, findings).await?;
        }
        database.close();
        Ok(())
    }

    /// What was begun in the background is finished, and everything is checked once more.
    async fn finish_background_work(
        &self,
        database: &Database,
        findings: &mut Findings,
    ) -> io::Result<()> {
        for _ in 0..BACKGROUND_ROUNDS_MAX {
            match background_work(database).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => findings.add(format!("background work fails: {error}")),
            }
        }
        let notes = read_notes(&std::fs::read(self.path.join("ledger"))?)?;
        let verdict = verify(database, &self.plan, &History::new(&self.plan, &notes)).await;
        for finding in verdict.findings.kept() {
            findings.add(format!("after background work: {finding}"));
        }
        Ok(())
    }

    /// The database must take new writes at once.
    async fn probe(
        &mut self,
        database: &Database,
        ledger: Arc<Ledger>,
        statistics: &mut Statistics,
        findings: &mut Findings,
    ) -> io::Result<()> {
        let started = Instant::now();
        if let Err(error) = create_tables(database).await {
            findings.add(format!("the tables cannot be created: {error}"));
            return Ok(());
        }
        let writers = Writers {
            run: self.run,
            first: PROBE_WRITER,
            count: WRITERS,
            operations: Some(PROBE_OPERATIONS),
        };
        let writing = writers.run(database, self.plan, ledger);
        let Ok(tally) = tokio::time::timeout(PROBE_LIMIT, writing).await else {
            findings.add(format!("{PROBE_OPERATIONS} writes take more than {PROBE_LIMIT:?}"));
            return Ok(());
        };
        let tally = tally?;
        statistics.probe.push(started.elapsed());
        let heard = tally.done.load(Ordering::Relaxed) + tally.refused.load(Ordering::Relaxed);
        if heard < PROBE_OPERATIONS {
            let word = database.stopped();
            findings.add(format!("only {heard} of {PROBE_OPERATIONS} writes are taken: {word:?}"));
        }
        Ok(())
    }
}
