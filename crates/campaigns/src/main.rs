//! The command line: `campaigns kill 1000`, `campaigns power 10000`, and so on.

use std::process::ExitCode;

use allocator as _;
use campaigns::{faults, full, histories, kill, patterns, power, rot, services, siege, webhooks};
use clap::{Parser, Subcommand};

/// Does the database keep its promises?
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Faults(faults::FaultsArguments),
    Full(full::FullArguments),
    Histories(histories::HistoriesArguments),
    Kill(kill::KillArguments),
    Patterns(patterns::PatternsArguments),
    Power(power::PowerArguments),
    Rot(rot::RotArguments),
    Services(services::ServicesArguments),
    Siege(siege::SiegeArguments),
    Webhooks(webhooks::WebhooksArguments),
    #[command(hide = true)]
    Write(kill::ChildArguments),
    #[command(hide = true)]
    Probe(rot::ProbeArguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Faults(arguments) => faults::run(&arguments),
        Command::Full(arguments) => full::run(&arguments),
        Command::Histories(arguments) => histories::run(&arguments),
        Command::Patterns(arguments) => patterns::run(&arguments),
        Command::Power(arguments) => power::run(&arguments),
        Command::Rot(arguments) => rot::run(&arguments),
        Command::Services(arguments) => services::run(&arguments),
        Command::Siege(arguments) => siege::run(&arguments),
        Command::Webhooks(arguments) => webhooks::run(&arguments),
        Command::Probe(arguments) => rot::run_probe(&arguments),
        Command::Kill(arguments) => kill::run(&arguments),
        Command::Write(arguments) => kill::run_child(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("campaigns: {error}");
        ExitCode::FAILURE
    })
}
