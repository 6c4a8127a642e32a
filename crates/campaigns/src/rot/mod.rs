//! Bit rot: something in a closed database's files changes, and nobody may be told something wrong.

mod damage;
mod probe;

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use damage::Damage;
use database::clock::{Clock as _, SystemClock};
use database::{Database, Options};
use probe::{Part, Probe};
pub use probe::{ProbeArguments, run as run_probe};

use crate::common::{Common, fast_folder};
use crate::ledger::Ledger;
use crate::power::{Image, read_image, write_image};
use crate::report::Report;
use crate::workload::{Plan, Writers, create_tables};
use crate::{chance, progress};

/// Longer than opening and reading the database should take.
const PROBE_LIMIT: Duration = Duration::from_secs(60);

/// Longer than an engine takes to come to rest.
const REST_LIMIT: Duration = Duration::from_secs(30);

/// How many different items each table may hold.
const ITEMS_PER_TABLE: u32 = 100;

/// Flips bits, bytes and sectors in each kind of file: what is damaged is noticed or does no harm.
///
/// A database is filled, and copied both closed and as a crash would leave it. Each run damages one
/// place in one file of a copy, opens it in a process of its own and reads everything.
#[derive(Args, Debug)]
pub struct RotArguments {
    /// How many places to damage.
    #[arg(value_name = "RUNS", default_value_t = 50)]
    runs: u64,
    #[command(flatten)]
    common: Common,
}

/// What came of a damage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    DetectedAtOpen,
    DetectedAtRead,
    Harmless,
    WrongAnswer(String),
    SilentlyShorter(String),
    /// The process ended without a word that a caller could use.
    Crashed(String),
    Hung,
}

impl Class {
    fn name(&self) -> &'static str {
        match self {
            Class::DetectedAtOpen => "detected at open",
            Class::DetectedAtRead => "detected at read",
            Class::Harmless => "harmless",
            Class::WrongAnswer(_) => "WRONG ANSWER",
            Class::SilentlyShorter(_) => "SILENTLY SHORTER",
            Class::Crashed(_) => "CRASHED",
            Class::Hung => "HUNG",
        }
    }

    fn is_finding(&self) -> bool {
        !matches!(self, Class::DetectedAtOpen | Class::DetectedAtRead | Class::Harmless)
    }
}

