//! What every subcommand takes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use database::Durability;

use crate::chance;

/// Arguments of every subcommand.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Repeats the run with this seed. Printed at the start of every run.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Also writes the result to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Where to put databases while they are tested [default: the folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

impl Common {
    /// The seed to use.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(chance::new_seed)
    }

    /// A new folder that is removed at the end unless [`Workplace::keep`] is called.
    pub fn workplace(&self, default: &Path) -> std::io::Result<Workplace> {
        let parent = self.folder.as_deref().unwrap_or(default);
        std::fs::create_dir_all(parent)?;
        let folder = tempfile::Builder::new().prefix("campaigns-").tempdir_in(parent)?;
        Ok(Workplace { folder })
    }
}

/// A folder for one run.
#[derive(Debug)]
pub struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves the folder there, for somebody to look into.
    pub fn keep(&mut self) {
        self.folder.disable_cleanup(true);
    }
}

/// Memory, where there is a file system in it: fast, and safe for what is thrown away anyway.
pub fn fast_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

/// [`Durability`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DurabilityArgument {
    /// Acknowledge after the sync.
    Durable,
    /// Acknowledge before it.
    Relaxed,
}

impl From<DurabilityArgument> for Durability {
    fn from(argument: DurabilityArgument) -> Self {
        match argument {
            DurabilityArgument::Durable => Durability::Durable,
            DurabilityArgument::Relaxed => Durability::Relaxed,
        }
    }
}

/// Drops what is written to the standard error output: a database that is made to stop says so there,
/// and here it is made to stop thousands of times. Findings go to the standard output.
pub fn silence_errors() -> std::io::Result<()> {
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    std::panic::set_hook(Box::new(|panic| println!("{panic}")));
    Ok(())
}

/// Ends the process if it takes too long: something hangs, and that is a finding.
#[derive(Debug)]
pub struct Watchdog {
    stopped: std::sync::mpsc::Sender<()>,
}

impl Watchdog {
    /// Watches until it is dropped.
    pub fn start(limit: Duration, doing: String) -> Watchdog {
        let (stopped, waiting) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let timed_out = std::sync::mpsc::RecvTimeoutError::Timeout;
            if waiting.recv_timeout(limit) == Err(timed_out) {
                println!("FINDING: {doing} hangs: nothing for {} s", limit.as_secs());
                std::process::exit(3);
            }
        });
        Watchdog { stopped }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // The thread may have ended already.
        let _ = self.stopped.send(());
    }
}

/// The middle, the 99th percentile and the largest of some times, in words.
pub fn times(mut samples: Vec<Duration>) -> String {
    samples.sort_unstable();
    let at = |percent: usize| {
        let place = (samples.len() * percent).div_ceil(100).saturating_sub(1);
        samples.get(place).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    format!("median {:.0} ms, p99 {:.0} ms, largest {:.0} ms", at(50), at(99), at(100))
}
