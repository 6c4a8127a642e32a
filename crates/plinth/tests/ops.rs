//! `plinth token` and `plinth ops` against a real server: what is printed, what is refused, and how
//! commands end.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

use std::io::{Read as _, Write as _};
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
    let output = ops(&folder.path().join("none"), &["keys", "list"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("PLINTH_API_KEY"));
}

/// What a command prints as JSON.
fn json(data: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = ops(data, &[&["--json"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Issue 5, item 10: the life of a key, from a terminal.
#[test]
fn keys_are_made_used_rotated_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE);
    let printed = ops(&data, &["keys", "create", "--name", "first", "--scope", "keys:*"]);
    let made = text(&printed.stdout);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let column = |name: &str| {
        let line = made.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    let (id, secret) = (column("key"), column("secret"));
    let listed = text(&ops(&data, &["keys", "list"]).stdout);
    assert!(listed.contains(&id) && listed.contains("active"), "{listed}");
    assert!(!listed.contains(&secret), "a secret is shown once");
    // With the key itself.
    let shown = json(&data, &["--api-key", &secret, "keys", "show", &id]);
    assert_eq!((&shown["name"], &shown["accountId"]), (&"first".into(), &"platform".into()));
    let refused = ops(&data, &["--api-key", &secret, "audit", "list"]);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    let next = json(&data, &["keys", "rotate", &id, "--grace", "0s"]);
    assert_ne!(next["secret"].as_str(), Some(secret.as_str()));
    let next = next["keyId"].as_str().unwrap();
    assert!(ops(&data, &["keys", "disable", next]).status.success());
    assert_eq!(json(&data, &["keys", "show", next])["status"], "disabled");
    assert!(ops(&data, &["keys", "enable", next]).status.success());
    assert!(ops(&data, &["keys", "revoke", next, "--reason", "a test"]).status.success());
    assert_eq!(json(&data, &["keys", "show", next])["status"], "revoked");
    let again = ops(&data, &["keys", "enable", next]);
    assert_eq!(again.status.code(), Some(6), "{}", text(&again.stderr));
    let missing = ops(&data, &["keys", "show", "key_00000000000000000000000000"]);
    assert_eq!(missing.status.code(), Some(5), "{}", text(&missing.stderr));
    assert!(text(&missing.stderr).contains("list"));
    assert!(ops(&data, &["keys", "report", &secret]).status.success());
    stop(child);
}

/// A page token outlives a restart.
#[test]
fn a_list_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE);
    for name in ["one", "two"] {
        json(&data, &["keys", "create", "--name", name, "--scope", "keys:read"]);
    }
    let page = json(&data, &["keys", "list", "--limit", "1"]);
    let token = page["nextToken"].as_str().unwrap();
    assert_eq!((page["count"].as_u64(), &page["items"][0]["name"]), (Some(1), &"two".into()));
    stop(child);
    let (child, _) = start(&data, &FREE);
    let rest = json(&data, &["keys", "list", "--next-token", token]);
    assert_eq!((rest["count"].as_u64(), &rest["items"][0]["name"]), (Some(1), &"one".into()));
    let all = json(&data, &["keys", "list", "--all"]);
    assert_eq!(all["count"], 2);
    stop(child);
}

/// Issue 5, item 6: an export is verified without a server, and a changed one is named.
#[test]
fn the_audit_log_is_listed_verified_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE);
    json(&data, &["keys", "create", "--name", "one", "--scope", "keys:read"]);
    let events = json(&data, &["audit", "list", "--type", "APIKEY"]);
    assert_eq!(events["items"][0]["action"], "API_KEY_CREATED", "{events}");
    let signed = json(&data, &["audit", "list", "--action", "SCRIPT_TOKEN_SIGNED"]);
    assert_eq!(signed["items"][0]["details"]["role"], "platform-admin", "{signed}");
    assert_eq!(json(&data, &["audit", "verify"])["valid"], true);
    assert_eq!(json(&data, &["audit", "retention"])["retentionDays"], 90);
    assert!(json(&data, &["audit", "hold", "on"])["heldSince"].is_string());
    let file = folder.path().join("log.jsonl");
    let name = file.to_str().unwrap();
    let exported = ops(&data, &["audit", "export", "--output", name]);
    assert!(text(&exported.stderr).contains("events were exported"), "{}", text(&exported.stderr));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it is for nobody else");
    let none = ops(&data, &["audit", "list", "--limit", "0"]);
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
    let keys = folder.path().join("keys.json");
    std::fs::write(&keys, ops(&data, &["--json", "audit", "public-keys"]).stdout).unwrap();
    let sheet = text(&ops(&data, &["audit", "export", "--format", "csv"]).stdout);
    assert!(sheet.lines().count() > 2 && sheet.contains("API_KEY_CREATED"), "{sheet}");
    stop(child);
    let verify =
        |file: &str| ops(&data, &["audit", "verify-file", file, "--keys", keys.to_str().unwrap()]);
    let good = verify(name);
    assert!(good.status.success(), "{} {}", text(&good.stdout), text(&good.stderr));
    let changed =
        std::fs::read_to_string(&file).unwrap().replace("API_KEY_CREATED", "API_KEY_REVOKED");
    std::fs::write(&file, changed).unwrap();
    let bad = verify(name);
    assert_eq!(bad.status.code(), Some(10), "{}", text(&bad.stderr));
    assert!(text(&bad.stderr).contains("event "), "{}", text(&bad.stderr));
}

