//! `plinth tables cost`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::tables::cost::{Assumptions, Prices, estimate, report};
use clap::Args;
use serde::de::DeserializeOwned;

use super::options::{DocumentOptions, select};

/// Which tables, with which load, at which prices.
#[derive(Args)]
pub struct Arguments {
    /// Systems or tables, such as `popcorn` or `storefront/tenants`; all if none is named.
    names: Vec<String>,
    #[command(flatten)]
    documents: DocumentOptions,
    /// A JSON file with unit prices, such as {"millionReads": 0.25}; the rest stay as they are.
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// A JSON file with loads by table, each as `load` in a table document.
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Requests per month of each access pattern that reads, where no load is stated.
    #[arg(long, default_value_t = Assumptions::default().reads_per_pattern)]
    reads: u64,
    /// Requests per month of each access pattern that writes, where no load is stated.
    #[arg(long, default_value_t = Assumptions::default().writes_per_pattern)]
    writes: u64,
    /// Bytes of an item, where no load is stated.
    #[arg(long, default_value_t = Assumptions::default().item_bytes)]
    item_bytes: u64,
    /// Items of a table, where no load is stated.
    #[arg(long, default_value_t = Assumptions::default().items)]
    items: u64,
    /// Items that a Query answers with.
    #[arg(long, default_value_t = Assumptions::default().items_per_query)]
    items_per_query: u64,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let documents = arguments.documents.documents()?;
    let prices: Prices = read(arguments.prices.as_deref())?.unwrap_or_default();
    let assumptions = Assumptions {
        reads_per_pattern: arguments.reads,
        writes_per_pattern: arguments.writes,
        item_bytes: arguments.item_bytes,
        items: arguments.items,
        items_per_query: arguments.items_per_query,
        loads: read(arguments.load.as_deref())?.unwrap_or_default(),
    };
    let mut costs = Vec::new();
    for table in select(&documents, &arguments.names)? {
        if let Some(system) = documents.system(&table.system) {
            let environment = arguments.documents.environment;
            costs.push(estimate(table, system, environment, &assumptions, &prices));
        }
    }
    print!("{}", report(&costs, &prices));
    Ok(ExitCode::SUCCESS)
}

fn read<T: DeserializeOwned>(path: Option<&Path>) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    let unreadable = |error: &dyn std::fmt::Display| format!("`{}`: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    serde_json::from_str(&text).map(Some).map_err(|error| unreadable(&error))
}
