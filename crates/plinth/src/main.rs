//! The command line.

mod tables;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The base a SaaS stands on: a DynamoDB-compatible database in one binary.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a database folder: that it opens, and that every commit of its log matches its hash.
    ///
    /// The database must not be open elsewhere. No item is changed.
    Verify {
        /// The data folder.
        folder: PathBuf,
    },
    /// Work with the table documents: check, plan, apply, and write infrastructure from them.
    #[command(subcommand)]
    Tables(tables::Command),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Verify { folder } => verify::run(&folder),
        Command::Tables(command) => return tables::run(command),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
