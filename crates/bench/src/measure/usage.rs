//! What this process has used so far, from the kernel's books.

use std::time::Duration;

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};

/// What was used up to a moment, or between two.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time of all threads, user and system.
    pub cpu: Duration,
    /// Bytes that were sent towards the disk.
    pub written_bytes: u64,
}

impl Usage {
    /// Up to now.
    pub fn now() -> anyhow::Result<Usage> {
        let cpu = time_of(ClockId::ProcessCPUTime);
        Ok(Usage { cpu, written_bytes: number_in("/proc/self/io", "write_bytes:")? })
    }

    /// What was used since an earlier moment.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            written_bytes: self.written_bytes.saturating_sub(earlier.written_bytes),
        }
    }
}

/// What a clock shows.
pub(super) fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The memory that this process holds now.
pub fn resident_bytes() -> anyhow::Result<u64> {
    resident_bytes_of(std::process::id())
}

/// The memory that a process holds now.
pub fn resident_bytes_of(process: u32) -> anyhow::Result<u64> {
    Ok(number_in(&format!("/proc/{process}/status"), "VmRSS:")? * 1024)
}

/// The most memory that the process has held.
pub fn peak_resident_bytes() -> anyhow::Result<u64> {
    Ok(number_in("/proc/self/status", "VmHWM:")? * 1024)
}

/// The number after a label at the start of a line.
fn number_in(file: &str, label: &str) -> anyhow::Result<u64> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("`{file}` is not readable"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(label));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("`{file}` has no `{label}`"))
}
