//! The tables of a run, for people.

use std::fmt;

use super::figures::{Figure, Limit};
use super::table::{Table, figure};
use super::{Machine, Report};
use crate::engines::EngineName;
use crate::measure::Measurement;
use crate::scenarios::Medium;

/// Prints everything that was found.
pub fn print(report: &Report) {
    print!("{}", Printed(report));
}

struct Printed<'a>(&'a Report);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Printed(report) = self;
        write_header(f, report)?;
        for medium in [Medium::Disk, Medium::Memory] {
            if let Some(table) = comparison_table(report, medium) {
                let title = match medium {
                    Medium::Disk => "On disk, each answer after a sync",
                    Medium::Memory => "In memory",
                };
                write!(f, "\n{title}, {} items in each table\n\n{table}", report.run.items)?;
            }
        }
        if let Some(large) = report.run.large_items.filter(|_| !report.growth.is_empty()) {
            let small = report.run.items;
            write!(f, "\nPlinth with {small} and with {large} items in each table\n\n")?;
            write!(f, "{}", growth_table(report))?;
        }
        write_rest(f, report)?;
        write!(f, "\nPromised figures\n\n{}", figures_table(&report.figures))
    }
}

fn write_header(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let Machine { cores, processor, kernel, disk_sync_micros, .. } = &report.machine;
    let Machine { plinth, fjall, dynoxide, rusqlite, .. } = &report.machine;
    writeln!(f, "plinth {plinth} (fjall {fjall}), dynoxide {dynoxide} (rusqlite {rusqlite})")?;
    writeln!(
        f,
        "{cores} cores of {processor}, Linux {kernel}, write and sync of 4 KiB {} µs",
        figure(*disk_sync_micros)
    )?;
    writeln!(
        f,
        "median of {} rounds of {} s, seed {}",
        report.run.rounds, report.run.seconds, report.run.seed
    )
}

fn comparison_table(report: &Report, medium: Medium) -> Option<Table> {
    let mut compared = report.comparison.iter().filter(|of| of.medium == medium).peekable();
    compared.peek()?;
    let mut table = Table::new(&[
        "operation",
        "engine",
        "ops/s",
        "ratio",
        "p50 µs",
        "p99 µs",
        "CPU µs/op",
        "written B/op",
        "memory MB",
    ]);
    for compared in compared {
        let ratio = format!("{}×", figure(compared.ratio));
        let label = compared.operation.label();
        table.row(measured_row(label, EngineName::Plinth, &ratio, &compared.plinth));
        table.row(measured_row("", EngineName::Dynoxide, "", &compared.dynoxide));
    }
    Some(table)
}

fn measured_row(label: &str, engine: EngineName, ratio: &str, of: &Measurement) -> Vec<String> {
    vec![
        label.to_owned(),
        engine.label().to_owned(),
        figure(of.operations_per_second),
        ratio.to_owned(),
        figure(of.p50_micros),
        figure(of.p99_micros),
        figure(of.cpu_micros_per_operation),
        figure(of.written_bytes_per_operation),
        figure(of.resident_bytes / 1e6),
    ]
}

fn growth_table(report: &Report) -> Table {
    let mut table = Table::new(&[
        "operation",
        "CPU µs/op",
        "larger",
        "ratio",
        "p50 µs",
        "larger",
        "ratio",
        "ops/s",
        "larger",
    ]);
    for grown in &report.growth {
        table.row(vec![
            grown.operation.label().to_owned(),
            figure(grown.small.cpu_micros_per_operation),
            figure(grown.large.cpu_micros_per_operation),
            format!("{}×", figure(grown.cpu_ratio)),
            figure(grown.small.p50_micros),
            figure(grown.large.p50_micros),
            format!("{}×", figure(grown.p50_ratio)),
            figure(grown.small.operations_per_second),
            figure(grown.large.operations_per_second),
        ]);
    }
    table
}

fn write_rest(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    if let Some(found) = &report.endurance {
        writeln!(
            f,
            "\n{} items in each table, {} gets and {} queries in a fresh process: {} MB resident, {} \
             MB at most",
            found.items,
            found.gets,
            found.queries,
            figure(found.resident_bytes as f64 / 1e6),
            figure(found.peak_resident_bytes as f64 / 1e6)
        )?;
        writeln!(
            f,
            "Opening takes {} ms after a clean stop, {} ms after a kill in full writing",
            figure(found.open_clean_millis),
            figure(found.open_killed_millis)
        )?;
    }
    if let Some(found) = &report.expiry {
        writeln!(
            f,
            "{} expired items were swept in {} s: {} a second",
            found.items,
            figure(found.seconds),
            figure(found.items_per_second)
        )?;
    }
    for failure in &report.failures {
        writeln!(f, "Not measured: {failure}")?;
    }
    Ok(())
}

/// The promised figures, and what was found.
pub fn figures_table(figures: &[Figure]) -> Table {
    let mut table = Table::new(&["figure", "found", "promised", ""]);
    for promised in figures {
        let unit = promised.unit;
        let gap = if unit == "×" || unit == "/s" { "" } else { " " };
        let (sign, limit) = match promised.limit {
            Limit::AtLeast(least) => ("≥", least),
            Limit::AtMost(most) => ("≤", most),
        };
        table.row(vec![
            promised.name.clone(),
            promised
                .found
                .map_or_else(|| "?".to_owned(), |found| format!("{}{gap}{unit}", figure(found))),
            format!("{sign} {}{gap}{unit}", figure(limit)),
            if promised.met() { "met" } else { "MISSED" }.to_owned(),
        ]);
    }
    table
}
