//! After a crash: opens what is left and compares it with the ledger.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use database::{Database, Options};

use crate::chance;
use crate::ledger::{History, read_notes};
use crate::verify::{Verdict, verify};
use crate::workload::Plan;

/// A database that was opened again.
pub struct Aftermath {
    /// It, open, without background work.
    pub database: Database,
    /// What the ledger says.
    pub history: History,
    /// What checking found.
    pub verdict: Verdict,
    /// How long opening took.
    pub opening: Duration,
}

/// Opens the folder with settings of its own and checks it; or says why it does not open.
pub async fn examine(
    data: &Path,
    ledger: &Path,
    plan: &Plan,
    random: &mut fastrand::Rng,
) -> io::Result<Result<Aftermath, String>> {
    let mut options = Options::folder(data);
    options.engine = chance::engine_options(random);
    options.background_work = false;
    let started = Instant::now();
    let database = match Database::open(options) {
        Ok(database) => database,
        Err(error) => return Ok(Err(format!("the database does not open: {error}"))),
    };
    let opening = started.elapsed();
    let notes = match std::fs::read(ledger) {
        Ok(bytes) => read_notes(&bytes)?,
        // The process ended before it sent anything.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let history = History::new(plan, &notes);
    let verdict = verify(&database, plan, &history).await;
    Ok(Ok(Aftermath { database, history, verdict, opening }))
}
