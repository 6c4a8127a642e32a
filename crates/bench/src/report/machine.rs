//! Where a run was made: figures mean little without it.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use database::clock::{Clock as _, SystemClock};
use serde::Serialize;

use crate::measure::median;

/// The machine and the versions.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Milliseconds since 1970.
    pub started_at_millis: u64,
    /// Processors that this process may use.
    pub cores: usize,
    /// What they are.
    pub processor: String,
    /// All of its memory.
    pub memory_megabytes: u64,
    /// The kernel.
    pub kernel: String,
    /// The median time to write and sync 4 KiB at the end of a file in the folder of the run.
    pub disk_sync_micros: f64,
    /// This database.
    pub plinth: String,
    /// Its storage engine.
    pub fjall: String,
    /// The other database.
    pub dynoxide: String,
    /// Its storage engine.
    pub rusqlite: String,
}

impl Machine {
    /// The machine that this runs on.
    pub fn here(folder: &Path) -> anyhow::Result<Machine> {
        let memory = line_of("/proc/meminfo", "MemTotal:");
        let kilobytes: u64 =
            memory.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
        let processor = line_of("/proc/cpuinfo", "model name");
        Ok(Machine {
            started_at_millis: SystemClock.now_millis(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            processor: processor.trim_start_matches([' ', '\t', ':']).to_owned(),
            memory_megabytes: kilobytes / 1024,
            kernel: line_of("/proc/sys/kernel/osrelease", ""),
            disk_sync_micros: disk_sync_micros(folder)?,
            plinth: env!("CARGO_PKG_VERSION").to_owned(),
            fjall: locked_version("fjall"),
            dynoxide: locked_version("dynoxide-rs"),
            rusqlite: locked_version("rusqlite"),
        })
    }
}

/// The rest of the first line with this start; nothing if there is none.
fn line_of(file: &str, start: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let rest = text.lines().find_map(|line| line.strip_prefix(start));
    rest.unwrap_or_default().trim().to_owned()
}

/// The version of a package that this program was built with.
fn locked_version(package: &str) -> String {
    let lock = include_str!("../../../../Cargo.lock");
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or_default().trim_matches('"').to_owned()
}

fn disk_sync_micros(folder: &Path) -> anyhow::Result<f64> {
    const SYNCS: usize = 200;
    let path = folder.join("sync-probe");
    let probe = || -> std::io::Result<Vec<f64>> {
        let mut file = File::create(&path)?;
        let mut micros = Vec::with_capacity(SYNCS);
        for _ in 0..SYNCS {
            let start = Instant::now();
            file.write_all(&[0x5A; 4096])?;
            file.sync_data()?;
            micros.push(start.elapsed().as_secs_f64() * 1e6);
        }
        std::fs::remove_file(&path)?;
        Ok(micros)
    };
    let micros = probe().with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(median(micros.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        assert_eq!(locked_version("dynoxide-rs"), "3.2.0");
        assert_eq!(locked_version("no-such-package"), "");
    }
}
