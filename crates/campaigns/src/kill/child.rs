//! The process that is killed: opens a folder, creates the tables, and writes without end.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use database::options::Points;
use database::storage::fjall::FjallOptions;
use database::{Database, Options};
use rustix::process::{Signal, getpid, kill_process};

use crate::common::DurabilityArgument;
use crate::ledger::Ledger;
use crate::workload::{Plan, Writers, create_tables, toggle_extra_index};

/// What the parent tells the child. Not for people.
#[derive(Args, Clone, Debug)]
pub struct ChildArguments {
    /// The database.
    #[arg(long)]
    pub data: PathBuf,
    /// The ledger.
    #[arg(long)]
    pub ledger: PathBuf,
    /// Of the plan.
    #[arg(long)]
    pub seed: u64,
    /// Of the plan.
    #[arg(long)]
    pub items: u32,
    /// Of the plan.
    #[arg(long)]
    pub actions: usize,
    /// Of the plan.
    #[arg(long)]
    pub expiry_seconds: u64,
    /// The number of the run.
    #[arg(long)]
    pub run: u16,
    /// How many writers.
    #[arg(long)]
    pub writers: u16,
    /// How many operations; without end if absent.
    #[arg(long)]
    pub operations: Option<u64>,
    /// Of the engine.
    #[arg(long)]
    pub memtable_bytes: u64,
    /// Of the engine.
    #[arg(long)]
    pub cache_bytes: u64,
    /// Of the engine.
    #[arg(long)]
    pub worker_threads: usize,
    /// When to acknowledge.
    #[arg(long, default_value = "durable")]
    pub durability: DurabilityArgument,
    /// End at this point inside the database.
    #[arg(long)]
    pub end_at: Option<String>,
    /// But only when it is reached for this time.
    #[arg(long, default_value_t = 1)]
    pub end_count: u64,
}

impl ChildArguments {
    /// The plan of the workload.
    pub fn plan(&self) -> Plan {
        Plan {
            seed: self.seed,
            items_per_table: self.items,
            actions_max: self.actions,
            expiry_seconds: self.expiry_seconds,
        }
    }

    /// The arguments as a command line.
    pub fn command_line(&self) -> Vec<std::ffi::OsString> {
        let mut line = vec!["write".into(), "--data".into(), self.data.clone().into_os_string()];
        line.extend(["--ledger".into(), self.ledger.clone().into_os_string()]);
        let durability = match self.durability {
            DurabilityArgument::Durable => "durable",
            DurabilityArgument::Relaxed => "relaxed",
        };
        let mut add = |name: &str, value: String| line.extend([name.into(), value.into()]);
        add("--seed", self.seed.to_string());
        add("--items", self.items.to_string());
        add("--actions", self.actions.to_string());
        add("--expiry-seconds", self.expiry_seconds.to_string());
        add("--run", self.run.to_string());
        add("--writers", self.writers.to_string());
        add("--memtable-bytes", self.memtable_bytes.to_string());
        add("--cache-bytes", self.cache_bytes.to_string());
        add("--worker-threads", self.worker_threads.to_string());
        add("--durability", durability.to_owned());
        if let Some(operations) = self.operations {
            add("--operations", operations.to_string());
        }
        if let Some(point) = &self.end_at {
            add("--end-at", point.clone());
            add("--end-count", self.end_count.to_string());
        }
        line
    }

    fn options(&self) -> Options {
        let mut options = Options::folder(&self.data);
        options.engine = FjallOptions {
            cache_bytes: self.cache_bytes,
            memtable_bytes: self.memtable_bytes,
            worker_threads: self.worker_threads,
        };
        options.durability = self.durability.into();
        if let Some(point) = self.end_at.clone() {
            let left = AtomicU64::new(self.end_count);
            options.points = Points::new(move |reached| {
                if reached == point && left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    end_at_once();
                }
            });
        }
        options
    }
}

/// As `kill -9` from outside, but exactly here.
fn end_at_once() {
    if kill_process(getpid(), Signal::KILL).is_err() {
        std::process::abort();
    }
    // The signal is on its way; nothing may happen any more.
    loop {
        std::thread::park();
    }
}

/// Adds and removes an index while others write.
async fn administrate(database: Database, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        tokio::time::sleep(Duration::from_millis(random.u64(5..300))).await;
        if let Err(error) = toggle_extra_index(&database).await {
            eprintln!("the index cannot be changed: {error}");
            return;
        }
    }
}

/// The child's life.
pub fn run(arguments: &ChildArguments) -> std::io::Result<ExitCode> {
    let threads =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    threads.block_on(async {
        let database = Database::open(arguments.options()).map_err(std::io::Error::other)?;
        if let Err(error) = create_tables(&database).await {
            return has_stopped(&database).ok_or_else(|| std::io::Error::other(error));
        }
        let ledger = Arc::new(Ledger::open(&arguments.ledger)?);
        let writers = Writers {
            run: arguments.run,
            first: 0,
            count: arguments.writers,
            operations: arguments.operations,
        };
        let administrator = tokio::spawn(administrate(database.clone(), arguments.seed));
        let tally = writers.run(&database, arguments.plan(), ledger).await?;
        administrator.abort();
        database.close();
        if let Ok(unexpected) = tally.unexpected.lock()
            && let Some(unexpected) = &*unexpected
        {
            eprintln!("an unexpected answer: {unexpected}");
            return Ok(ExitCode::FAILURE);
        }
        Ok(has_stopped(&database).unwrap_or(ExitCode::SUCCESS))
    })
}

/// How the process ends if the database has stopped by itself, which it says.
fn has_stopped(database: &Database) -> Option<ExitCode> {
    let word = database.stopped()?;
    eprintln!("the database has stopped: {word}");
    Some(ExitCode::FAILURE)
}
