//! The processes: a store, and services on it, the last one behind a gate.

use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::gate::Gate;

/// Seconds that a request may take in these processes; a claim holds for twice as long.
pub const REQUEST_SECONDS: u64 = 4;
/// How many requests the limit of the campaign admits.
pub const LIMIT: usize = 100;
/// The route that it covers.
pub const LIMITED: &str = "/ops/v1.0/keys";
/// The same in every process: tokens of one are good in all.
const PUBLIC_URL: &str = "http://plinth.test";
/// What is in the last line of a greeting.
const GREETED: &str = "--aws-sigv4";
const MASTER_KEY: &str = "dGhlIGtleSBvZiBhIGNhbXBhaWduLCAzMiBieXRlcyE=";

/// A process that serves.
pub struct Process {
    pub address: SocketAddr,
    child: Child,
    /// Name and password, from the process that made the first administrator.
    pub administrator: Option<(String, String)>,
}

impl Process {
    /// Kills it: no goodbye, nothing finished.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A store and its services.
pub struct Fleet {
    /// The services are ended before the store that they need.
    pub services: Vec<Process>,
    /// What the last service reaches the store through.
    pub gate: Gate,
    store: Process,
    program: PathBuf,
    folder: PathBuf,
    started: usize,
}

impl Fleet {
    /// Starts all: the first service makes the tables, the others find them.
    pub async fn start(program: &Path, folder: &Path, count: usize) -> io::Result<Fleet> {
        let policies = json!([{ "name": "campaign", "limit": LIMIT, "window_seconds": 3600,
            "by": "key", "routes": [format!("GET {LIMITED}")], "on_failure": "closed" }]);
        std::fs::write(folder.join("policies.json"), policies.to_string())?;
        let mut command = command(program, &folder.join("store"));
        command.args(["--services-listen", "off"]);
        let store = begin(command, program)?.ready("DynamoDB API", GREETED)?;
        let gate = Gate::start(store.address).await?;
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let mut fleet = Fleet { services: Vec::new(), gate, store, program, folder, started: 0 };
        let first = fleet.begin(fleet.store.address)?.ready("services", "/auth/login")?;
        fleet.services.push(first);
        let mut beginning = Vec::new();
        for number in 1..count {
            let is_last = number + 1 == count;
            let store = if is_last { fleet.gate.address } else { fleet.store.address };
            beginning.push(fleet.begin(store)?);
        }
        for process in beginning {
            fleet.services.push(process.ready("services", GREETED)?);
        }
        Ok(fleet)
    }

    /// The service behind the gate.
    pub fn victim(&self) -> usize {
        self.services.len() - 1
    }

    /// Puts a new process in the place of the one behind the gate.
    pub fn replace_victim(&mut self) -> io::Result<()> {
        let process = self.begin(self.gate.address)?.ready("services", GREETED)?;
        let place = self.victim();
        self.services[place] = process;
        Ok(())
    }

    /// Starts a service whose store is at this address.
    fn begin(&mut self, store: SocketAddr) -> io::Result<Beginning> {
        self.started += 1;
        let mut command = command(&self.program, &self.folder.join(self.started.to_string()));
        command
            .args(["--services-listen", "127.0.0.1:0", "--public-url", PUBLIC_URL])
            .args(["--store", "aws", "--store-region", "us-east-1"])
            .args(["--store-endpoint", &format!("http://{store}")])
            .args(["--request-seconds", &REQUEST_SECONDS.to_string()])
            .arg("--policies")
            .arg(self.folder.join("policies.json"))
            .env("PLINTH_MASTER_KEY", MASTER_KEY)
            .env("AWS_ACCESS_KEY_ID", "campaign")
            .env("AWS_SECRET_ACCESS_KEY", "campaign");
        begin(command, &self.program)
    }
}

fn command(program: &Path, data: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "127.0.0.1:0", "--insecure-any-signature"]);
    command.args(["--log", "error", "--durability", "relaxed", "--data"]).arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// A process that is starting. It is ended if nobody waits for it.
struct Beginning(Option<Child>);

impl Drop for Beginning {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn begin(mut command: Command, program: &Path) -> io::Result<Beginning> {
    command.spawn().map(Some).map(Beginning).map_err(|error| {
        io::Error::other(format!(
            "`{}` does not start ({error}): `cargo build --release -p plinth` makes it",
            program.display()
        ))
    })
}

impl Beginning {
    /// Waits for its greeting, which says where it serves and, in the first process, who administers.
    fn ready(mut self, label: &str, last_line: &str) -> io::Result<Process> {
        let output = self.0.as_mut().and_then(|child| child.stdout.take());
        let output = output.ok_or_else(|| io::Error::other("no output"))?;
        let (mut address, mut email, mut password) = (None, None, None);
        for line in BufReader::new(output).lines() {
            let line = line?;
            let value = |name: &str| Some(line.trim_start().strip_prefix(name)?.trim().to_owned());
            address = address.or_else(|| value(label));
            email = email.or_else(|| value("email "));
            password = password.or_else(|| value("password "));
            if line.contains(last_line) {
                break;
            }
        }
        let address = address.and_then(|url| url.strip_prefix("http://")?.parse().ok());
        let address = address.ok_or_else(|| io::Error::other("a process ended at its start"))?;
        let administrator = email.zip(password);
        let child = self.0.take().ok_or_else(|| io::Error::other("no process"))?;
        Ok(Process { address, child, administrator })
    }
}
