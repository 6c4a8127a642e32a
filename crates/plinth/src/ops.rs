//! `plinth ops`: keys, webhooks, the audit log and rate limits from a terminal, over the HTTP API of a
//! running server.

mod audit;
mod client;
mod connect;
mod export;
mod failure;
mod keys;
mod limits;
mod lists;
mod show;
mod webhooks;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use connect::ConnectOptions;
use failure::Failure;

use crate::serve;

/// What to do, and with which server.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the server does not \
                        answer, 4 the credential is missing or does not allow this, 5 there is no such \
                        thing, 6 it has been changed or is in the way, 7 not now: try again later, 10 \
                        the audit log is not what it was."
)]
pub struct Arguments {
    #[command(flatten)]
    connect: ConnectOptions,

    /// Print what the server answers, as JSON.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// API keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Webhook endpoints, events and their deliveries.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// The audit log.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Rate limits.
    #[command(subcommand)]
    Limits(limits::Command),
}

/// Does what was asked; says what went wrong and what to do next.
pub fn run(arguments: Arguments) -> ExitCode {
    let outcome = serve::runtime().map_err(Failure::other).and_then(|runtime| {
        let outcome = runtime.block_on(act(arguments));
        // Nothing is worth waiting for.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.code()
        }
    }
}

async fn act(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { connect, json, command } = arguments;
    let output = show::Output { json };
    // Told from the file alone.
    if let Command::Audit(audit::Command::VerifyFile(arguments)) = &command {
        return audit::verify_file(arguments, output);
    }
    let client = connect.client().await?;
    match command {
        Command::Keys(command) => keys::run(command, &client, output).await,
        Command::Webhooks(command) => webhooks::run(command, &client, output).await,
        Command::Audit(command) => audit::run(command, &client, output).await,
        Command::Limits(command) => limits::run(command, &client, output).await,
    }
}
