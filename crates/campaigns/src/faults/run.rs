//! One run: a workload with one failure, and what is left of it.

use std::sync::Arc;

use database::clock::{ManualClock, SequentialIds};
use database::options::Location;
use database::storage::Storage;
use database::storage::faulty::{Fault, FaultyStorage};
use database::storage::memory::MemoryStorage;
use database::{Database, OpenError, Options};

use super::steps::{Answer, Step};
use crate::ledger::{History, Note};
use crate::verify::{Findings, verify};
use crate::workload::{Plan, background_work};

const START_MILLIS: u64 = 1_800_000_000_000;
/// What passes between two steps; some items expire on the way.
const STEP_MILLIS: u64 = 200;

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// This one call.
    Once,
    /// This one and all later ones.
    Sticky,
    /// A commit is carried out, and an error returned.
    Torn,
}

impl Mode {
    pub(super) const ALL: [Mode; 3] = [Mode::Once, Mode::Sticky, Mode::Torn];
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) findings: Findings,
    pub(super) untouched: bool,
    pub(super) stopped: bool,
    pub(super) refused_to_open: bool,
    pub(super) acknowledged: u64,
}

pub(super) struct Run {
    plan: Plan,
    fault: Fault,
    clock: ManualClock,
    inner: MemoryStorage,
    faulty: FaultyStorage<MemoryStorage>,
    /// What the workload runs on: the faulty one, but for tests of this test.
    storage: Arc<dyn Storage>,
    notes: Vec<Note>,
    outcome: Outcome,
    /// The table without a stream may be gone: its deletion was asked for.
    deleting: bool,
    steps_max: usize,
}

impl Run {
    pub(super) fn new(seed: u64, mode: Mode, at_call: u64) -> Run {
        let inner = MemoryStorage::default();
        let faulty = FaultyStorage::new(inner.clone());
        Run {
            plan: Plan {
                seed,
                items_per_table: 6,
                actions_max: 6,
                expiry_seconds: START_MILLIS / 1_000,
            },
            fault: Fault { at_call, sticky: mode == Mode::Sticky, torn: mode == Mode::Torn },
            clock: ManualClock::new(START_MILLIS),
            storage: Arc::new(faulty.clone()),
            faulty,
            inner,
            notes: Vec::new(),
            outcome: Outcome::default(),
            deleting: false,
            steps_max: usize::MAX,
        }
    }

    pub(super) async fn run(mut self) -> Outcome {
        self.faulty.set_fault(self.fault);
        match self.open(Arc::clone(&self.storage)) {
            Err(_) => self.outcome.refused_to_open = true,
            Ok(database) => {
                self.work(&database).await;
                database.close();
                self.outcome.stopped = database.stopped().is_some();
            }
        }
        self.outcome.untouched = self.faulty.hits() == 0;
        self.compound().await;
        self.check().await;
        self.outcome
    }

    fn open(&self, storage: Arc<dyn Storage>) -> Result<Database, OpenError> {
        let mut options = Options::at(Location::Storage(storage));
        options.background_work = false;
        options.clock = Arc::new(self.clock.clone());
        options.ids = Arc::new(SequentialIds::default());
        Database::open(options)
    }

    async fn work(&mut self, database: &Database) {
        for (number, step) in Step::all(&self.plan).into_iter().enumerate().take(self.steps_max) {
            self.clock.advance(STEP_MILLIS);
            let hits = self.faulty.hits();
            let stopped = database.stopped();
            self.deleting |= matches!(step, Step::DeletePlainTable);
            let answer = step.run(database, &self.plan, &mut self.notes).await;
            let is_hit = self.faulty.hits() > hits;
            let mut find = |what: &str| {
                let finding = format!("step {number}, {step:?}: {what}: {answer:?}");
                self.outcome.findings.add(finding);
            };
            match &answer {
                Answer::Unexpected(_) => find("an unexpected answer"),
                Answer::Done if stopped.is_some() => find("carried out after the database stopped"),
                Answer::Done if is_hit && step.writes() => {
                    find("carried out, though a call of the storage failed in it");
                }
                Answer::Refused if is_hit && step.writes() => {
                    find("refused, though a call of the storage failed in it");
                }
                Answer::Done if is_hit => find("a read that failed gave an answer"),
                Answer::Failed(_) if stopped.is_none() && !is_hit => find("failed for no reason"),
                // Steps that first read outside a commit may fail there, and the database goes on.
                Answer::Failed(_)
                    if is_hit && step.only_commits() && database.stopped().is_none() =>
                {
                    find("a write failed, and the database goes on");
                }
                _ => {}
            }
        }
    }

