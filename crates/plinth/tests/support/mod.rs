//! The binary under test: run to its end, or as a server on free ports.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs a command to its end: whether it succeeded, and what it printed.
pub fn plinth(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_plinth")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// A server on free ports, and the lines of its greeting.
pub fn start(data: &Path, more: &[&str]) -> (Child, Vec<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.starts_with("curl"))
        .collect();
    (child, lines)
}

/// Stops a server in an orderly way.
pub fn stop(mut child: Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success(), "an orderly end is a success");
}

/// Where the services are, as a greeting says.
pub fn services(greeting: &[String]) -> &str {
    let line = greeting.iter().find(|line| line.trim_start().starts_with("services ")).unwrap();
    line.trim_start().trim_start_matches("services").trim()
}
