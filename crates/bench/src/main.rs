//! How fast is it? Plinth measured against another engine and against its own promises.
//!
//! `cargo run --release -p bench -- database`, `platform`, `store`, `tenancy` or `wire`; what is measured and how: see the README beside this
//! crate. Start reading at [`scenarios`].

mod database_command;
mod engines;
mod ground;
mod measure;
mod platform_command;
mod progress;
mod report;
mod scenarios;
mod store_command;
mod tenancy_command;
mod wire;
mod worker;
mod workload;

use std::process::ExitCode;

use allocator as _;
use clap::{Parser, Subcommand};

/// Measures the database and its server.
#[derive(Debug, Parser)]
#[command(version, about)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The library in this process, against dynoxide and against the promised figures
    Database(database_command::DatabaseArguments),
    /// The platform's pipeline in this process, against the same handler without it
    Platform(platform_command::PlatformArguments),
    /// The store in this process, against the bare database
    Store(store_command::StoreArguments),
    /// The tenant service in this process, with many tenants, against its promised figures
    Tenancy(tenancy_command::TenancyArguments),
    /// The server over HTTP, against dynoxide, dynalite and a bare server that answers nothing
    Wire(wire::WireArguments),
    /// A server to compare with; started by `wire`
    #[command(hide = true)]
    Peer(wire::PeerArguments),
    /// One engine in a process of its own; started by the other commands
    #[command(hide = true)]
    Worker(worker::WorkerArguments),
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().command {
        Command::Database(arguments) => database_command::run(&arguments),
        Command::Platform(arguments) => platform_command::run(&arguments),
        Command::Store(arguments) => store_command::run(&arguments),
        Command::Tenancy(arguments) => tenancy_command::run(&arguments),
        Command::Wire(arguments) => wire::run(&arguments),
        Command::Peer(arguments) => wire::serve_peer(&arguments).map(|()| true),
        Command::Worker(arguments) => worker::serve(&arguments).map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
