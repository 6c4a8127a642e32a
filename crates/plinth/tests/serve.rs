//! The command line around the server: what is refused, what is printed, how it ends.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{plinth, services, start, stop};

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
    let services = ["serve", "--data", data, "--services-listen", "0.0.0.0:0"];
    let (is_fine, _, problem) = plinth(&services);
    assert!(!is_fine && problem.contains("--tls-certificate"), "{problem}");
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
        .args(["--services-listen", "127.0.0.1:0"])
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

/// What a path of the services answers with.
fn get(greeting: &[String], path: &str) -> String {
    get_with(greeting, path, "host: x\r\n")
}

fn get_with(greeting: &[String], path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(services(greeting).rsplit_once("//").unwrap().1).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn services_are_served_beside_the_database_and_their_tables_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let any = ["--services-listen", "127.0.0.1:0"];
    for _ in 0..2 {
        let (child, greeting) = start(&data, &any);
        let health = get(&greeting, "/health");
        assert!(health.starts_with("HTTP/1.1 200") && health.contains("\"ok\""), "{health}");
        assert!(get(&greeting, "/docs/openapi.json").contains("\"openapi\":\"3.1.0\""));
        assert!(get(&greeting, "/docs").contains("<title>Plinth API</title>"));
        let metrics = get(&greeting, "/metrics");
        assert!(metrics.contains("plinth_http_connections "), "{metrics}");
        assert!(get(&greeting, "/nothing").contains("\"NOT_FOUND\""));
        for hosts in ["", "host: x\r\nhost: y\r\n"] {
            let refused = get_with(&greeting, "/health", hosts);
            assert!(refused.starts_with("HTTP/1.1 400"), "{hosts:?}: {refused}");
        }
        stop(child);
    }
    let (is_fine, plan, problem) = plinth(&["tables", "diff", "--data", data.to_str().unwrap()]);
    assert!(is_fine && plan.contains("Nothing to do"), "{plan} {problem}");
}

#[test]
fn without_services_there_is_the_database_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (child, greeting) = start(&folder.path().join("data"), &["--services-listen", "off"]);
    assert!(greeting.iter().all(|line| !line.contains("services")), "{greeting:?}");
    stop(child);
}

#[test]
fn tables_of_the_file_are_rate_limits_and_issuers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plinth.toml");
    let data = folder.path().join("data");
    let text = "allow-origin = [\"https://a.example\", \"https://b.example\"]\n\
                [[policies]]\nname = \"few\"\nlimit = 0\nwindow_seconds = 60\nby = \"address\"\n";
    std::fs::write(&file, text).unwrap();
    let arguments = ["serve", "--config", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let free = ["--listen", "127.0.0.1:0", "--services-listen", "127.0.0.1:0"];
    let (is_fine, _, problem) = plinth(&[arguments.as_slice(), &free].concat());
    assert!(!is_fine && problem.contains("policy few: the limit"), "{problem}");
    assert!(!data.join("database").exists(), "a mistake is told before anything is opened");
    // Which routes there are is known only when all services are.
    let mistyped =
        text.replace("limit = 0", "limit = 1\nroutes = [\"POST /auth/*\", \"POST /auth/logn\"]");
    std::fs::write(&file, mistyped).unwrap();
    let (is_fine, _, problem) = plinth(&[arguments.as_slice(), &free].concat());
    assert!(
        !is_fine && problem.contains("policy few: there is no route `POST /auth/logn`"),
        "{problem}"
    );
}

#[test]
fn jobs_run_and_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (child, greeting) =
        start(&folder.path().join("data"), &["--services-listen", "127.0.0.1:0"]);
    let line = "plinth_job_runs_total{name=\"seal-audit-log\",outcome=\"success\"} 1";
    let mut metrics = String::new();
    for _ in 0..100 {
        metrics = get(&greeting, "/metrics");
        if metrics.contains(line) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(metrics.contains(line), "{metrics}");
    stop(child);
}

#[test]
fn the_log_names_addresses_as_people_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["serve", "--listen", "127.0.0.1:0", "--services-listen", "127.0.0.1:0", "--data"])
        .arg(folder.path().join("data"))
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(
        lines.into_iter().any(|line| line.contains("password  ")),
        "the last thing that is told"
    );
    stop(child);
    let text = std::fs::read_to_string(log).unwrap();
    assert!(text.contains("\"services\":\"127.0.0.1:"), "{text}");
}

