//! Many writers at once, each noting in the ledger what it sends and what it hears.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use database::Database;

use super::{Effect, Kind, Operation, OperationId, Outcome, Plan, Refusal, execute};
use crate::ledger::{Event, Ledger};

/// Who writes how much.
#[derive(Clone, Copy, Debug)]
pub struct Writers {
    /// The number of the run; part of every operation's number.
    pub run: u16,
    /// The number of the first writer.
    pub first: u16,
    /// How many writers.
    pub count: u16,
    /// How many operations all of them together send; endless if absent.
    pub operations: Option<u64>,
}

/// What the writers heard.
#[derive(Debug, Default)]
pub struct Tally {
    /// Operations sent.
    pub sent: AtomicU64,
    /// Acknowledged.
    pub done: AtomicU64,
    /// Of those, plain deletions, which a database with little room still takes.
    pub deletions: AtomicU64,
    /// Refused by a condition or a conflict.
    pub refused: AtomicU64,
    /// Of those, because the disk is nearly full.
    pub full: AtomicU64,
    /// Left open because the database stopped.
    pub unknown: AtomicU64,
    /// The first answer that should never be given.
    pub unexpected: std::sync::Mutex<Option<String>>,
}

impl Writers {
    /// Runs until every writer has sent its share, or the database stops.
    pub async fn run(
        self,
        database: &Database,
        plan: Plan,
        ledger: Arc<Ledger>,
    ) -> io::Result<Arc<Tally>> {
        let tally = Arc::new(Tally::default());
        let halted = Arc::new(AtomicBool::new(false));
        let mut tasks = Vec::new();
        for writer in self.first..self.first + self.count {
            let writing = Writing {
                database: database.clone(),
                plan,
                ledger: Arc::clone(&ledger),
                tally: Arc::clone(&tally),
                halted: Arc::clone(&halted),
            };
            tasks.push(tokio::spawn(writing.run(self, writer)));
        }
        for task in tasks {
            task.await.map_err(io::Error::other)??;
        }
        Ok(tally)
    }
}

struct Writing {
    database: Database,
    plan: Plan,
    ledger: Arc<Ledger>,
    tally: Arc<Tally>,
    halted: Arc<AtomicBool>,
}

impl Writing {
    async fn run(self, writers: Writers, writer: u16) -> io::Result<()> {
        for count in 0.. {
            let sent = self.tally.sent.fetch_add(1, Ordering::Relaxed);
            let enough = writers.operations.is_some_and(|operations| sent >= operations);
            if enough || self.halted.load(Ordering::Relaxed) {
                self.tally.sent.fetch_sub(1, Ordering::Relaxed);
                break;
            }
            let operation = self.plan.operation(OperationId::new(writers.run, writer, count));
            self.ledger.note(operation.id, Event::Sent)?;
            let outcome = execute(&self.database, &self.plan, &operation).await;
            self.ledger.note(operation.id, Event::of(&operation, &outcome))?;
            self.count(&operation, outcome);
        }
        Ok(())
    }

    fn count(&self, operation: &Operation, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Done { .. } => {
                let single = operation.kind == Kind::Single;
                let deletes =
                    operation.actions.iter().all(|action| action.effect == Effect::Delete);
                self.tally.deletions.fetch_add(u64::from(single && deletes), Ordering::Relaxed);
                &self.tally.done
            }
            Outcome::Refused(refusal) => {
                let full = u64::from(refusal == Refusal::Full);
                self.tally.full.fetch_add(full, Ordering::Relaxed);
                &self.tally.refused
            }
            Outcome::Unknown => {
                self.halted.store(true, Ordering::Relaxed);
                &self.tally.unknown
            }
            Outcome::Unexpected(message) => {
                let mut first = self.tally.unexpected.lock();
                if let Ok(first) = &mut first {
                    first.get_or_insert(format!("operation {}: {message}", operation.id));
                }
                &self.tally.refused
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
