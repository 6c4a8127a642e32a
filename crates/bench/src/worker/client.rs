//! The other side: starts a worker, talks to it, ends it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context as _, bail};

use super::{Command, Reply, WorkerArguments};
use crate::measure::Measurement;
use crate::workload::Operation;

/// A running worker. Dropping it kills it.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// How long its database took to open.
    pub open_millis: f64,
}

impl Worker {
    /// Starts one and waits until its database is open.
    pub fn start(arguments: &WorkerArguments) -> anyhow::Result<Worker> {
        let program = std::env::current_exe().context("this program's own file is unknown")?;
        let mut command = std::process::Command::new(program);
        command.args(["worker", "--engine", arguments.engine.label()]);
        command.arg("--items").arg(arguments.items.to_string());
        command.arg("--seed").arg(arguments.seed.to_string());
        command.arg("--fresh").arg(arguments.fresh.to_string());
        if let Some(folder) = &arguments.folder {
            command.arg("--folder").arg(folder);
        }
        if arguments.relaxed {
            command.arg("--relaxed");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("a worker does not start")?;
        let input = child.stdin.take().context("a worker has no input")?;
        let output = child.stdout.take().context("a worker has no output")?;
        let output = BufReader::new(output);
        let mut worker = Worker { child, input, output, open_millis: 0.0 };
        match worker.reply()? {
            Reply::Ready { open_millis } => worker.open_millis = open_millis,
            other => bail!("a worker began with {other:?}"),
        }
        Ok(worker)
    }

    /// Makes the tables and fills them.
    pub fn load(&mut self, progress: impl Fn(u64)) -> anyhow::Result<()> {
        self.tell(Command::Load)?;
        loop {
            match self.reply()? {
                Reply::Progress(loaded) => progress(loaded),
                Reply::Loaded => return Ok(()),
                other => bail!("a worker answered {other:?} while loading"),
            }
        }
    }

    /// Measures an operation.
    pub fn measure(&mut self, operation: Operation, seconds: f64) -> anyhow::Result<Measurement> {
        self.tell(Command::Measure { operation, seconds })?;
        match self.reply()? {
            Reply::Measured(measurement) => Ok(measurement),
            other => bail!("a worker answered {other:?} instead of a measurement"),
        }
    }

    /// Reads; gives the memory afterwards, and the most at any time.
    pub fn read(&mut self, gets: u64, queries: u64) -> anyhow::Result<(u64, u64)> {
        self.tell(Command::Read { gets, queries })?;
        match self.reply()? {
            Reply::Read { resident_bytes, peak_resident_bytes } => {
                Ok((resident_bytes, peak_resident_bytes))
            }
            other => bail!("a worker answered {other:?} after reading"),
        }
    }

    /// Lets it write at full speed.
    pub fn write_until_killed(&mut self) -> anyhow::Result<()> {
        self.tell(Command::WriteUntilKilled)?;
        match self.reply()? {
            Reply::Writing => Ok(()),
            other => bail!("a worker answered {other:?} instead of writing"),
        }
    }

    /// Ends it as a crash would. Fails if it has ended by itself before.
    pub fn kill(mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("a worker ended by itself, with {status}");
        }
        self.child.kill().context("a worker cannot be killed")?;
        self.child.wait()?;
        Ok(())
    }

    /// Closes its database and waits for its end.
    pub fn close(mut self) -> anyhow::Result<()> {
        self.tell(Command::Close)?;
        match self.reply()? {
            Reply::Closed => {}
            other => bail!("a worker answered {other:?} instead of closing"),
        }
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "a worker ended with {status}");
        Ok(())
    }

    fn tell(&mut self, command: Command) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(&command)?;
        line.push(b'\n');
        self.input.write_all(&line).context("a worker has stopped listening")
    }

    fn reply(&mut self) -> anyhow::Result<Reply> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.is_empty() {
            let status = self.child.wait()?;
            bail!("a worker ended without an answer, with {status}");
        }
        match serde_json::from_str(&line).context("a worker does not speak the protocol")? {
            Reply::Failed(reason) => bail!("{reason}"),
            reply => Ok(reply),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