/// Whoever wrote a wrong value finds it where it is.
#[test]
fn a_wrong_value_is_blamed_on_where_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plinth.toml");
    std::fs::write(&file, "cache = \"lots\"\n").unwrap();
    let run = |arguments: &[&str], variable: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plinth"));
        command.current_dir(folder.path()).args(arguments);
        let output = command.envs(variable.map(|value| ("PLINTH_CACHE", value))).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let told = run(&["serve"], None);
    assert!(told.contains("'lots' for 'cache in plinth.toml'"), "{told}");
    let told = run(&["access-keys", "list"], None);
    assert!(told.contains("'lots' for 'cache in plinth.toml'"), "{told}");
    let told = run(&["serve"], Some("many"));
    assert!(told.contains("'many' for 'the variable PLINTH_CACHE'"), "{told}");
    let told = run(&["serve", "--cache=most"], Some("many"));
    assert!(told.contains("'most' for '--cache <MEBIBYTES>'"), "{told}");
}

/// A mistyped variable sets nothing, and that is told; those that are settings are not.
#[test]
fn variables_that_set_nothing_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file, not a folder");
    std::fs::write(&file, "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["serve", "--data", file.to_str().unwrap()])
        .envs([("PLINTH_LISTN", "127.0.0.1:1"), ("PLINTH_LISTEN", "127.0.0.1:0")])
        .envs([("PLINTH_MASTER_KEY", "x"), ("PLINTH_URL", "http://127.0.0.1:1")])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("\"variables\":\"PLINTH_LISTN\""), "{told}");
}

#[test]
fn what_a_crash_left_is_told_as_all_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let off = ["--services-listen", "off"];
    let (mut child, _) = start(folder.path(), &off);
    child.kill().unwrap();
    child.wait().unwrap();
    let journal = folder.path().join("database/storage/0.jnl");
    let mut journal = std::fs::OpenOptions::new().append(true).open(journal).unwrap();
    journal.write_all(b"half a commit").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plinth"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data", folder.path().to_str().unwrap()])
        .args(off)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["level"], "WARN", "{first}");
    let message = first["message"].as_str().unwrap();
    assert!(message.contains("is not a whole commit") && message.contains("0.jnl"), "{message}");
    // The line after it is the one that says that it serves.
    lines.next().unwrap().unwrap();
    stop(child);
}

/// Who asks twice does not wait for requests that have begun.
#[test]
fn a_second_signal_ends_the_server_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, greeting) = start(folder.path(), &["--services-listen", "127.0.0.1:0"]);
    let address = services(&greeting).trim_start_matches("http://").to_owned();
    let mut slow = TcpStream::connect(address).unwrap();
    let begun = "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
                 Content-Length: 100\r\n\r\n{";
    slow.write_all(begun.as_bytes()).unwrap();
    let tell = || Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    tell();
    std::thread::sleep(Duration::from_millis(300));
    let told_once = Instant::now();
    tell();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "not in order");
    assert!(told_once.elapsed() < Duration::from_secs(2), "{:?}", told_once.elapsed());
}

#[test]
fn nonsense_is_refused_with_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (flag, value, allowed) in [
        ("--max-connections", "0", "1.."),
        ("--log", "wat", "error, warn, info"),
        ("--public-url", "foo", "https://"),
        ("--region", "x y", "eu-west-1"),
        ("--listen", "localhost:8012", "127.0.0.1:8000"),
        ("--admin-email", "foo", "name@example.com"),
        ("--webhook-workers", "65", "0..=64"),
    ] {
        let (is_fine, printed, problem) =
            plinth(&["serve", "--data", data.to_str().unwrap(), flag, value]);
        assert!(!is_fine && printed.is_empty(), "{flag}: {printed}");
        assert!(problem.contains(flag) && problem.contains(allowed), "{problem}");
    }
    let (is_fine, _, problem) =
        plinth(&["ops", "keys", "create", "--name", "a", "--scope", "tenants:fly"]);
    assert!(!is_fine && problem.contains("tenants:read"), "{problem}");
    assert!(!data.exists());
}

/// `plinth … | head -1`, and a disk that is full.
#[test]
fn an_output_that_goes_away_is_no_panic() {
    let run = |output: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plinth"));
        let ended = command.arg("settings").stdout(output).stderr(Stdio::piped()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into()), (Some(141), String::new()));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (code, told) = run(full.into());
    assert_eq!(code, Some(1), "{told}");
    assert!(told.starts_with("The standard output cannot be written"), "{told}");
}
