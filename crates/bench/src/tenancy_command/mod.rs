//! `bench tenancy`: the tenant service in this process, with more and more tenants: at the rate that
//! document 002 asks for, as fast as it goes, and how high the rate may be.

mod load;
mod world;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use world::World;

use crate::measure::{Measurement, Tally};
use crate::report::table::{Table, figure};
use crate::report::{Figure, Limit, Machine, figures_table};

/// At the offered rate, of a hundred answers one may take longer. The document asks for 500, 200, 500
/// and 500 (R002-12.1-1 to R002-12.1-4).
const P99_MILLIS_MOST: f64 = 20.0;
/// How many times as long a list may take with the most tenants as with the fewest.
const LIST_GROWTH_MOST: f64 = 1.5;
/// A rate is held while of a hundred answers no more than one takes longer.
const HELD_P99_MILLIS: f64 = 100.0;
/// Callers who ask as fast as it goes.
const CALLERS: usize = 16;
/// The offered rate is held in so many rounds, with the disk alone at the same rate before each, which
/// tells what the machine takes by itself. All requests of all rounds are judged together.
const ROUNDS: usize = 5;
/// The next rate that is tried.
const STEP: f64 = 1.5;

/// What the user can choose.
#[derive(Clone, Debug, clap::Args)]
pub struct TenancyArguments {
    /// How many tenants there are, one figure after the other
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000",
        value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    tenants: Vec<u32>,
    /// Requests offered in a second
    #[arg(long, default_value_t = 100.0)]
    rate: f64,
    /// Seconds of one operation at the offered rate, all rounds together
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Write everything that was found to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if a promised figure is missed
    #[arg(long)]
    check: bool,
    /// A smoke test: few tenants, short rounds
    #[arg(long)]
    quick: bool,
    /// Make the database in this folder instead of `target`; it is removed afterwards
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operation {
    /// A new tenant.
    Create,
    /// A tenant by its id.
    Get,
    /// The newest 20 tenants.
    List,
    /// A tenant is parked; in the next lap over all tenants, unparked.
    Park,
}

impl Operation {
    const ALL: [Operation; 4] =
        [Operation::Create, Operation::Get, Operation::List, Operation::Park];

    fn label(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Get => "get",
            Operation::List => "list of 20",
            Operation::Park => "park, unpark",
        }
    }
}

/// One operation with so many tenants.
#[derive(Clone, Debug, Serialize)]
struct Row {
    tenants: u32,
    operation: Operation,
    /// Of all requests at the offered rate, waiting included.
    offered_p99_micros: f64,
    /// The rounds they were offered in, and the disk alone before each.
    offered: Vec<Measurement>,
    disk: Vec<Measurement>,
    /// One caller, one request after the other: what an answer takes if nobody else asks.
    alone: Measurement,
    /// Sixteen callers, each with one request after the other.
    fast: Measurement,
}

/// The highest rate that an operation was offered at and held.
#[derive(Clone, Debug, Serialize)]
struct Held {
    operation: Operation,
    /// Nothing if not even the first was.
    rate: Option<f64>,
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
struct Found {
    machine: Machine,
    rate: f64,
    seconds: f64,
    rows: Vec<Row>,
    held: Vec<Held>,
    figures: Vec<Figure>,
}

/// Measures, prints and, if asked, checks. Gives whether the check passed.
pub fn run(arguments: &TenancyArguments) -> anyhow::Result<bool> {
    let parent = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("target"));
    std::fs::create_dir_all(&parent)
        .with_context(|| format!("`{}` cannot be made", parent.display()))?;
    let folder = tempfile::Builder::new().prefix("bench-tenancy-").tempdir_in(&parent)?;
    let mut sizes = if arguments.quick { vec![200, 1000] } else { arguments.tenants.clone() };
    sizes.sort_unstable();
    sizes.dedup();
    let seconds = if arguments.quick { 1.0 } else { arguments.seconds };
    ensure!(arguments.rate >= 1.0 && seconds > 0.0, "rate and seconds must be more than nothing");
    let machine = Machine::here(folder.path())?;
    let mut world = World::open(folder.path())?;
    let mut rows = Vec::new();
    for tenants in sizes {
        world.grow(tenants)?;
        eprintln!("{tenants} tenants are there");
        for operation in Operation::ALL {
            let Rounds { all, offered, disk } = rounds(&world, operation, arguments.rate, seconds)?;
            let offered_p99_micros = all.quantile_micros(0.99);
            let alone = Measurement::of(|| world.rush(operation, 1, seconds / 4.0))?;
            let fast = Measurement::of(|| world.rush(operation, CALLERS, seconds / 2.0))?;
            rows.push(Row { tenants, operation, offered_p99_micros, offered, disk, alone, fast });
        }
    }
    let held = Operation::ALL.into_iter().map(|operation| {
        let rate = highest(&world, operation, arguments.rate, seconds / 5.0)?;
        anyhow::Ok(Held { operation, rate })
    });
    let held = held.collect::<Result<_, _>>()?;
    let figures = judge(&rows);
    let found = Found { machine, rate: arguments.rate, seconds, rows, held, figures };
    print(&found);
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&found)? + "\n";
        std::fs::write(path, text)
            .with_context(|| format!("`{}` is not written", path.display()))?;
    }
    let missed: Vec<_> = found.figures.iter().filter(|figure| !figure.met()).collect();
    if arguments.check {
        missed.iter().for_each(|figure| eprintln!("missed: {}", figure.name));
    }
    Ok(missed.is_empty() || !arguments.check)
}

