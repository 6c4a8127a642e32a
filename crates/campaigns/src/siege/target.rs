//! The server under attack.

use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// A server on loopback, with its data in a folder that disappears.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    child: Child,
    _folder: tempfile::TempDir,
}

impl Target {
    pub(super) async fn start() -> io::Result<Target> {
        let program = std::env::current_exe()?.with_file_name("plinth");
        let folder = tempfile::tempdir()?;
        let mut child = Command::new(&program)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--services-listen",
                "off",
                "--insecure-any-signature",
                "--log",
                "error",
            ])
            .arg("--data")
            .arg(folder.path().join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                io::Error::other(format!(
                    "`{}` does not start ({error}): `cargo build --release -p plinth` makes it",
                    program.display()
                ))
            })?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let mut lines = BufReader::new(output).lines();
        let address = loop {
            let line = lines.next().ok_or_else(|| io::Error::other("the server ended"))??;
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.trim().parse().map_err(io::Error::other)?;
            }
        };
        Ok(Target { address, child, _folder: folder })
    }

    /// The memory that the server holds now.
    pub(super) fn resident_bytes(&self) -> io::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.map(|kilobytes| kilobytes << 10).ok_or_else(|| io::Error::other("no VmRSS"))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
