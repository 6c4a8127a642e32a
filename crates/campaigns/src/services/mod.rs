//! Many processes on one store: what one of them promises, all of them keep.

mod client;
mod fleet;
mod gate;
mod proofs;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use client::Client;
use fleet::Fleet;

use crate::common::{Common, Watchdog};
use crate::report::Report;

/// Nothing here takes longer, unless it hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// Starts a Plinth as a DynamoDB endpoint and service processes that keep everything there, and
/// checks what they must keep together.
///
/// A rate limit of 100 admits exactly 100 requests, wherever they come in; a key that is revoked in
/// one process fails on the very next request in every other; of many requests with one
/// Idempotency-Key one has an effect, and all get its answer or 409; and if the process that works on
/// such a request is killed before it commits, a repetition elsewhere does the work, once.
/// The program is the `plinth` beside this one: `cargo build --release -p plinth`.
#[derive(Args, Debug)]
pub struct ServicesArguments {
    /// How many service processes.
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u8).range(2..=64))]
    processes: u8,
    /// How many keys are made, used everywhere and revoked.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    revocations: u32,
    /// How often one Idempotency-Key is sent many times at once.
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    races: u32,
    /// How many processes are killed between claim and commit.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    kills: u32,
    /// Another program than the `plinth` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Runs everything, one after the other.
pub fn run(arguments: &ServicesArguments) -> io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start("services".to_owned(), seed);
    let workplace = arguments.common.workplace(&crate::common::fast_folder())?;
    let _watchdog = Watchdog::start(LIMIT, "campaigns services".to_owned());
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("plinth"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let fleet = Fleet::start(&program, workplace.path(), usize::from(arguments.processes));
        let mut fleet = fleet.await?;
        report.row("service processes", fleet.services.len());
        let client = Client::log_in(&fleet).await?;
        proofs::limit(&fleet, &client, &mut report).await?;
        proofs::revocations(&fleet, &client, arguments.revocations, &mut report).await?;
        for race in 0..arguments.races {
            proofs::race(&fleet, &client, race, &mut report).await?;
        }
        report.row("races of 64 for one Idempotency-Key", arguments.races);
        for kill in 0..arguments.kills {
            proofs::kill(&mut fleet, &client, kill, &mut report).await?;
        }
        report.row("killed between claim and commit", arguments.kills);
        io::Result::Ok(())
    })?;
    Ok(report.finish(arguments.common.json.as_deref()))
}
