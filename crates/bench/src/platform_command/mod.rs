//! `bench platform`: what the platform adds to a request, in this process: token, key, rate limit,
//! idempotency and audit, against the same handler in the same shell without them; and, besides, an
//! event for subscribers. Each kind of request has a database of its own, so that it costs the same
//! whatever else is measured.

mod service;
mod world;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use world::World;

use crate::measure::{Measurement, Yardstick, median};
use crate::report::table::Table;

/// The platform may add this much processor time to a request, at most: token, key, rate limit,
/// idempotency and audit. An event is a thing of its own, and only shown.
const ADDED_MICROS_MAX: f64 = 150.0;
const ROUNDS: usize = 5;

/// What the user can choose.
#[derive(Clone, Debug, clap::Args)]
pub struct PlatformArguments {
    /// Seconds of one round
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Requests at one time, each for an account of its own
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    callers: u16,
    /// Measure only this kind of request; may be given several times
    #[arg(long, value_name = "KIND", value_parser = KINDS.map(|kind| kind.short))]
    only: Vec<String>,
    /// Write everything that was found to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if the platform adds more than 150 µs without an event, or a key costs more than one read
    #[arg(long)]
    check: bool,
    /// A smoke test: short rounds
    #[arg(long)]
    quick: bool,
    /// Make databases in this folder instead of `target`; they are removed afterwards
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// What a request is and carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    short: &'static str,
    name: &'static str,
    what: What,
    has_key: bool,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// To read.
    Get,
    /// To write, and to tell nobody.
    PostQuietly,
    /// To write, and to tell subscribers.
    Post,
}

const KINDS: [Kind; 6] = [
    Kind::new("get", "GET: token, limit", What::Get, false),
    Kind::new("get-key", "GET: token, key, limit", What::Get, true),
    Kind::new("post-quiet", "POST: token, limit, idempotency, audit", What::PostQuietly, false),
    Kind::new(
        "post-key-quiet",
        "POST: token, key, limit, idempotency, audit",
        What::PostQuietly,
        true,
    ),
    Kind::new("post", "POST: token, limit, idempotency, audit, event", What::Post, false),
    Kind::new("post-key", "POST: token, key, limit, idempotency, audit, event", What::Post, true),
];

impl Kind {
    const fn new(short: &'static str, name: &'static str, what: What, has_key: bool) -> Kind {
        Kind { short, name, what, has_key }
    }
}

/// One row of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    request: &'static str,
    bare_cpu_micros: f64,
    platform_cpu_micros: f64,
    added_cpu_micros: f64,
    bare_p50_micros: f64,
    platform_p50_micros: f64,
    bare_rounds: Vec<Measurement>,
    platform_rounds: Vec<Measurement>,
    /// Nanoseconds of a step through the shared cache, before each pair of rounds: see [`Yardstick`].
    cache_step_nanos: Vec<f64>,
    /// Whether it is at most what is promised; nothing where that is not said.
    kept: Option<bool>,
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
struct Found {
    rows: Vec<Row>,
    /// What verifying a key asked of the store.
    key_reads: Vec<String>,
    key_kept: bool,
}

/// Measures, prints and, if asked, checks. Gives whether the check passed.
pub fn run(arguments: &PlatformArguments) -> anyhow::Result<bool> {
    let parent = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("target"));
    std::fs::create_dir_all(&parent)
        .with_context(|| format!("`{}` cannot be made", parent.display()))?;
    let (rounds, seconds) = if arguments.quick { (1, 0.3) } else { (ROUNDS, arguments.seconds) };
    let callers = usize::from(arguments.callers);
    let is_asked_for =
        |kind: &Kind| arguments.only.is_empty() || arguments.only.iter().any(|o| o == kind.short);
    let rows: anyhow::Result<Vec<Row>> = KINDS
        .into_iter()
        .filter(is_asked_for)
        .map(|kind| in_new_world(&parent, callers, |world| row(world, kind, rounds, seconds)))
        .collect();
    let key_reads = in_new_world(&parent, 1, World::reads_of_a_key)?;
    let key_kept = key_reads.len() <= 1 && key_reads.iter().all(|read| read.starts_with("GetItem"));
    let found = Found { rows: rows?, key_reads, key_kept };
    print(&found);
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&found)? + "\n";
        std::fs::write(path, text)
            .with_context(|| format!("`{}` is not written", path.display()))?;
    }
    let kept = found.key_kept && found.rows.iter().all(|row| row.kept != Some(false));
    if arguments.check && !kept {
        eprintln!(
            "missed: the platform adds more than {ADDED_MICROS_MAX} µs of processor time to a \
             request without an event, or verifying a key costs more than one read"
        );
    }
    Ok(kept || !arguments.check)
}

/// With a database that is removed afterwards.
fn in_new_world<T>(
    parent: &Path,
    callers: usize,
    measure: impl FnOnce(&World) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let folder = tempfile::Builder::new().prefix("bench-platform-").tempdir_in(parent)?;
    measure(&World::open(folder.path(), callers)?)
}

/// Both shells in turn, so that what else the machine does meets both.
fn row(world: &World, kind: Kind, rounds: usize, seconds: f64) -> anyhow::Result<Row> {
    let (mut bare, mut full, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let yardstick = Yardstick::new();
    for _ in 0..rounds {
        steps.push(yardstick.step_nanos());
        bare.push(world.round(kind, false, seconds)?);
        full.push(world.round(kind, true, seconds)?);
    }
    let of =
        |rounds: &[Measurement], figure: fn(&Measurement) -> f64| median(rounds.iter().map(figure));
    let cpu = |round: &Measurement| round.cpu_micros_per_operation;
    let p50 = |round: &Measurement| round.p50_micros;
    let added = of(&full, cpu) - of(&bare, cpu);
    Ok(Row {
        request: kind.name,
        bare_cpu_micros: of(&bare, cpu),
        platform_cpu_micros: of(&full, cpu),
        added_cpu_micros: added,
        bare_p50_micros: of(&bare, p50),
        platform_p50_micros: of(&full, p50),
        bare_rounds: bare,
        platform_rounds: full,
        cache_step_nanos: steps,
        kept: (kind.what != What::Post).then_some(added <= ADDED_MICROS_MAX),
    })
}

fn print(found: &Found) {
    let headings = [
        "request",
        "bare CPU µs",
        "platform CPU µs",
        "added",
        "bare p50 µs",
        "platform p50 µs",
        "",
    ];
    let mut table = Table::new(&headings);
    for row in &found.rows {
        table.row(vec![
            row.request.to_owned(),
            format!("{:.1}", row.bare_cpu_micros),
            format!("{:.1}", row.platform_cpu_micros),
            format!("{:.1}", row.added_cpu_micros),
            format!("{:.0}", row.bare_p50_micros),
            format!("{:.0}", row.platform_p50_micros),
            row.kept.map_or_else(|| "shown only".to_owned(), verdict),
        ]);
    }
    print!("{table}");
    println!("verifying a key: {} ({})", found.key_reads.join(", "), verdict(found.key_kept));
    let steps = || found.rows.iter().flat_map(|row| row.cache_step_nanos.iter().copied());
    let (least, most) = steps()
        .fold((f64::MAX, 0.0), |(least, most): (f64, f64), step| (least.min(step), most.max(step)));
    println!(
        "the machine: {least:.0} to {most:.0} ns for a step through the cache that its cores share, \
         {:.0} in the middle; the more they differ, the more others use it, and the more all of this costs",
        median(steps())
    );
}

fn verdict(kept: bool) -> String {
    if kept { "kept" } else { "missed" }.to_owned()
}
