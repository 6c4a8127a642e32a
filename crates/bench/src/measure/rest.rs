//! Waiting until nobody works any more: what is left to merge or to collect after one operation would be
//! counted as the next one's, and taken from another process.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::Usage;

/// How long rest is waited for.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Waits until this process has next to nothing to do.
pub fn rest() -> anyhow::Result<()> {
    let used = || Usage::now().map(|usage| usage.cpu);
    until_quiet(used, Duration::from_millis(100), Duration::from_millis(3))
}

/// The same for others, whose time the kernel tells in hundredths of a second.
pub fn rest_of(processes: &[u32]) -> anyhow::Result<()> {
    let used = || processes.iter().map(|id| cpu_of(*id)).sum();
    until_quiet(used, Duration::from_millis(200), Duration::from_millis(11))
}

fn until_quiet(
    used: impl Fn() -> anyhow::Result<Duration>,
    window: Duration,
    busy_max: Duration,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut before = used()?;
    while start.elapsed() < WAIT_MAX {
        std::thread::sleep(window);
        let now = used()?;
        if now.saturating_sub(before) < busy_max {
            return Ok(());
        }
        before = now;
    }
    Ok(())
}

/// Processor time that a process has used so far, user and system.
pub fn cpu_of(process: u32) -> anyhow::Result<Duration> {
    let file = format!("/proc/{process}/stat");
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("`{file}` is not readable"))?;
    // The name, in parentheses, may hold anything.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}
