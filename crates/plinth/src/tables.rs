//! `plinth tables`: what the table documents say, and what to do with it.

mod check;
mod cost;
mod generate;
mod list;
mod migrate;
mod options;
mod seed;

use std::process::ExitCode;

use clap::Subcommand;

/// What to do with the table documents.
#[derive(Subcommand)]
pub enum Command {
    /// Check the documents: every error of all of them, with file, line and what to write instead.
    Check(check::Arguments),
    /// List the tables with their names, keys and indexes.
    List(list::ListArguments),
    /// Show one table: keys, attributes, indexes and access patterns, as Markdown.
    Show(list::ShowArguments),
    /// Say what would have to be done so that a target has the tables. Changes nothing.
    ///
    /// Exit code 2 means that something cannot be done to a table that exists; the plan says what
    /// to do instead.
    Plan(migrate::PlanArguments),
    /// Create and change tables so that a target has them. Never removes anything unasked.
    ///
    /// Running it again continues after an error, and does nothing if nothing is left to do.
    Apply(migrate::ApplyArguments),
    /// Compare a target with the documents, as plan does; exit code 1 means that they differ.
    Diff(migrate::PlanArguments),
    /// Write a page of documentation per table, and a diagram per system, as Markdown.
    Docs(generate::Arguments),
    /// Write Terraform: two modules, and a root for each environment.
    Terraform(generate::Arguments),
    /// Write CloudFormation: a template for each environment and system, as JSON.
    Cloudformation(generate::Arguments),
    /// Estimate what the tables cost in a month.
    Cost(cost::Arguments),
    /// Fill the tables with items that look real, the same for the same seed.
    Seed(seed::Arguments),
}

/// Runs a command; says what went wrong.
pub fn run(command: Command) -> ExitCode {
    let outcome = match command {
        Command::Check(arguments) => return check::run(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Show(arguments) => list::show(&arguments),
        Command::Plan(arguments) => migrate::plan(&arguments),
        Command::Diff(arguments) => migrate::diff(&arguments),
        Command::Apply(arguments) => migrate::apply(&arguments),
        Command::Docs(arguments) => generate::docs(&arguments),
        Command::Terraform(arguments) => generate::terraform(&arguments),
        Command::Cloudformation(arguments) => generate::cloudformation(&arguments),
        Command::Cost(arguments) => cost::run(&arguments),
        Command::Seed(arguments) => seed::run(&arguments),
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::FAILURE
    })
}
