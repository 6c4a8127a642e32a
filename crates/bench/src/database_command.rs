//! `bench database`: the library in this process, without HTTP.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::progress::Progress;
use crate::report::{self, Report};
use crate::scenarios::{self, Medium, Setting};
use crate::workload::Operation;

/// What the user can choose.
#[derive(Clone, Debug, clap::Args)]
pub struct DatabaseArguments {
    /// Items in each table
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(2000..))]
    items: u64,
    /// Items in each table of the large database, to see what more items cost
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(2000..))]
    large_items: u64,
    /// Seconds of one round
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Write everything that was found to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if a promised figure is missed
    #[arg(long)]
    check: bool,
    /// A smoke test: few items, short rounds, no large database
    #[arg(long)]
    quick: bool,
    /// Measure only this operation; may be given several times
    #[arg(long, value_name = "OPERATION")]
    only: Vec<Operation>,
    /// Make the databases in this folder instead of `target`; they are removed afterwards
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Another seed makes other items
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const ROUNDS: usize = 3;
const QUICK_ITEMS: u64 = 4000;
const QUICK_SECONDS: f64 = 0.3;

/// Measures, prints and, if asked, checks. Gives whether the check passed.
pub fn run(arguments: &DatabaseArguments) -> anyhow::Result<bool> {
    let parent = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("target"));
    std::fs::create_dir_all(&parent)
        .with_context(|| format!("`{}` cannot be made", parent.display()))?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(&parent)?;
    let setting = arguments.setting(folder.path());
    let large_items = (!arguments.quick).then_some(arguments.large_items);
    let mut report = Report::new(&setting, large_items)?;
    measure(&setting, arguments.quick, &mut report)?;
    report.judge();
    report::print(&report);
    if let Some(path) = &arguments.json {
        report.write_json(path)?;
    }
    if !arguments.check {
        return Ok(true);
    }
    let missed: Vec<_> = report.missed().collect();
    for figure in &missed {
        match figure.found {
            Some(found) => eprintln!("missed: {} is {found:.2} {}", figure.name, figure.unit),
            None => eprintln!("missed: {} was not measured", figure.name),
        }
    }
    Ok(missed.is_empty())
}

fn measure(setting: &Setting, quick: bool, report: &mut Report) -> anyhow::Result<()> {
    report.comparison = scenarios::compare(setting, Medium::Disk)?;
    report.comparison.extend(scenarios::compare(setting, Medium::Memory)?);
    let largest = if quick {
        setting.items
    } else {
        report.growth = scenarios::grow(setting)?;
        setting.large_items
    };
    let (gets, queries, expired) =
        if quick { (2000, 400, 2000) } else { (100_000, 20_000, 50_000) };
    let endurance = scenarios::endure(setting, largest, gets, queries);
    report.endurance = report.keep("memory and opening", endurance);
    report.expiry = report.keep("expiry", scenarios::sweep(setting, expired));
    Ok(())
}

impl DatabaseArguments {
    fn setting(&self, folder: &Path) -> Setting {
        let operations =
            if self.only.is_empty() { Operation::ALL.to_vec() } else { self.only.clone() };
        Setting {
            folder: folder.to_owned(),
            items: if self.quick { QUICK_ITEMS } else { self.items },
            large_items: self.large_items,
            seconds: if self.quick { QUICK_SECONDS } else { self.seconds },
            rounds: ROUNDS,
            operations,
            seed: self.seed,
            progress: Progress::new(),
        }
    }
}
