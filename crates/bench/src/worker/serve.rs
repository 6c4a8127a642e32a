//! The worker's side: opens the engine and does what it is told.

use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Command, Reply, WorkerArguments};
use crate::engines::{self, Engine, Place, Round};
use crate::measure::{self, Measurement};
use crate::workload::Operation;

/// Longer than anybody waits before the kill.
const WRITE_SECONDS: u64 = 3600;

/// Serves until it is told to close or standard input ends.
pub fn serve(arguments: &WorkerArguments) -> anyhow::Result<()> {
    let outcome = run(arguments);
    if let Err(error) = &outcome {
        say(&Reply::Failed(format!("{error:#}")))?;
    }
    outcome
}

fn run(arguments: &WorkerArguments) -> anyhow::Result<()> {
    let place = match &arguments.folder {
        None => Place::Memory,
        Some(folder) if arguments.relaxed => Place::Relaxed(folder),
        Some(folder) => Place::Durable(folder),
    };
    let start = Instant::now();
    let engine = engines::open(arguments.engine, place)?;
    say(&Reply::Ready { open_millis: start.elapsed().as_secs_f64() * 1e3 })?;
    let fresh = Arc::new(AtomicU64::new(arguments.fresh));
    for line in io::stdin().lock().lines() {
        let command: Command = serde_json::from_str(&line?).context("not a command")?;
        if matches!(command, Command::Close) {
            break;
        }
        obey(&*engine, arguments, &fresh, command)?;
    }
    engine.close();
    say(&Reply::Closed)
}

fn obey(
    engine: &dyn Engine,
    arguments: &WorkerArguments,
    fresh: &Arc<AtomicU64>,
    command: Command,
) -> anyhow::Result<()> {
    let round = |operation: Operation, duration: Duration| Round {
        operation,
        dataset: arguments.dataset(),
        duration,
        fresh: Arc::clone(fresh),
        operations_max: u64::MAX,
    };
    match command {
        Command::Load => {
            // Nobody may be listening any more; then the next answer fails, too.
            engine.load(arguments.dataset(), &|loaded| drop(say(&Reply::Progress(loaded))))?;
            measure::rest()?;
            say(&Reply::Loaded)
        }
        Command::Measure { operation, seconds } => {
            let round = round(operation, Duration::from_secs_f64(seconds));
            say(&Reply::Measured(Measurement::of(|| engine.run(&round))?))
        }
        Command::Read { gets, queries } => {
            let forever = Duration::from_secs(WRITE_SECONDS);
            let parts = [
                (Operation::GetItem, gets),
                (Operation::Query, queries / 2),
                (Operation::QueryIndex, queries / 2),
            ];
            for (operation, operations_max) in parts {
                engine.run(&Round { operations_max, ..round(operation, forever) })?;
            }
            say(&Reply::Read {
                resident_bytes: measure::resident_bytes()?,
                peak_resident_bytes: measure::peak_resident_bytes()?,
            })
        }
        Command::WriteUntilKilled => {
            say(&Reply::Writing)?;
            engine.run(&round(Operation::PutItem, Duration::from_secs(WRITE_SECONDS)))?;
            anyhow::bail!("nobody killed this process")
        }
        Command::Close => Ok(()),
    }
}

fn say(reply: &Reply) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(reply).context("a reply cannot be written")?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    Ok(output.flush()?)
}
