//! Is the database what the ledger says it must be?
//!
//! The streams tell in which order the operations happened; a plain model repeats them in that order
//! and must arrive at the same images, the same items, the same index entries. Then the ledger has
//! its say: what was acknowledged is there, what was refused is not, what was answered before another
//! was sent came before it, and a transaction is there as a whole or not at all.

mod findings;
mod indexes;
mod observe;
mod order;
mod plain;
mod replay;
mod retry;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use database::Database;
pub use findings::Findings;
pub use observe::{Change, Observed, observe, read_stream, scan};
pub use retry::retry_open_transactions;

use crate::ledger::{Certainty, History};
use crate::workload::{Plan, tables_exist};

/// What checking a database found out.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is wrong.
    pub findings: Findings,
    /// What has become of each attempt, in the order of the history.
    pub certainty: Vec<Certainty>,
    /// How many stream records were checked.
    pub records: usize,
    /// How many items were found.
    pub items: usize,
    /// How many commits the log holds.
    pub commits: u64,
}

/// Checks everything. Nobody else may be writing.
pub async fn verify(database: &Database, plan: &Plan, history: &History) -> Verdict {
    let certainty = history.attempts.iter().map(|attempt| attempt.certainty).collect();
    let mut verdict = Verdict { certainty, ..Verdict::default() };
    for attempt in history.attempts.iter().filter(|attempt| attempt.unexpected) {
        let id = attempt.operation.id;
        verdict.findings.add(format!("operation {id} was answered with an unexpected error"));
    }
    match database.verify_log(|_| {}) {
        Ok((commits, _)) => verdict.commits = commits,
        Err(error) => verdict.findings.add(format!("the log does not hold: {error}")),
    }
    match tables_exist(database).await {
        Ok(true) => {}
        Ok(false) => {
            if !history.attempts.is_empty() {
                verdict.findings.add("a table is missing, though it had been created".to_owned());
            }
            return verdict;
        }
        Err(error) => {
            verdict.findings.add(format!("the tables cannot be listed: {error}"));
            return verdict;
        }
    }
    match observe(database).await {
        Ok(observed) => check(plan, history, &Arc::new(observed), &mut verdict),
        Err(error) => verdict.findings.add(format!("reading everything failed: {error}")),
    }
    verdict
}

/// The part that needs no database: compares what was observed with the history.
fn check(plan: &Plan, history: &History, observed: &Observed, verdict: &mut Verdict) {
    verdict.records = observed.changes.len();
    verdict.items = observed.items.len();
    let replayed = replay::replay(plan, history, observed, &mut verdict.findings);
    order::check(history, &replayed, &mut verdict.findings);
    verdict.certainty = replayed.certainty;
    plain::check(plan, history, &verdict.certainty, observed, &mut verdict.findings);
    indexes::check(observed, &mut verdict.findings);
}
