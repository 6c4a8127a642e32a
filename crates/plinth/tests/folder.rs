//! The data folder: which one commands take, what they never make in it, and what a start refuses.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use support::{plinth, services, start, stop};

const FREE: [&str; 4] = ["--listen", "127.0.0.1:0", "--services-listen", "127.0.0.1:0"];

/// A start that ends by itself: what it printed, and why it ended.
fn refused(data: &Path, more: &[&str]) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["serve", "--data", data.to_str().unwrap()])
        .args([&FREE, more].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        printed += &line.unwrap();
        if printed.contains("is ready") {
            child.kill().unwrap();
        }
    }
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{printed}");
    (printed, String::from_utf8(ended.stderr).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn access_keys_are_those_of_the_configured_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plinth.toml"), "data = \"dd\"\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plinth"));
        let output = command.current_dir(folder.path()).arg("access-keys").args(arguments).output();
        let output = output.unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text.into_owned())
    };
    // What only looks makes nothing.
    for arguments in [&["list"][..], &["delete", "AKIA"], &["list", "--data", "typo"]] {
        let (is_fine, text) = run(arguments);
        assert!(!is_fine && text.contains("There is no database in"), "{text}");
    }
    assert_eq!(names(folder.path()), ["plinth.toml"]);
    let (is_fine, made) = run(&["create"]);
    assert!(is_fine, "{made}");
    assert_eq!(names(folder.path()), ["dd", "plinth.toml"]);
    let id = made.lines().find_map(|line| line.strip_prefix("AWS_ACCESS_KEY_ID=")).unwrap();
    assert!(run(&["list"]).1.contains(id));
    for action in ["list", "create"] {
        let (is_fine, text) = run(&[action, "--sealing-key-file", "typo"]);
        assert!(!is_fine && text.contains("--sealing-key-file"), "{text}");
    }
    assert_eq!(names(folder.path()), ["dd", "plinth.toml"]);
    // The server takes the folder and knows the key.
    let (child, greeting) = start(&folder.path().join("dd"), &FREE[2..]);
    assert!(services(&greeting).starts_with("http://127.0.0.1:"));
    assert!(greeting.iter().any(|line| line.contains(id)), "{greeting:?}");
    let create =
        format!("`plinth access-keys create --data {}`", folder.path().join("dd").display());
    assert!(greeting.iter().any(|line| line.contains(&create)), "{greeting:?}");
    stop(child);
}

/// A disk that is not mounted must not look like a first start.
#[test]
fn a_vanished_database_is_no_first_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // What a first start that was interrupted leaves.
    fs::create_dir_all(data.join("database/storage")).unwrap();
    let (child, _) = start(&data, &FREE[2..]);
    stop(child);
    let (database, elsewhere) = (data.join("database"), folder.path().join("elsewhere"));
    fs::rename(&database, &elsewhere).unwrap();
    let create = plinth(&["access-keys", "create", "--data", data.to_str().unwrap()]);
    let apply = plinth(&["tables", "apply", "--data", data.to_str().unwrap()]);
    for problem in [refused(&data, &[]).1, create.2, apply.2] {
        assert!(problem.contains("access-keys.json") && problem.contains("mount"), "{problem}");
    }
    assert!(refused(&elsewhere, &[]).1.contains("is a database, and no data folder"));
    // Nor an empty folder that another disk belongs on.
    fs::create_dir(&database).unwrap();
    assert!(refused(&data, &[]).1.contains("mount"));
    assert!(names(&database).is_empty());
    fs::remove_dir(&database).unwrap();
    fs::rename(&elsewhere, &database).unwrap();
    let (child, _) = start(&data, &FREE[2..]);
    stop(child);
}

/// Another key would make every secret unreadable; none is made, and nothing is said to be ready.
#[test]
fn a_lost_master_key_is_told_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE[2..]);
    stop(child);
    let (key, kept) = (data.join("master-key"), folder.path().join("kept"));
    fs::rename(&key, &kept).unwrap();
    let (printed, problem) = refused(&data, &[]);
    assert!(problem.contains("--master-key-file") && !printed.contains("ready"), "{problem}");
    assert!(!key.exists());
    let (child, greeting) =
        start(&data, &[&FREE[2..], &["--master-key-file", kept.to_str().unwrap()]].concat());
    assert!(greeting.iter().any(|line| line.contains("is ready")), "{greeting:?}");
    stop(child);
    let other = folder.path().join("other");
    let (printed, problem) = refused(&data, &["--master-key-file", other.to_str().unwrap()]);
    assert!(problem.contains("--master-key-file") && printed.is_empty(), "{problem}");
}

#[test]
fn the_folder_of_another_environment_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let apply = ["tables", "apply", "--environment", "prod", "--data", data.to_str().unwrap()];
    assert!(plinth(&apply).0);
    let (printed, problem) = refused(&data, &[]);
    assert!(problem.contains("--environment prod") && !printed.contains("ready"), "{problem}");
    assert!(!data.join("master-key").exists() && !data.join("access-keys.json").exists());
    let (is_fine, plan, _) = plinth(&["tables", "plan", "--data", data.to_str().unwrap()]);
    assert!(is_fine && !plan.contains("Nothing to do"), "no table was made: {plan}");
}
