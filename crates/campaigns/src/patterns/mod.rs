//! Does every access pattern cost what its answer is worth? Each pattern of each table document runs
//! through the store on tables of different sizes: it uses the index that the document names, and
//! costs no more units than its page of items weighs, however large the table.

mod exercise;
mod sample;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use database::clock::ManualClock;
use database::{Database, Durability, Options};
use exercise::{Bench, Ledger};
use store::{Embedded, Error, Raw, Settings, Store, TokenKeys};
use tables::seed::{self, SeedOptions};
use tables::{Documents, EmbeddedTarget, Environment, Plan, apply};
use values::Item;
use values::size::item_size;

use crate::progress;

/// Runs every access pattern of every table document on tables of several sizes, and fails if one
/// uses another index than the document says or costs more than its answer.
#[derive(Args, Debug)]
pub struct PatternsArguments {
    /// How many items each table has; may be given several times.
    #[arg(long, value_name = "ITEMS", default_values_t = [1_000, 100_000])]
    items: Vec<u32>,
}

/// What came of one pattern.
#[derive(Clone, Debug)]
pub struct Finding {
    /// `system/table`.
    pub table: String,
    /// The pattern's id.
    pub pattern: String,
    /// Its operation.
    pub operation: &'static str,
    /// The index that it uses.
    pub index: Option<String>,
    /// The units it cost, or what is wrong.
    pub units: Result<f64, String>,
}

/// Items that are kept to try patterns with.
const SAMPLES_MAX: usize = 2_000;

/// Runs the patterns at each size and prints what they cost.
pub fn run(arguments: &PatternsArguments) -> std::io::Result<ExitCode> {
    let documents = Documents::embedded().map_err(|problems| {
        std::io::Error::other(format!("the documents have {} problems", problems.len()))
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let bar = progress::bar((arguments.items.len() * documents.tables.len()) as u64, "tables");
    let mut sizes: Vec<Vec<Finding>> = Vec::new();
    for count in &arguments.items {
        let mut findings = Vec::new();
        for at in 0..documents.tables.len() {
            let sweep = sweep_table(&documents, at, *count);
            findings.extend(runtime.block_on(sweep).map_err(std::io::Error::other)?);
            bar.inc(1);
        }
        sizes.push(findings);
    }
    bar.finish_and_clear();
    Ok(if print(&arguments.items, &sizes) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// When it is, for the items and for the database: with another clock it would sweep items away that
/// have expired since.
const NOW_SECONDS: u64 = 1_790_000_000;

/// Every pattern of one table with so many items.
pub async fn sweep_table(
    documents: &Documents,
    at: usize,
    count: u32,
) -> Result<Vec<Finding>, String> {
    let table = &documents.tables[at];
    let name = format!("{}/{}", table.system, table.table_name);
    let clock = Arc::new(ManualClock::new(NOW_SECONDS * 1000));
    let options = Options { durability: Durability::Relaxed, clock, ..Options::in_memory() };
    let database = Database::open(options).map_err(|error| error.to_string())?;
    let target = EmbeddedTarget::new(database.clone());
    let plan = Plan::make(documents, &[table], Environment::Dev, &[], &target).await;
    let plan = plan.map_err(|error| error.to_string())?;
    let applied = apply(documents, &plan, false, &target, |_, _| {}).await;
    applied.map_err(|error| error.to_string())?;
    let ledger = Ledger::default();
    let mut settings = Settings::new(Environment::Dev, TokenKeys::new([1; 32]));
    settings.meter = Some(Arc::new(ledger.clone()));
    let store = Store::new(documents, Embedded::measured(database.clone()), settings);
    let filled = fill(&store, &name, count).await;
    let (items, item_bytes_max) = filled.map_err(|error| format!("{name}: {error}"))?;
    let handle = store.table(&name).map_err(|error| error.to_string())?;
    let bench =
        Bench { store: &store, handle: &handle, ledger: &ledger, items: &items, item_bytes_max };
    let mut findings = Vec::new();
    for access in &table.access_patterns {
        findings.push(Finding {
            table: name.clone(),
            pattern: access.id.clone(),
            operation: access.operation.name(),
            index: access.index.clone(),
            units: bench.exercise(access).await,
        });
    }
    database.close();
    Ok(findings)
}

/// Writes a set of items through the store. Gives some of them, and the weight of the largest.
async fn fill(store: &Store, name: &str, count: u32) -> Result<(Vec<Item>, usize), Error> {
    let handle = store.table(name)?;
    let table = handle.document();
    let kinds = u32::try_from(table.item_types.len()).unwrap_or(1);
    let options = SeedOptions { seed: 11, count: count.div_ceil(kinds), now_seconds: NOW_SECONDS };
    let mut samples = Vec::new();
    let mut largest = 0;
    let mut batch = Vec::new();
    for item in seed::items(table, options) {
        let kind = table.kind_of(&item).map_or("", |kind| kind.name.as_str());
        batch.push(handle.kind(kind)?.put(Raw(item.clone()))?);
        largest = largest.max(item_size(&item));
        if samples.len() < SAMPLES_MAX {
            samples.push(item);
        }
        if batch.len() == 1000 {
            store.batch_write(std::mem::take(&mut batch)).await?;
        }
    }
    store.batch_write(batch).await?;
    Ok((samples, largest))
}

/// A line for each pattern; gives whether all are well.
fn print(counts: &[u32], sizes: &[Vec<Finding>]) -> bool {
    let Some(first) = sizes.first() else { return true };
    let heads: Vec<String> = counts.iter().map(|count| format!("{count:>10}")).collect();
    println!("{:<52} {:<19} {:<32} {}", "access pattern", "operation", "index", heads.join(" "));
    let mut wrong = Vec::new();
    for (at, finding) in first.iter().enumerate() {
        let at_size = sizes.iter().filter_map(|findings| findings.get(at));
        let units: Vec<String> = at_size
            .map(|finding| match &finding.units {
                Ok(units) => format!("{units:>10.1}"),
                Err(message) => {
                    wrong.push(format!("{} {}: {message}", finding.table, finding.pattern));
                    format!("{:>10}", "wrong")
                }
            })
            .collect();
        let pattern = format!("{} {}", finding.table, finding.pattern);
        let index = finding.index.as_deref().unwrap_or("the table");
        println!("{pattern:<52} {:<19} {index:<32} {}", finding.operation, units.join(" "));
    }
    wrong.iter().for_each(|message| eprintln!("{message}"));
    println!("{} access patterns, {} wrong", first.len(), wrong.len());
    wrong.is_empty()
}
