//! Starting and stopping the servers that are compared.

use std::io::BufReader;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use serde::Serialize;

use super::drive::Workload;
use super::signer::Signer;
use crate::measure::{cpu_of, resident_bytes_of};

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What is measured.
    Plinth,
    /// dynoxide on disk.
    Dynoxide,
    /// dynalite on disk.
    Dynalite,
    /// hyper, answering the same bytes to everything.
    Bare,
}

impl Kind {
    /// In the order in which they are measured.
    pub const ALL: [Kind; 4] = [Kind::Plinth, Kind::Dynoxide, Kind::Dynalite, Kind::Bare];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Plinth => "plinth",
            Kind::Dynoxide => "dynoxide",
            Kind::Dynalite => "dynalite",
            Kind::Bare => "bare hyper",
        }
    }

    /// Whether there is a database behind it.
    pub fn holds_items(self) -> bool {
        self != Kind::Bare
    }

    /// Whether it knows the operation: dynalite has no transactions, and the bare server stands for
    /// the least that a GetItem can take.
    pub fn offers(self, workload: Workload) -> bool {
        match self {
            Kind::Plinth | Kind::Dynoxide => true,
            Kind::Dynalite => workload != Workload::TransactWriteItems,
            Kind::Bare => workload == Workload::GetItem,
        }
    }
}

/// A server that runs.
pub struct Server {
    pub kind: Kind,
    pub port: u16,
    pub signer: Signer,
    process: Process,
}

/// A process that ends with its owner.
pub struct Process(Child);

impl Process {
    /// Starts a program.
    pub fn spawn(command: &mut Command) -> anyhow::Result<Process> {
        let spawned = command.stdin(Stdio::null()).spawn().with_context(|| {
            let program = command.get_program();
            format!("cannot run {program:?}; `cargo build --release -p plinth` makes it")
        });
        spawned.map(Process)
    }

    /// The memory that it holds now.
    pub fn resident_bytes(&self) -> anyhow::Result<u64> {
        resident_bytes_of(self.0.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Starts it with its data in a folder; none if it cannot be had on this machine.
    pub async fn start(kind: Kind, folder: &Path, plinth: &Path) -> anyhow::Result<Option<Server>> {
        let port = free_port()?;
        let this = std::env::current_exe()?;
        let mut command = match kind {
            Kind::Plinth => {
                let mut command = Command::new(plinth);
                command.arg("serve").arg("--data").arg(folder.join("plinth"));
                command.args(["--listen", &format!("127.0.0.1:{port}"), "--log", "warn"]);
                command.args(["--services-listen", "off"]);
                command.stdout(Stdio::piped());
                command
            }
            Kind::Dynoxide => {
                let mut command = Command::new(this);
                command.args(["peer", "--port", &port.to_string(), "--dynoxide"]);
                command.arg(folder.join("dynoxide.db")).stdout(Stdio::null());
                command
            }
            Kind::Dynalite => {
                let Some(program) = install_dynalite()? else { return Ok(None) };
                let mut command = Command::new(program);
                command.args(["--port", &port.to_string(), "--createTableMs", "0", "--path"]);
                command.arg(folder.join("dynalite")).stdout(Stdio::null());
                command
            }
            Kind::Bare => {
                let mut command = Command::new(this);
                command.args(["peer", "--port", &port.to_string()]).stdout(Stdio::null());
                command
            }
        };
        let mut process = Process::spawn(&mut command)?;
        let signer = match process.0.stdout.take() {
            Some(output) => read_key(BufReader::new(output))?,
            None => Signer::new("AKIAEXAMPLE".to_owned(), "secret".to_owned()),
        };
        let server = Server { kind, port, signer, process };
        server.wait().await?;
        Ok(Some(server))
    }

    async fn wait(&self) -> anyhow::Result<()> {
        let started = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            if started.elapsed() > Duration::from_secs(20) {
                bail!("nobody answers on port {}", self.port);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Where it listens.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Processor time that it has used so far, user and system.
    pub fn cpu(&self) -> anyhow::Result<Duration> {
        cpu_of(self.id())
    }

    /// The memory that it holds now.
    pub fn resident_bytes(&self) -> anyhow::Result<u64> {
        self.process.resident_bytes()
    }
}

/// A port that nobody has.
pub fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The access key that Plinth prints at its first start.
fn read_key(output: impl std::io::BufRead) -> anyhow::Result<Signer> {
    let mut id = None;
    for line in output.lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("access"), Some("key"), Some(key)) => id = Some(key.to_owned()),
            (Some("secret"), Some(secret), None) => {
                let id = id.context("a secret without its key")?;
                return Ok(Signer::new(id, secret.to_owned()));
            }
            _ => {}
        }
    }
    bail!("plinth printed no access key")
}

/// dynalite, from npm, into `target`.
fn install_dynalite() -> anyhow::Result<Option<PathBuf>> {
    let folder = Path::new("target/bench-node");
    let program = folder.join("node_modules/.bin/dynalite");
    if !program.exists() {
        std::fs::create_dir_all(folder)?;
        let npm = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"])
            .arg(folder)
            .arg("dynalite")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !npm.is_ok_and(|status| status.success()) {
            return Ok(None);
        }
    }
    Ok(Some(std::fs::canonicalize(program)?))
}
