//! Fuzzing for a while: `cargo run --release -p fuzz -- all --seconds 60`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use fuzz::{Mutator, TARGETS, Target, corpus, find, inputs};

/// An input that takes longer is as bad as one that panics.
const SLOW: Duration = Duration::from_secs(1);

/// Throws mutated inputs at whatever reads text from strangers.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// A target, or `all`
    #[arg(default_value = "all")]
    target: String,
    /// How long, for each target
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Repeats a run
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let chosen: Vec<&Target> = match find(&arguments.target) {
        Some(target) => vec![target],
        None if arguments.target == "all" => TARGETS.iter().collect(),
        None => {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            eprintln!("There is no target `{}`. There are: {}", arguments.target, names.join(", "));
            return ExitCode::FAILURE;
        }
    };
    println!("target         inputs tried   findings  what it is given");
    let mut findings = 0;
    for target in chosen {
        match fuzz_one(target, Duration::from_secs(arguments.seconds), arguments.seed) {
            Ok((tried, found)) => {
                findings += found;
                println!("{:<14} {tried:>12} {found:>10}  {}", target.name, target.what);
            }
            Err(error) => {
                eprintln!("The inputs of {} cannot be read: {error}", target.name);
                return ExitCode::FAILURE;
            }
        }
    }
    if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fuzz_one(target: &Target, time: Duration, seed: u64) -> std::io::Result<(u64, u64)> {
    let old: Vec<Vec<u8>> = inputs(target)?.into_iter().map(|(_, data)| data).collect();
    let mut mutator = Mutator::new(seed);
    let (started, mut tried, mut findings) = (Instant::now(), 0, 0);
    while started.elapsed() < time && findings < 10 {
        let data = mutator.next(&old);
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&data)));
        tried += 1;
        if outcome.is_err() || began.elapsed() > SLOW {
            findings += 1;
            let path = corpus(target).join(format!("found-{seed}-{tried}"));
            std::fs::write(&path, &data)?;
            eprintln!("{}: {} was written", target.name, path.display());
        }
    }
    Ok((tried, findings))
}
