//! A server that keeps everything itself is killed amid requests: each can be repeated at once, and
//! what it asks for is done once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod support;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use support::{plinth, services, start, stop};

const FREE: [&str; 2] = ["--services-listen", "127.0.0.1:0"];
const CALLERS: usize = 8;
/// Answers before the kill.
const ANSWERS: usize = 24;

/// Where requests go, and on whose behalf.
#[derive(Clone)]
struct Caller {
    host: String,
    token: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Answer {
    status: String,
    is_replayed: bool,
    body: String,
}

impl Caller {
    /// Asks again as long as it is too often. Nothing if the server went away before it had answered.
    fn send(&self, start_line: &str, more: &str, body: &str) -> Option<Answer> {
        loop {
            let answer = self.send_once(start_line, more, body)?;
            if answer.status != "429" {
                return Some(answer);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn send_once(&self, start_line: &str, more: &str, body: &str) -> Option<Answer> {
        let Caller { host, token } = self;
        let mut stream = TcpStream::connect(host).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let request = format!(
            "{start_line} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\
             {more}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some(Answer {
            status: head.split(' ').nth(1)?.to_owned(),
            is_replayed: head.contains("idempotent-replayed: true"),
            body: body.to_owned(),
        })
    }

    /// Makes a tenant of this name, under a key that is the name.
    fn create(&self, name: &str) -> Option<Answer> {
        let body = serde_json::json!({
            "organizationName": name,
            "contactEmail": "office@example.com",
            "environment": "dev",
        });
        let key = format!("idempotency-key: {name}\r\n");
        self.send("POST /v1.0/tenants", &key, &body.to_string())
    }

    /// How many tenants have this name.
    fn count(&self, name: &str) -> u64 {
        let found =
            self.send(&format!("GET /v1.0/tenants?organizationName={name}"), "", "").unwrap();
        assert_eq!(found.status, "200", "{found:?}");
        serde_json::from_str::<serde_json::Value>(&found.body).unwrap()["count"].as_u64().unwrap()
    }
}

/// Sends one request after the other until the server is gone, and tells of each before and after.
fn ask(caller: &Caller, number: usize, told: &Sender<(String, Option<Answer>)>) {
    for count in 0.. {
        let name = format!("tenant-{number}-{count}");
        told.send((name.clone(), None)).unwrap();
        let Some(answer) = caller.create(&name) else { return };
        told.send((name, Some(answer))).unwrap();
    }
}

/// Issue 5, item 4 and its proof: "also when the process is killed between".
#[test]
fn requests_are_repeated_at_once_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let (mut child, greeting) = start(folder.path(), &FREE);
    let address = |greeting: &[String]| services(greeting).rsplit_once("//").unwrap().1.to_owned();
    let sign = ["token", "--data", data, "--email", "a@example.com", "--role", "platform-admin"];
    let (is_fine, token, problem) = plinth(&sign);
    assert!(is_fine, "{problem}");
    let mut caller = Caller { host: address(&greeting), token: token.trim().to_owned() };
    let (told, tellings) = mpsc::channel();
    for number in 0..CALLERS {
        let (caller, told) = (caller.clone(), told.clone());
        std::thread::spawn(move || ask(&caller, number, &told));
    }
    drop(told);
    let mut asked = BTreeMap::new();
    let (mut answers, mut is_killed) = (0, false);
    for (name, answer) in tellings {
        answers += usize::from(answer.is_some());
        asked.insert(name, answer);
        if answers >= ANSWERS && !is_killed {
            child.kill().unwrap();
            is_killed = true;
        }
    }
    child.wait().unwrap();
    let unanswered = asked.values().filter(|answer| answer.is_none()).count();
    assert!(unanswered > 0, "the kill met no request");
    let (child, greeting) = start(folder.path(), &FREE);
    caller.host = address(&greeting);
    for (name, before) in &asked {
        let after = caller.create(name).unwrap();
        assert_eq!(after.status, "201", "{name}: {after:?}");
        if let Some(before) = before {
            assert_eq!((&before.status, &before.body), (&after.status, &after.body), "{name}");
            assert!(after.is_replayed, "{name}");
        }
        assert_eq!(caller.count(name), 1, "{name}");
    }
    stop(child);
}