struct Rounds {
    all: Tally,
    offered: Vec<Measurement>,
    disk: Vec<Measurement>,
}

/// An operation at a rate and, before each round, the disk alone.
fn rounds(world: &World, operation: Operation, rate: f64, seconds: f64) -> anyhow::Result<Rounds> {
    let seconds = seconds / ROUNDS as f64;
    let (mut all, mut offered, mut disk) = (Tally::new()?, Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        disk.push(Measurement::of(|| world.sync_at(rate, seconds))?);
        offered.push(Measurement::of(|| {
            let round = world.offer(operation, rate, seconds)?;
            all.add(&round.tally)?;
            Ok(round.tally)
        })?);
    }
    Ok(Rounds { all, offered, disk })
}

/// The slowest round.
fn worst_p99_micros(rounds: &[Measurement]) -> f64 {
    rounds.iter().map(|round| round.p99_micros).fold(0.0, f64::max)
}

/// The highest rate that is held, each tried after the one before was.
fn highest(
    world: &World,
    operation: Operation,
    first: f64,
    seconds: f64,
) -> anyhow::Result<Option<f64>> {
    let (mut rate, mut held) = (first, None);
    loop {
        let offered = world.offer(operation, rate, seconds)?;
        let p99_millis = offered.tally.quantile_micros(0.99) / 1e3;
        if !offered.is_taken || p99_millis >= HELD_P99_MILLIS {
            return Ok(held);
        }
        held = Some(rate);
        rate *= STEP;
    }
}

fn judge(rows: &[Row]) -> Vec<Figure> {
    let mut figures: Vec<Figure> = rows
        .iter()
        .map(|row| Figure {
            name: format!("{}, {} tenants: p99", row.operation.label(), row.tenants),
            found: Some(row.offered_p99_micros / 1e3),
            limit: Limit::AtMost(P99_MILLIS_MOST),
            unit: "ms",
        })
        .collect();
    let mut lists = rows.iter().filter(|row| row.operation == Operation::List);
    if let (Some(fewest), Some(most)) = (lists.next(), lists.next_back()) {
        figures.push(Figure {
            name: format!("list of 20: p50 with {} / {} tenants", most.tenants, fewest.tenants),
            found: Some(most.alone.p50_micros / fewest.alone.p50_micros),
            limit: Limit::AtMost(LIST_GROWTH_MOST),
            unit: "×",
        });
    }
    figures
}

fn print(found: &Found) {
    let Machine { cores, processor, disk_sync_micros, .. } = &found.machine;
    let sync = figure(*disk_sync_micros);
    println!("{cores} cores of {processor}, write and sync of 4 KiB {sync} µs\n");
    let offered = format!("p50 ms at {}/s", found.rate);
    let headings = [
        "operation",
        "tenants",
        &offered,
        "p99 ms",
        "worst round",
        "disk alone p99",
        "worst round",
        "alone p50 ms",
        "fastest/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
    ];
    let mut table = Table::new(&headings);
    for row in &found.rows {
        let Row { tenants, operation, offered_p99_micros, offered, disk, alone, fast } = row;
        let (middle, middle_disk) = (Measurement::median(offered), Measurement::median(disk));
        table.row(vec![
            operation.label().to_owned(),
            tenants.to_string(),
            figure(middle.p50_micros / 1e3),
            figure(offered_p99_micros / 1e3),
            figure(worst_p99_micros(offered) / 1e3),
            figure(middle_disk.p99_micros / 1e3),
            figure(worst_p99_micros(disk) / 1e3),
            figure(alone.p50_micros / 1e3),
            figure(fast.operations_per_second),
            figure(fast.p50_micros / 1e3),
            figure(fast.p99_micros / 1e3),
            figure(fast.cpu_micros_per_operation),
        ]);
    }
    println!("{table}");
    for Held { operation, rate } in &found.held {
        let rate = rate.map_or_else(|| "none".to_owned(), |rate| format!("{rate:.0}/s"));
        let label = operation.label();
        println!("{label}: highest rate held with p99 under {HELD_P99_MILLIS} ms: {rate}");
    }
    println!("\n{}", figures_table(&found.figures));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tenants: u32, operation: Operation, p99: f64, p50: f64) -> Row {
        let alone = Measurement { p50_micros: p50 * 1e3, ..Measurement::default() };
        Row {
            tenants,
            operation,
            offered_p99_micros: p99 * 1e3,
            offered: Vec::new(),
            disk: Vec::new(),
            alone,
            fast: Measurement::default(),
        }
    }

    #[test]
    fn slow_answers_and_growing_lists_are_missed() {
        let rows = [
            row(1_000, Operation::List, 5.0, 1.0),
            row(10_000, Operation::List, 5.0, 9.0),
            row(100_000, Operation::Create, 20.1, 1.0),
            row(100_000, Operation::List, 20.0, 1.6),
        ];
        let missed: Vec<_> =
            judge(&rows).into_iter().filter(|one| !one.met()).map(|one| one.name).collect();
        let growth = "list of 20: p50 with 100000 / 1000 tenants";
        assert_eq!(missed, ["create, 100000 tenants: p99", growth]);
    }
}
