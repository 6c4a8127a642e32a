//! `plinth tables`, as a user types it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plinth")).arg("tables").args(arguments).output().unwrap()
}

#[track_caller]
fn said(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    text.into_owned()
}

fn path(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

/// A copy of the documents, with a change to one of them.
fn changed(document: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tables = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tables"));
    for system in fs::read_dir(tables).unwrap().map(|entry| entry.unwrap()) {
        if !system.path().is_dir() {
            continue;
        }
        let copy = folder.path().join(system.file_name());
        fs::create_dir(&copy).unwrap();
        for file in fs::read_dir(system.path()).unwrap().map(|entry| entry.unwrap()) {
            fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
    }
    let file = folder.path().join(document);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{document} has no {from}");
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
    folder
}

#[test]
fn the_documents_inside_the_binary_are_checked_listed_and_shown() {
    assert!(said(&["check"], 0).starts_with("30 tables in 5 systems"));
    assert_eq!(said(&["list"], 0).lines().count(), 31);
    assert!(said(&["show", "storefront/tenants"], 0).starts_with("# tenants"));
    assert!(said(&["show", "nothing"], 1).contains("plinth tables list"));
}

#[test]
fn a_broken_document_is_reported_with_its_line() {
    let folder = changed("popcorn/invites.json", "\"type\": \"S\"", "\"type\": \"Q\"");
    let text = said(&["check", "--folder", path(folder.path())], 1);
    let file = folder.path().join("popcorn/invites.json");
    assert!(text.starts_with(&format!("{}:", file.display())), "{text}");
    assert!(text.contains("1 errors, 0 warnings."), "{text}");
}

#[test]
fn apply_makes_the_tables_and_a_second_run_does_nothing() {
    let data = tempfile::tempdir().unwrap();
    let target = ["--data", path(data.path())];
    let with = |command: &'static str| [command, target[0], target[1]];
    assert!(said(&["apply", "tenants", target[0], target[1]], 0).contains("Applied: "));
    said(&with("diff"), 1);
    said(&with("plan"), 0);
    assert!(said(&with("apply"), 0).contains("Applied: "));
    assert!(said(&with("apply"), 0).contains("Nothing to do: 30 tables"));
    said(&with("diff"), 0);
    let seeded = said(&["seed", "--count", "3", target[0], target[1]], 0);
    assert!(seeded.contains("items written to 30 tables"), "{seeded}");
}

/// What says that it changes nothing makes nothing either, and a name is looked at first.
#[test]
fn a_missing_database_is_told_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("typo");
    for command in ["plan", "diff", "seed"] {
        let text = said(&[command, "--data", path(&data)], 1);
        assert!(text.contains("There is no database in"), "{text}");
    }
    let text = said(&["apply", "tenant", "--data", path(&data)], 1);
    assert!(text.contains("no table or system tenant"), "{text}");
    assert!(!data.exists());
}

/// A data folder is the same here as for `serve`; the folder of its database is taken too.
#[test]
fn the_folder_is_the_one_that_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("fresh");
    said(&["apply", "--data", path(&data)], 0);
    let database = data.join("database");
    assert!(database.join("format").is_file() && !data.join("format").exists());
    said(&["diff", "--data", path(&data)], 0);
    said(&["diff", "--data", path(&database)], 0);
    said(&["apply", "--data", path(&database)], 0);
    assert!(!database.join("database").exists());
}

/// An index that the document no longer has stays until somebody allows its removal.
#[test]
fn an_index_is_not_removed_unasked() {
    let data = tempfile::tempdir().unwrap();
    let target = ["--data", path(data.path()), "popcorn/profiles"];
    said(&["apply", target[0], target[1], target[2]], 0);
    let folder = changed("popcorn/profiles.json", "profileId-index", "profile-index");
    let file = folder.path().join("popcorn/profiles.json");
    let text = fs::read_to_string(&file).unwrap().replace("profileId-index", "profile-index");
    fs::write(&file, text).unwrap();
    let folder = path(folder.path());
    let apply = ["apply", target[0], target[1], target[2], "--folder", folder];
    let refused = said(&apply, 1);
    assert!(refused.contains("--allow-removal"), "{refused}");
    let mut allowed = apply.to_vec();
    allowed.push("--allow-removal");
    assert!(said(&allowed, 0).contains("Applied: 2 changes."));
}

/// Another key is another table: exit code 2, and a sentence about what to do.
#[test]
fn another_key_is_exit_code_two() {
    let data = tempfile::tempdir().unwrap();
    let target = ["--data", path(data.path()), "platform/rate_limits"];
    said(&["apply", target[0], target[1], target[2]], 0);
    let key = "\"partitionKey\": { \"name\": \"limit_key\"";
    let folder = changed("platform/rate_limits.json", key, &key.replace("limit_key", "limit_name"));
    let file = folder.path().join("platform/rate_limits.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("limit_key", "limit_name")).unwrap();
    for command in ["plan", "apply"] {
        let folder = path(folder.path());
        let text = said(&[command, target[0], target[1], target[2], "--folder", folder], 2);
        assert!(text.contains("copy the items"), "{text}");
    }
}

/// A service that refuses is quoted, and nothing is left half done.
#[test]
fn a_service_that_refuses_is_quoted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let words = "User: arn:aws:iam::123456789012:user/x is not authorized";
    let body = format!(
        "{{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"{words}\"}}"
    );
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut request = [0; 65_536];
            let _ = connection.read(&mut request).unwrap();
            let answer = format!(
                "HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            connection.write_all(answer.as_bytes()).unwrap();
        }
    });
    let output = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["tables", "apply", "popcorn", "--endpoint", &endpoint, "--region", "eu-west-1"])
        .env("AWS_ACCESS_KEY_ID", "x")
        .env("AWS_SECRET_ACCESS_KEY", "y")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("AccessDeniedException: {words}")), "{said}");
    assert!(said.contains("Nothing was done"), "{said}");
}

#[test]
fn files_are_written_for_every_environment() {
    let out = tempfile::tempdir().unwrap();
    for (command, file) in [
        ("docs", "popcorn/orders.md"),
        ("terraform", "prod/storefront.tf"),
        ("cloudformation", "sit/listbackup.json"),
    ] {
        said(&[command, "--out", path(out.path())], 0);
        assert!(out.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn costs_follow_the_prices_given() {
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.json");
    fs::write(&prices, "{ \"millionReads\": 250 }").unwrap();
    let cheap = said(&["cost", "storefront/products"], 0);
    let dear = said(&["cost", "storefront/products", "--prices", path(&prices)], 0);
    assert_ne!(cheap, dear);
    fs::write(&prices, "{ \"millionRead\": 250 }").unwrap();
    let wrong = said(&["cost", "--prices", path(&prices)], 1);
    assert!(wrong.contains("millionReads"), "{wrong}");
}

#[test]
fn help_answers() {
    for command in [
        "check",
        "list",
        "show",
        "plan",
        "apply",
        "diff",
        "docs",
        "terraform",
        "cloudformation",
        "cost",
        "seed",
    ] {
        let text = said(&[command, "--help"], 0);
        assert!(text.contains("Usage: plinth tables"), "{text}");
    }
    assert!(said(&["plan"], 2).contains("--data"));
}
