//! The command line around the server: what is refused, what is printed, how it ends.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

fn plinth(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_plinth")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_reference_of_settings_is_the_one_in_the_documentation() {
    let (is_fine, printed, _) = plinth(&["settings"]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    let kept = std::fs::read_to_string(path).unwrap();
    assert!(is_fine);
    assert_eq!(printed, kept, "write it anew: cargo run -- settings > docs/settings.md");
}

#[test]
fn nothing_is_opened_to_the_network_by_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let (is_fine, _, problem) = plinth(&["serve", "--data", data, "--listen", "0.0.0.0:0"]);
    assert!(!is_fine && problem.contains("--tls-certificate"), "{problem}");
    let any = ["serve", "--data", data, "--listen", "0.0.0.0:0", "--insecure-any-signature"];
    let (is_fine, _, problem) = plinth(&any);
    assert!(!is_fine && problem.contains("open the database to everyone"), "{problem}");
    assert!(!std::path::Path::new(data).exists(), "a refused start leaves nothing behind");
}

#[test]
fn a_setting_that_does_not_exist_is_named_with_those_that_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plinth.toml");
    std::fs::write(&file, "listne = \"127.0.0.1:0\"\n").unwrap();
    let (is_fine, _, problem) = plinth(&["serve", "--config", file.to_str().unwrap()]);
    assert!(!is_fine && problem.contains("`listne`") && problem.contains("listen, "), "{problem}");
}

#[test]
fn the_file_sets_what_flags_do_not_and_a_stopped_server_says_goodbye() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plinth.toml");
    let data = folder.path().join("from-the-file");
    let text = format!("data = {:?}\nlisten = \"127.0.0.1:1\"\n", data.to_str().unwrap());
    std::fs::write(&file, text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["--config", file.to_str().unwrap(), "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.starts_with("curl"))
        .collect();
    assert!(lines.iter().any(|line| line.trim_start().starts_with("secret ")), "{lines:?}");
    assert!(data.join("database").is_dir() && data.join("sealing.key").is_file());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success(), "an orderly end is a success");
}

#[test]
fn access_keys_are_made_listed_disabled_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let keys = |arguments: &[&str]| plinth(&[&["access-keys", "--data", data], arguments].concat());
    let (_, made, _) = keys(&["create", "--note", "for a test"]);
    let id = made.lines().find_map(|line| line.strip_prefix("AWS_ACCESS_KEY_ID=")).unwrap();
    let secret = made.lines().find_map(|line| line.strip_prefix("AWS_SECRET_ACCESS_KEY=")).unwrap();
    let (_, listed, _) = keys(&["list"]);
    assert!(listed.contains(id) && listed.contains("enabled") && listed.contains("for a test"));
    assert!(!listed.contains(secret), "a secret is shown once");
    keys(&["disable", id]);
    assert!(keys(&["list"]).1.contains("disabled"));
    let (_, session, _) = keys(&["create", "--expires-in", "1h"]);
    assert!(session.contains("AWS_SESSION_TOKEN="), "{session}");
    assert!(keys(&["delete", id]).0);
    let (is_fine, _, problem) = keys(&["delete", id]);
    assert!(!is_fine && problem.contains("access-keys list"), "{problem}");
}
