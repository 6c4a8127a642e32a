//! `campaigns histories`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::ground::{Ground, Kind};
use super::{drive_append, drive_bank, drive_register};
use crate::common::{Common, Watchdog, silence_errors};
use crate::report::Report;
use crate::workload::create_tables;
use crate::{chance, progress};

/// Longer than any history should take.
const HISTORY_LIMIT: Duration = Duration::from_secs(180);

/// Concurrent histories, checked: single items are linearizable, transactions strictly serializable.
///
/// Each history has three parts, each on a database of its own: 16 clients with 500 conditional
/// writes and consistent reads each on 8 items; 16 clients that append to and read several lists in
/// transactions; a bank whose accounts must always sum up. A third of them run on disk, a third on a
/// storage that fails midway.
#[derive(Args, Debug)]
pub struct HistoriesArguments {
    /// How many histories.
    #[arg(value_name = "HISTORIES", default_value_t = 20)]
    histories: u64,
    /// Shows what the database says when it stops.
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Default)]
struct Totals {
    register: drive_register::Figures,
    appends: [u64; 3],
    bank: [u64; 2],
}

/// Runs the histories.
pub fn run(arguments: &HistoriesArguments) -> std::io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("histories {}", arguments.histories), seed);
    if !arguments.verbose {
        silence_errors()?;
    }
    let workplace = arguments.common.workplace(&std::env::temp_dir())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build()?;
    let bar = progress::bar(arguments.histories, "histories");
    let mut totals = Totals::default();
    for number in 0..arguments.histories {
        let kind = [Kind::Memory, Kind::Disk, Kind::Failing][(number % 3) as usize];
        let watchdog = Watchdog::start(HISTORY_LIMIT, format!("history {number} of seed {seed}"));
        let folder = workplace.path().join(format!("history-{number}"));
        let part_seed = chance::part(seed, "history", number);
        let found = runtime.block_on(history(kind, &folder, part_seed, &mut totals));
        drop(watchdog);
        if kind == Kind::Disk {
            std::fs::remove_dir_all(&folder)?;
        }
        for finding in found {
            report.finding(format!("history {number} ({kind:?}): {finding}"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.row("histories", arguments.histories);
    report.row("calls on single items", totals.register.answered);
    let (held, failed) = totals.register.conditions;
    report.row("  conditions true / false", format!("{held} / {failed}"));
    report.row("  of unknown outcome", totals.register.unknown);
    let [done, refused, unknown] = totals.appends;
    report.row("list transactions", done);
    report.row("  refused / unknown", format!("{refused} / {unknown}"));
    report.row("bank transfers / reads", format!("{} / {}", totals.bank[0], totals.bank[1]));
    Ok(report.finish(arguments.common.json.as_deref()))
}

async fn history(kind: Kind, folder: &Path, seed: u64, totals: &mut Totals) -> Vec<String> {
    let mut findings = Vec::new();
    let mut keep = |found: Result<Vec<String>, String>| match found {
        Ok(found) => findings.extend(found),
        Err(error) => findings.push(error),
    };
    for (number, part) in ["register", "append", "bank"].into_iter().enumerate() {
        let mut random = chance::random(seed, part, 0);
        let ground = Arc::new(Ground::new(kind, folder.join(part)));
        let database = match ground.open(&mut random) {
            Ok(database) => database,
            Err(error) => {
                keep(Err(error.to_string()));
                continue;
            }
        };
        if let Err(error) = create_tables(&database).await {
            keep(Err(error.to_string()));
            continue;
        }
        ground.plant_failure(&mut random);
        match number {
            0 => {
                keep(drive_register::run(&ground, seed, database).await.map(|(figures, found)| {
                    totals.register.answered += figures.answered;
                    totals.register.unknown += figures.unknown;
                    totals.register.conditions.0 += figures.conditions.0;
                    totals.register.conditions.1 += figures.conditions.1;
                    found
                }))
            }
            1 => keep(drive_append::run(&ground, seed, database).await.map(|(counts, found)| {
                totals.appends.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
                found
            })),
            _ => keep(drive_bank::run(&ground, seed, database).await.map(|(counts, found)| {
                totals.bank.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
                found
            })),
        }
    }
    findings
}