#[test]
fn limits_are_shown_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE);
    let listed = text(&ops(&data, &["limits", "list"]).stdout);
    assert!(listed.contains("login-target") && listed.contains("POST /auth/login"), "{listed}");
    let state = json(&data, &["limits", "show", "account", "account:platform"]);
    assert_eq!(state["limit"], 100, "{state}");
    assert!(ops(&data, &["limits", "reset", "account", "account:platform"]).status.success());
    let missing = ops(&data, &["limits", "show", "nothing", "account:platform"]);
    assert_eq!(missing.status.code(), Some(5), "{}", text(&missing.stderr));
    stop(child);
}

/// The address of a webhook is no address of a server: the administrator's token must not go there.
#[test]
fn a_webhook_is_made_at_the_server_and_nothing_is_sent_to_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (child, _) = start(&data, &FREE);
    let hook = "https://hooks.example.com/in";
    let made = json(&data, &["webhooks", "endpoints", "create", "--to", hook]);
    assert_eq!(made["endpoint"]["url"], hook, "{made}");
    let id = made["endpoint"]["endpointId"].as_str().unwrap();
    let other = "https://hooks.example.com/other";
    assert!(ops(&data, &["webhooks", "endpoints", "update", id, "--to", other]).status.success());
    assert_eq!(json(&data, &["webhooks", "endpoints", "show", id])["url"], other);
    stop(child);
}

/// Whatever answers there, it is not a server of Plinth: nothing was made, and nothing is pretended.
#[test]
fn an_answer_without_what_it_must_have_is_a_failure() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut request = [0; 65_536];
            let _ = connection.read(&mut request).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
            connection.write_all(answer).unwrap();
        }
    });
    let folder = tempfile::tempdir().unwrap();
    for (command, missing) in [
        (&["keys", "create", "--name", "a", "--scope", "keys:read"][..], "keyId"),
        (&["webhooks", "endpoints", "create", "--to", "https://example.com"], "endpointId"),
        (&["keys", "list"], "items"),
        (&["limits", "list"], "items"),
        (&["audit", "verify"], "valid"),
    ] {
        let output = ops(folder.path(), &[&["--url", &url, "--token", "x"], command].concat());
        assert_eq!(output.status.code(), Some(1), "{command:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(missing), "{}", text(&output.stderr));
    }
}
