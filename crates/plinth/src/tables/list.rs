//! `plinth tables list` and `plinth tables show`.

use std::process::ExitCode;

use ::tables::markdown;
use clap::Args;

use super::options::{DocumentOptions, select};

/// Which tables.
#[derive(Args)]
pub struct ListArguments {
    /// Systems or tables, such as `popcorn` or `storefront/tenants`; all if none is named.
    names: Vec<String>,
    #[command(flatten)]
    documents: DocumentOptions,
}

/// Which table.
#[derive(Args)]
pub struct ShowArguments {
    /// The table, such as `tenants` or `storefront/campaigns`.
    #[arg(required = true)]
    names: Vec<String>,
    #[command(flatten)]
    documents: DocumentOptions,
}

pub fn list(arguments: &ListArguments) -> Result<ExitCode, String> {
    let documents = arguments.documents.documents()?;
    let environment = arguments.documents.environment;
    let tables = select(&documents, &arguments.names)?;
    let rows: Vec<[String; 5]> = tables
        .iter()
        .map(|table| {
            [
                format!("{}/{}", table.system, table.table_name),
                documents.table_name(table, environment),
                table.key_names().join(" + "),
                table.indexes().count().to_string(),
                table.access_patterns.len().to_string(),
            ]
        })
        .collect();
    let headings = ["table", "name", "key", "indexes", "patterns"].map(str::to_owned);
    let all = || std::iter::once(&headings).chain(&rows);
    let widths: [usize; 5] =
        std::array::from_fn(|at| all().map(|row| row[at].len()).max().unwrap_or_default());
    for row in all() {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

pub fn show(arguments: &ShowArguments) -> Result<ExitCode, String> {
    let documents = arguments.documents.documents()?;
    for table in select(&documents, &arguments.names)? {
        println!("{}", markdown::table_page(&documents, table));
    }
    Ok(ExitCode::SUCCESS)
}
