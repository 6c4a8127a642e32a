//! dynoxide in this process: a thread for each caller, since its operations block.
//!
//! On disk it is SQLite in WAL mode. Nothing sets `synchronous` when a database is opened, so
//! SQLite's default holds, which is FULL: the log is synced before a commit returns (tested below).
//! Only its bulk mode changes that, and a database that was loaded with it is opened anew before
//! anything is measured.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use dynoxide::{Database, ImportOptions};

use super::dynoxide_requests::{self as requests, Request};
use super::{Engine, Place, Round};
use crate::measure::Tally;
use crate::workload::{Dataset, HISTORY, ORDERS, Picker};

/// Items of one transaction while loading.
const LOAD_ITEMS: u64 = 1000;

/// An open database.
pub struct Dynoxide {
    database: Database,
}

impl Dynoxide {
    /// Opens it as it is by default.
    pub fn open(place: Place<'_>) -> anyhow::Result<Dynoxide> {
        let database = match place {
            Place::Memory => Database::memory()?,
            Place::Durable(folder) | Place::Relaxed(folder) => {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("`{}` cannot be made", folder.display()))?;
                let file = folder.join("dynoxide.db");
                Database::new(file.to_str().context("the folder's name is not UTF-8")?)?
            }
        };
        if matches!(place, Place::Relaxed(_)) {
            database.enable_bulk_loading()?;
        }
        Ok(Dynoxide { database })
    }
}

impl Engine for Dynoxide {
    fn load(&self, dataset: Dataset, progress: &(dyn Fn(u64) + Sync)) -> anyhow::Result<()> {
        self.database.create_table(requests::orders_table())?;
        self.database.create_table(requests::history_table())?;
        let mut loaded = 0;
        for table in [ORDERS, HISTORY] {
            for first in (0..dataset.items).step_by(LOAD_ITEMS as usize) {
                let numbers = first..(first + LOAD_ITEMS).min(dataset.items);
                loaded += numbers.end - numbers.start;
                let records = numbers.map(|number| match table {
                    ORDERS => dataset.order(number),
                    _ => dataset.history(number),
                });
                let items = records.map(requests::item).collect();
                self.database.import_items(table, items, ImportOptions::default())?;
                progress(loaded);
            }
        }
        Ok(())
    }

    fn run(&self, round: &Round) -> anyhow::Result<Tally> {
        let start = Instant::now();
        let total = Mutex::new(Tally::new()?);
        let outcome: anyhow::Result<()> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..round.operation.callers())
                .map(|caller| {
                    let total = &total;
                    scope.spawn(move || -> anyhow::Result<()> {
                        let tally = call(&self.database, round, caller, start)?;
                        total.lock().unwrap_or_else(PoisonError::into_inner).add(&tally)
                    })
                })
                .collect();
            for caller in callers {
                caller.join().map_err(|_| anyhow::anyhow!("a caller panicked"))??;
            }
            Ok(())
        });
        outcome?;
        let mut total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
        total.elapsed = start.elapsed();
        Ok(total)
    }

    fn close(self: Box<Self>) {
        drop(self);
    }
}

/// One caller: asks, waits for the answer, asks again.
fn call(database: &Database, round: &Round, caller: u64, start: Instant) -> anyhow::Result<Tally> {
    let fresh = std::sync::Arc::clone(&round.fresh);
    let mut picker = Picker::new(round.operation, round.dataset, caller, fresh);
    let mut tally = Tally::new()?;
    while start.elapsed() < round.duration && tally.operations() < round.share_max() {
        let request = requests::request(&round.dataset, picker.next());
        let asked = Instant::now();
        perform(database, request)?;
        tally.record(asked.elapsed());
    }
    Ok(tally)
}

fn perform(database: &Database, request: Request) -> anyhow::Result<()> {
    match request {
        Request::Put(request) => drop(database.put_item(request)?),
        Request::Update(request) => drop(database.update_item(request)?),
        Request::Transact(request) => drop(database.transact_write_items(request)?),
        Request::Get(request) => {
            let answer = database.get_item(request)?;
            anyhow::ensure!(answer.item.is_some(), "an item is missing");
        }
        Request::Query(request) => {
            let answer = database.query(*request)?;
            super::check_query(answer.items.map_or(0, |items| items.len()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    /// The comparison would not be fair if one engine synced and the other did not.
    #[test]
    fn sqlite_syncs_each_commit_unless_told_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let connection = rusqlite::Connection::open(folder.path().join("file.db")).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        let synchronous: i64 =
            connection.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
        const FULL: i64 = 2;
        assert_eq!(synchronous, FULL);
    }
}
