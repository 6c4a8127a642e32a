//! Plinth in this process: a runtime of two threads, one task for each caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use database::{Database, Durability, Options};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use super::plinth_requests::{self as requests, Request};
use super::{Engine, Place, Round};
use crate::measure::Tally;
use crate::workload::{Dataset, HISTORY, ORDERS, Picker};

/// Threads of the runtime.
const WORKER_THREADS: usize = 2;
/// Tasks that load, so that groups of several batches form.
const LOADERS: u64 = 8;
/// How often loading tells how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
/// The most that one BatchWriteItem takes.
const BATCH_ITEMS: u64 = 25;

/// An open database.
pub struct Plinth {
    database: Database,
    runtime: Runtime,
}

impl Plinth {
    /// Opens it with the options that it has by default.
    pub fn open(place: Place<'_>) -> anyhow::Result<Plinth> {
        let options = match place {
            Place::Durable(folder) => Options::folder(folder),
            Place::Relaxed(folder) => {
                Options { durability: Durability::Relaxed, ..Options::folder(folder) }
            }
            Place::Memory => Options::in_memory(),
        };
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKER_THREADS)
            .enable_time()
            .build()
            .context("the runtime does not start")?;
        let database = Database::open(options)?;
        Ok(Plinth { database, runtime })
    }
}

impl Engine for Plinth {
    fn load(&self, dataset: Dataset, progress: &(dyn Fn(u64) + Sync)) -> anyhow::Result<()> {
        self.runtime.block_on(async {
            for request in [requests::orders_table(), requests::history_table()] {
                self.database.create_table(request).await?;
            }
            let loaded = Arc::new(AtomicU64::new(0));
            let mut tasks = JoinSet::new();
            for loader in 0..LOADERS {
                tasks.spawn(load(self.database.clone(), dataset, loader, Arc::clone(&loaded)));
            }
            while !tasks.is_empty() {
                let finished = tokio::time::timeout(PROGRESS_INTERVAL, tasks.join_next()).await;
                if let Ok(Some(finished)) = finished {
                    finished.context("a loader failed")??;
                }
                progress(loaded.load(Ordering::Relaxed));
            }
            Ok(())
        })
    }

    fn run(&self, round: &Round) -> anyhow::Result<Tally> {
        self.runtime.block_on(async {
            let start = Instant::now();
            let mut tasks = JoinSet::new();
            for caller in 0..round.operation.callers() {
                tasks.spawn(call(self.database.clone(), round.clone(), caller, start));
            }
            let mut total = Tally::new()?;
            while let Some(finished) = tasks.join_next().await {
                total.add(&finished.context("a caller failed")??)?;
            }
            total.elapsed = start.elapsed();
            Ok(total)
        })
    }

    fn close(self: Box<Self>) {
        self.database.close();
    }
}

/// Every `LOADERS`-th batch of both tables.
async fn load(
    database: Database,
    dataset: Dataset,
    loader: u64,
    loaded: Arc<AtomicU64>,
) -> anyhow::Result<()> {
    for table in [ORDERS, HISTORY] {
        for batch in (loader..dataset.items.div_ceil(BATCH_ITEMS)).step_by(LOADERS as usize) {
            let first = batch * BATCH_ITEMS;
            let numbers = first..(first + BATCH_ITEMS).min(dataset.items);
            let count = numbers.end - numbers.start;
            let records = numbers.map(|number| match table {
                ORDERS => dataset.order(number),
                _ => dataset.history(number),
            });
            let answer = database.batch_write_item(requests::batch(table, records)).await?;
            anyhow::ensure!(answer.unprocessed_items.is_empty(), "a batch was not written whole");
            loaded.fetch_add(count, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// One caller: asks, waits for the answer, asks again.
async fn call(
    database: Database,
    round: Round,
    caller: u64,
    start: Instant,
) -> anyhow::Result<Tally> {
    let Round { operation, dataset, duration, .. } = round;
    let mut picker = Picker::new(operation, dataset, caller, Arc::clone(&round.fresh));
    let mut tally = Tally::new()?;
    while start.elapsed() < duration && tally.operations() < round.share_max() {
        let request = requests::request(&dataset, picker.next());
        let asked = Instant::now();
        // Reads never wait for anything, so a task that reads would keep its thread for itself. The
        // wait for a turn is part of what the caller feels.
        tokio::task::yield_now().await;
        perform(&database, request).await?;
        tally.record(asked.elapsed());
    }
    Ok(tally)
}

async fn perform(database: &Database, request: Request) -> anyhow::Result<()> {
    match request {
        Request::Put(request) => drop(database.put_item(request).await?),
        Request::Update(request) => drop(database.update_item(request).await?),
        Request::Transact(request) => drop(database.transact_write_items(request).await?),
        Request::Get(request) => {
            let answer = database.get_item(request).await?;
            anyhow::ensure!(answer.item.is_some(), "an item is missing");
        }
        Request::Query(request) => {
            let answer = database.query(request).await?;
            super::check_query(answer.items.map_or(0, |items| items.len()))?;
        }
    }
    Ok(())
}