/// Runs the damages.
pub fn run(arguments: &RotArguments) -> io::Result<ExitCode> {
    let seed = arguments.common.seed();
    let mut report = Report::start(format!("rot {}", arguments.runs), seed);
    let mut workplace = arguments.common.workplace(&fast_folder())?;
    let bases = prepare(seed, workplace.path())?;
    let bar = progress::bar(arguments.runs, "damages");
    let mut table: BTreeMap<(String, &'static str), u64> = BTreeMap::new();
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for number in 0..arguments.runs {
        let mut random = chance::random(seed, "rot", number);
        let (base, truth) = &bases[(number % bases.len() as u64) as usize];
        let damage = Damage::draw(base, &mut random);
        let mut image = base.clone();
        damage.apply(&mut image, &mut random);
        let folder = workplace.path().join(format!("rot-{number}"));
        write_image(&image, &folder)?;
        let class = classify(truth, &folder)?;
        *table.entry((damage.kind.clone(), class.name())).or_default() += 1;
        *counts.entry(class.name()).or_default() += 1;
        if class.is_finding() {
            workplace.keep();
            // What was opened has changed by then; the damaged image is put back.
            std::fs::remove_dir_all(&folder)?;
            write_image(&image, &folder)?;
            report.finding(format!("damage {number}, {damage}: {class:?}, {}", folder.display()));
        } else {
            std::fs::remove_dir_all(&folder)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.row("damages", arguments.runs);
    for (name, count) in counts {
        report.row(&format!("  {name}"), count);
    }
    for ((kind, class), count) in table {
        report.row(&format!("{kind}: {class}"), count);
    }
    Ok(report.finish(arguments.common.json.as_deref()))
}

/// Fills a database; gives it as closed and as crashed, each with what it holds.
fn prepare(seed: u64, folder: &Path) -> io::Result<Vec<(Image, Probe)>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let data = folder.join("base");
    let plan = Plan {
        seed,
        items_per_table: ITEMS_PER_TABLE,
        actions_max: 12,
        // Nothing expires: what is there now is there later.
        expiry_seconds: SystemClock.now_millis() / 1_000 + 1_000_000,
    };
    let mut crashed = Image::new();
    let mut random = chance::random(seed, "rot base", 0);
    // Opened several times with small tables, so that there are files of every kind.
    for run in 0..3 {
        let mut options = Options::folder(&data);
        options.background_work = false;
        options.engine = chance::engine_options(&mut random);
        options.engine.memtable_bytes = 64 << 10;
        let database = Database::open(options).map_err(io::Error::other)?;
        let ledger = Arc::new(Ledger::open(&folder.join("ledger"))?);
        runtime.block_on(async {
            create_tables(&database).await.map_err(io::Error::other)?;
            let writers = Writers { run, first: 0, count: 8, operations: Some(700) };
            writers.run(&database, plan, ledger).await
        })?;
        crashed = image_at_rest(&data)?;
        database.close();
    }
    let closed = read_image(&data)?;
    let mut bases = Vec::new();
    for (name, image) in [("closed", closed), ("crashed", crashed)] {
        let folder = folder.join(name);
        write_image(&image, &folder)?;
        let truth = probe(&folder)?.map_err(|class| {
            io::Error::other(format!("the undamaged database ({name}) does not pass: {class:?}"))
        })?;
        std::fs::remove_dir_all(&folder)?;
        bases.push((image, truth));
    }
    Ok(bases)
}

/// What a crash would leave of a database that nobody writes to any more, once its engine has ended
/// what it does by itself: files that are merged while they are read are not what a crash leaves.
fn image_at_rest(data: &Path) -> io::Result<Image> {
    let deadline = Instant::now() + REST_LIMIT;
    let mut before = None;
    loop {
        let now = match read_image(data) {
            Ok(image) => Some(image),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match now {
            Some(image) if before.as_ref() == Some(&image) => return Ok(image),
            _ if Instant::now() > deadline => {
                return Err(io::Error::other(format!(
                    "the files still change after {REST_LIMIT:?}"
                )));
            }
            _ => before = now,
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Reads everything in a process of its own.
fn probe(folder: &Path) -> io::Result<Result<Probe, Class>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args([Path::new("probe"), Path::new("--data"), folder])
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let deadline = Instant::now() + PROBE_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(Err(Class::Hung));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (mut text, mut errors) = (String::new(), String::new());
    // Both are short, so the pipes hold all of it.
    child.stdout.take().map(|mut out| out.read_to_string(&mut text)).transpose()?;
    child.stderr.take().map(|mut out| out.read_to_string(&mut errors)).transpose()?;
    if !status.success() {
        return Ok(Err(Class::Crashed(format!("{status}: {errors}"))));
    }
    // A thread that panicked has said so, though the process went on.
    if errors.contains("panicked at") {
        return Ok(Err(Class::Crashed(errors)));
    }
    Ok(serde_json::from_str(&text).map_err(|_| Class::Crashed(errors)))
}

fn classify(truth: &Probe, folder: &Path) -> io::Result<Class> {
    let found = match probe(folder)? {
        Ok(found) => found,
        Err(class) => return Ok(class),
    };
    if found.refused.is_some() {
        return Ok(Class::DetectedAtOpen);
    }
    let mut noticed = false;
    for (name, expected) in &truth.parts {
        match (found.parts.get(name), expected) {
            (Some(part), expected) if part == expected => {}
            (Some(Part::Failed(_)), _) => noticed = true,
            (Some(Part::Read { count, .. }), Part::Read { count: expected, .. })
                if count < expected =>
            {
                let what = format!("{name}: {count} instead of {expected}");
                return Ok(Class::SilentlyShorter(what));
            }
            _ => return Ok(Class::WrongAnswer(name.clone())),
        }
    }
    Ok(if noticed { Class::DetectedAtRead } else { Class::Harmless })
}
