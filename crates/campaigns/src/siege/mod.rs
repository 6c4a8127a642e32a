//! Attacks on the server: whoever behaves is still served, and nothing stays behind.

mod attack;
mod target;
mod watch;

use std::process::ExitCode;
use std::time::Duration;

use attack::Attack;
use clap::Args;
use target::Target;

use crate::common::Common;
use crate::report::Report;

/// The longest that a health check may take.
const HEALTH_MAX: Duration = Duration::from_secs(1);
/// How much more memory than before may be held afterwards.
const MEMORY_GROWTH_MAX: f64 = 1.20;
/// How long memory may take to be given back.
const RECOVERY: Duration = Duration::from_secs(30);

/// Attacks a server on loopback: slow headers, slow bodies, idle connections, bodies that are too
/// large, and ten times the load it can take.
///
/// All the while a well-behaved client asks for the server's health on a new connection, and must get
/// an answer within a second. Afterwards the server must hold no more than a fifth more memory than
/// before. The server is the `plinth` beside this program: `cargo build --release -p plinth`.
#[derive(Args, Debug)]
pub struct SiegeArguments {
    /// How long each attack goes on.
    #[arg(value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    #[command(flatten)]
    common: Common,
}

/// Runs all attacks, one after the other.
pub fn run(arguments: &SiegeArguments) -> std::io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("siege {}", arguments.seconds), seed);
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(siege(Duration::from_secs(arguments.seconds), &mut report))?;
    Ok(report.finish(arguments.common.json.as_deref()))
}

async fn siege(time: Duration, report: &mut Report) -> std::io::Result<()> {
    let target = Target::start().await?;
    attack::fill(&target).await?;
    // What a busy server keeps is part of its idle memory.
    attack::run(&target, Attack::Overload, Duration::from_secs(5)).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let idle = target.resident_bytes()?;
    report.row("memory before, MB", idle >> 20);
    for attack in Attack::ALL {
        let ((), health) =
            tokio::join!(attack_within(&target, attack, time), watch::health(&target, time));
        report.row(&format!("{}: health checks", attack.name()), health.answered);
        let slowest = health.slowest.as_millis();
        report.row(&format!("{}: slowest, ms", attack.name()), slowest);
        report.row(&format!("{}: memory, MB", attack.name()), target.resident_bytes()? >> 20);
        if health.failed > 0 || health.slowest > HEALTH_MAX || health.answered == 0 {
            report.finding(format!(
                "{}: of {} health checks {} failed, the slowest took {slowest} ms",
                attack.name(),
                health.answered + health.failed,
                health.failed
            ));
        }
    }
    let most = (idle as f64 * MEMORY_GROWTH_MAX) as u64;
    let waiting = std::time::Instant::now();
    while target.resident_bytes()? > most && waiting.elapsed() < RECOVERY {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let after = target.resident_bytes()?;
    report.row("memory after, MB", after >> 20);
    if after > most {
        report.finding(format!(
            "the server holds {} MB, before it held {}",
            after >> 20,
            idle >> 20
        ));
    }
    let connections = watch::open_connections(&target).await?;
    report.row("connections after", connections);
    // The one that asks is one of them.
    if connections > 1 {
        report.finding(format!("{connections} connections are still open"));
    }
    Ok(())
}

/// An attack that does not end by itself is ended.
async fn attack_within(target: &Target, attack: Attack, time: Duration) {
    let limit = time + Duration::from_secs(5);
    if tokio::time::timeout(limit, attack::run(target, attack, time)).await.is_err() {
        eprintln!("{} was ended after {limit:?}", attack.name());
    }
}

/// As many connections as descriptors, less those for other files.
fn connections_max() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).saturating_sub(200)
}

/// Thousands of connections take thousands of descriptors.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if setrlimit(Resource::Nofile, limit).is_err() {
        eprintln!("the limit of open files could not be raised");
    }
}
