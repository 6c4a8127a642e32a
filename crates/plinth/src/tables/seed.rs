//! `plinth tables seed`.

use std::process::ExitCode;

use ::tables::seed::{self, SeedOptions};
use ::tables::{Documents, Table, Target};
use clap::Args;
use database::clock::{Clock as _, SystemClock};
use indicatif::{ProgressBar, ProgressStyle};

use super::options::{DocumentOptions, OpenTarget, TargetOptions, select, wait_for};

const DAY_MILLIS: u64 = 86_400_000;

/// Which tables, where, and how many items.
#[derive(Args)]
pub struct Arguments {
    /// Systems or tables, such as `popcorn` or `storefront/tenants`; all if none is named.
    names: Vec<String>,
    #[command(flatten)]
    documents: DocumentOptions,
    #[command(flatten)]
    target: TargetOptions,
    /// How many items of each kind.
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// The same number gives the same items, on the same day.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The present, in seconds since 1970, instead of the beginning of this day.
    #[arg(long, value_name = "SECONDS")]
    now: Option<u64>,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let documents = arguments.documents.documents()?;
    let tables = select(&documents, &arguments.names)?;
    wait_for(async {
        match arguments.target.open().await? {
            OpenTarget::Embedded(target, database) => {
                let outcome = write(arguments, &documents, &tables, &target).await;
                database.close();
                outcome
            }
            OpenTarget::Amazon(target) => write(arguments, &documents, &tables, &target).await,
        }
    })
}

async fn write<T: Target>(
    arguments: &Arguments,
    documents: &Documents,
    tables: &[&Table],
    target: &T,
) -> Result<ExitCode, String> {
    let today = SystemClock.now_millis() / DAY_MILLIS * DAY_MILLIS / 1000;
    let options = SeedOptions {
        seed: arguments.seed,
        count: arguments.count,
        now_seconds: arguments.now.unwrap_or(today),
    };
    let total = tables.iter().map(|table| seed::item_count(table, options)).sum();
    let bar = ProgressBar::new(total).with_style(style());
    let environment = arguments.documents.environment;
    for table in tables {
        bar.set_message(format!("{}/{}", table.system, table.table_name));
        let progress = |count| bar.inc(count);
        let written = seed::write(documents, table, environment, options, target, progress).await;
        written.map_err(|error| {
            let name = documents.table_name(table, environment);
            format!(
                "{name} was not filled: {error}. If it is missing, run `plinth tables apply` first; \
                 the same seed writes the same items, so the command can be run again"
            )
        })?;
    }
    bar.finish_and_clear();
    println!("{total} items written to {} tables on {}.", tables.len(), target.describe());
    Ok(ExitCode::SUCCESS)
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:40} {percent:>3}% {pos}/{len} items, {eta} left  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
