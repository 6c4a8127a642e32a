//! `plinth tables check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::options;

/// Which documents.
#[derive(Args)]
pub struct Arguments {
    /// The folder with the documents, instead of those inside this binary.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match options::read(arguments.folder.as_ref()) {
        Ok(documents) => {
            for warning in &documents.warnings {
                println!("{warning}");
            }
            let (tables, systems) = (documents.tables.len(), documents.systems.len());
            let indexes: usize = documents.tables.iter().map(|table| table.indexes().count()).sum();
            let patterns: usize =
                documents.tables.iter().map(|table| table.access_patterns.len()).sum();
            println!(
                "{tables} tables in {systems} systems, {indexes} indexes, {patterns} access patterns: \
                 no errors, {} warnings.",
                documents.warnings.len()
            );
            ExitCode::SUCCESS
        }
        Err(problems) => {
            for problem in &problems {
                println!("{problem}");
            }
            let errors = problems.iter().filter(|problem| problem.is_error()).count();
            eprintln!("{errors} errors, {} warnings.", problems.len() - errors);
            ExitCode::FAILURE
        }
    }
}