    /// A second failure, while what the first one left is being opened.
    async fn compound(&mut self) {
        let at_call = self.fault.at_call % 7 + 1;
        self.faulty.set_fault(Fault { at_call, ..self.fault });
        if let Ok(database) = self.open(Arc::new(self.faulty.clone())) {
            // Any answer will do, as long as the next opening finds everything in order.
            let _ = background_work(&database).await;
            database.close();
        }
        self.faulty.set_fault(Fault::NONE);
    }

    async fn check(&mut self) {
        let database = match self.open(Arc::new(self.inner.clone())) {
            Ok(database) => database,
            Err(error) => {
                self.outcome.findings.add(format!("what is left does not open: {error}"));
                return;
            }
        };
        let history = History::new(&self.plan, &self.notes);
        self.outcome.acknowledged = history.acknowledged() as u64;
        self.verify(&database, &history, "at once").await;
        for _ in 0..20 {
            match background_work(&database).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    self.outcome.findings.add(format!("background work fails: {error}"));
                    break;
                }
            }
        }
        self.verify(&database, &history, "after background work").await;
        database.close();
    }

    async fn verify(&mut self, database: &Database, history: &History, when: &str) {
        // Once the deletion of a table was asked for, only the log can be checked as usual.
        if self.deleting {
            if let Err(error) = database.verify_log(|_| {}) {
                self.outcome.findings.add(format!("{when}: the log does not hold: {error}"));
            }
            return;
        }
        let verdict = verify(database, &self.plan, history).await;
        for finding in verdict.findings.kept() {
            self.outcome.findings.add(format!("{when}: {finding}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use database::Durability;
    use database::storage::{Snapshot, StorageError, Write};

    use super::*;

    /// Says that a commit was done and forgets it: what this test is there to find.
    struct LyingStorage {
        inner: MemoryStorage,
        commits_until_lie: AtomicU64,
    }

    impl Storage for LyingStorage {
        fn snapshot(&self) -> Arc<dyn Snapshot> {
            self.inner.snapshot()
        }

        fn commit(
            &self,
            writes: &mut dyn Iterator<Item = Write>,
            durability: Durability,
        ) -> Result<(), StorageError> {
            if self.commits_until_lie.fetch_sub(1, Ordering::SeqCst) == 1 {
                return Ok(());
            }
            self.inner.commit(writes, durability)
        }

        fn disk_bytes(&self) -> u64 {
            0
        }
    }

    async fn findings_with_a_lie_at(commit: u64) -> Findings {
        let mut run = Run::new(3, Mode::Once, u64::MAX);
        let inner = run.inner.clone();
        run.storage = Arc::new(LyingStorage { inner, commits_until_lie: AtomicU64::new(commit) });
        // Up to the point where a table is deleted, which hides what was in it.
        run.steps_max = 20;
        run.run().await.findings
    }

    #[test]
    fn a_commit_that_was_forgotten_is_found() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let untouched = findings_with_a_lie_at(u64::MAX).await;
            assert!(untouched.is_empty(), "{untouched:?}");
            for commit in 1..15 {
                let findings = findings_with_a_lie_at(commit).await;
                assert!(!findings.is_empty(), "the lie at commit {commit} was not found");
            }
        });
    }
}
