//! `plinth token` and `plinth ops` against a real server: what is printed, what is refused, and how
//! commands end.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use support::{plinth, services, start, stop};

const FREE: [&str; 2] = ["--services-listen", "127.0.0.1:0"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A command of `plinth ops` on a data folder.
fn ops(data: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["ops", "--data"])
        .arg(data)
        .args(arguments)
        .output()
        .unwrap()
}

fn token(data: &Path, role: &str) -> (bool, String, String) {
    let data = data.to_str().unwrap();
    plinth(&["token", "--data", data, "--email", "script@example.com", "--role", role])
}

/// Issue 5, item 2: for someone who can read the data folder, whether the server runs or not.
#[test]
fn a_token_is_signed_by_the_running_server_and_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (is_fine, _, problem) = token(&data, "auditor");
    assert!(!is_fine && problem.contains("plinth serve"), "{problem}");
    let (child, greeting) = start(&data, &FREE);
    // A request waits for the services to be ready; the socket is there then.
    assert!(std::net::TcpStream::connect(services(&greeting).rsplit_once("//").unwrap().1).is_ok());
    let (is_fine, running, problem) = token(&data, "auditor");
    assert!(is_fine, "{problem}");
    assert_eq!(running.trim().split('.').count(), 3, "{running}");
    let socket = data.join("control.sock");
    let mode = std::fs::metadata(&socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (is_fine, _, problem) = token(&data, "king");
    assert!(!is_fine && problem.contains("platform-admin"), "{problem}");
    stop(child);
    assert!(!socket.exists());
    let (is_fine, alone, problem) = token(&data, "auditor");
    assert!(is_fine, "{problem}");
    // The same key signs: the folder's.
    let header = |token: &str| token.split('.').next().unwrap().to_owned();
    assert_eq!(header(&alone), header(&running));
}

/// A server that was killed leaves its socket behind: neither a command nor the next start minds.
#[test]
fn a_dead_socket_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("a-folder-with-a-long-name".repeat(5));
    let (mut child, _) = start(&long, &FREE);
    assert!(token(&long, "auditor").0, "an address that is too long for a socket is shortened");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(long.join("control.sock").exists());
    let (is_fine, _, problem) = token(&long, "auditor");
    assert!(is_fine, "{problem}");
    let (child, _) = start(&long, &FREE);
    assert!(token(&long, "auditor").0);
    stop(child);
}

#[test]
fn a_server_that_is_not_there_is_told_with_its_own_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = ["--url", "http://127.0.0.1:1", "--token", "x", "keys", "list"];
    let output = ops(folder.path(), &nowhere);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("plinth serve"));
    let readable = ["--url", "http://192.0.2.1", "--token", "x", "keys", "list"];
    let output = ops(folder.path(), &readable);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--allow-plain-http"), "{}", text(&output.stderr));
    let output = ops(&folder.path().join("none"), &["--url", "http://127.0.0.1:1", "keys", "list"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("PLINTH_API_KEY"));
}
