//! `bench wire`: the server over HTTP, beside others, driven by one generator.
//!
//! All servers are started and loaded first; then each workload visits one server after the other, in
//! several rounds, so that whatever else the machine does is shared fairly. Every request is signed;
//! only Plinth checks the signature.

mod connection;
mod drive;
mod peers;
mod report;
mod requests;
mod servers;
mod signer;
mod start;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use drive::{Load, Rounds, Workload};
pub use peers::{PeerArguments, serve_peer};
use report::{Row, WireReport};
use servers::{Kind, Server};

use crate::measure::rest_of;
use crate::progress::Progress;
use crate::workload::Dataset;

/// How often a workload visits every server. All requests of all rounds are judged together.
const ROUNDS: usize = 3;

/// What the user can choose.
#[derive(Clone, Debug, clap::Args)]
pub struct WireArguments {
    /// Items in each table
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2000..))]
    items: u64,
    /// Seconds of one round
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Write everything that was found to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if a promised figure is missed
    #[arg(long)]
    check: bool,
    /// A smoke test: few items, short rounds
    #[arg(long)]
    quick: bool,
    /// Leave a server out; may be given several times
    #[arg(long, value_name = "SERVER")]
    without: Vec<Kind>,
    /// Measure only this workload; may be given several times
    #[arg(long, value_name = "WORKLOAD")]
    only: Vec<Workload>,
    /// Numbers of connections
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    connections: Vec<usize>,
    /// The server to measure; the one beside this program if not given
    #[arg(long, value_name = "FILE")]
    plinth: Option<PathBuf>,
    /// Another seed makes other items
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Measures, prints and, if asked, checks. Gives whether the check passed.
pub fn run(arguments: &WireArguments) -> anyhow::Result<bool> {
    // One thread: what it takes, it takes from the server it measures.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure(arguments))?;
    print!("{report}");
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(!arguments.check || report.is_met())
}

async fn measure(arguments: &WireArguments) -> anyhow::Result<WireReport> {
    let (items, seconds) =
        if arguments.quick { (2000, 0.3) } else { (arguments.items, arguments.seconds) };
    let dataset = Dataset { items, seed: arguments.seed };
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-wire-").tempdir_in("target")?;
    let progress = Progress::new();
    let beside = std::env::current_exe()?.with_file_name("plinth");
    let plinth = arguments.plinth.as_deref().unwrap_or(&beside);
    let mut first_start = None;
    if !arguments.without.contains(&Kind::Plinth) {
        first_start = Some(start::measure(plinth, folder.path(), &progress).await?);
    }
    let mut servers = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| !arguments.without.contains(kind)) {
        let stage = progress.stage(&format!("Starting and loading {}", kind.name()), 2 * items);
        let started = Server::start(kind, folder.path(), plinth).await;
        let started = started.with_context(|| format!("{} does not start", kind.name()))?;
        let Some(server) = started.map(Arc::new) else {
            eprintln!("{} cannot be installed here (npm is needed): left out", kind.name());
            continue;
        };
        if kind.holds_items() {
            drive::load(&server, dataset, |done| stage.reach(done)).await?;
        }
        servers.push(server);
    }
    let workloads: Vec<Workload> = Workload::ALL
        .into_iter()
        .filter(|workload| arguments.only.is_empty() || arguments.only.contains(workload))
        .collect();
    let rounds = workloads.len() * arguments.connections.len() * servers.len() * ROUNDS;
    let stage = progress.stage("Measuring", rounds as u64);
    let processes: Vec<u32> = servers.iter().map(|server| server.id()).collect();
    let mut rows = Vec::new();
    for workload in workloads {
        for &connections in &arguments.connections {
            let load = Load { dataset, workload, connections, seconds };
            let visited = servers.iter().filter(|server| server.kind.offers(workload));
            let mut visits = visited
                .map(|server| Ok((server, Rounds::new()?)))
                .collect::<anyhow::Result<Vec<_>>>()?;
            for _ in 0..ROUNDS {
                for (server, rounds) in &mut visits {
                    let (workload, server_name) = (workload.name(), server.kind.name());
                    stage.step(&format!("{workload}, {connections}, {server_name}"));
                    rest_of(&processes)?;
                    rounds.run(server, load).await?;
                }
            }
            rows.extend(visits.into_iter().map(|(server, rounds)| Row {
                workload,
                connections,
                server: server.kind,
                measured: rounds.measured(),
            }));
        }
    }
    Ok(WireReport::new(items, seconds, first_start, rows))
}
