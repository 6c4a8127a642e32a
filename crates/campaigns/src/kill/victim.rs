//! Starts the child and sees to its end.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::ChildArguments;

const SIGKILL: i32 = 9;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The parent killed it.
    Killed,
    /// It reached the point it was to end at.
    AtPoint,
    /// Otherwise, which it should not.
    Other(ExitStatus),
}

/// Starts the child, and kills it after this time unless it has ended before.
pub(crate) fn run(
    arguments: &ChildArguments,
    environment: &[(String, String)],
    errors: &Path,
    time: Duration,
) -> io::Result<End> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(arguments.command_line())
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(errors)?)
        .spawn()?;
    let deadline = Instant::now() + time;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            let killed = status.signal() == Some(SIGKILL);
            return Ok(if killed { End::AtPoint } else { End::Other(status) });
        }
        let left = deadline.saturating_duration_since(Instant::now());
        std::thread::sleep(left.min(Duration::from_millis(2)));
    }
    child.kill()?;
    child.wait()?;
    Ok(End::Killed)
}
