//! Do secrets stay secret? A whole life with marked secrets, and then a search for each of them in every
//! file of the database, in the log and in every answer but the one that hands it out (reliability R).

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use web::Answer;
use webhooks::NewEndpoint;

use crate::auth_life::{EMAIL, LAST_PASSWORD, Life, PASSWORD};
use crate::captured_log::CapturedLog;
use crate::platform_world::{PlatformWorld, World};

/// A secret in every form in which it may have been written down.
struct Canary {
    what: &'static str,
    text: String,
    forms: Vec<Vec<u8>>,
}

impl Canary {
    fn new(what: &'static str, text: &str) -> Canary {
        let bytes = text.as_bytes();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut forms = vec![
            bytes.to_vec(),
            hex.to_uppercase().into_bytes(),
            hex.into_bytes(),
            STANDARD_NO_PAD.encode(bytes).into_bytes(),
            URL_SAFE_NO_PAD.encode(bytes).into_bytes(),
        ];
        if what.contains("code") {
            forms.push(text.replace('-', "").into_bytes());
        }
        if what == "TOTP secret" {
            let raw = from_base32(text);
            forms.push(STANDARD.encode(&raw).into_bytes());
            forms.push(raw);
        }
        if what == "webhook secret" {
            forms.push(STANDARD.decode(text).unwrap());
        }
        // The last part of a token is what makes it one.
        if what == "access token" {
            forms.extend(text.rsplit('.').next().map(|part| part.as_bytes().to_vec()));
        }
        Canary { what, text: text.to_owned(), forms }
    }

    fn is_in(&self, haystack: &[u8]) -> bool {
        self.forms.iter().any(|form| contains(haystack, form))
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return false };
    let starts = haystack.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts.map(|(at, _)| &haystack[at + 1..]).any(|after| after.starts_with(rest))
}

fn from_base32(text: &str) -> Vec<u8> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for sign in text.bytes() {
        let value = if sign.is_ascii_uppercase() { sign - b'A' } else { sign - b'2' + 26 };
        bits = (bits << 5 | u32::from(value)) & 0xffff;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 255).unwrap());
        }
    }
    bytes
}

/// Every file below a folder, whole.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let mut bytes = std::fs::read(&path).unwrap();
            // Journals are longer than what was written into them.
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            bytes.truncate(end);
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

/// An API key and a webhook's secret, both used.
async fn other_secrets(world: &PlatformWorld, life: &mut Life<'_>, account: &str) {
    let key = world.key(account, &["keys:read"]).await;
    life.expect(403, "GET /auth/me", Some(&key), Value::Null).await;
    let mut tampered = key.clone();
    tampered.pop();
    life.expect(401, "GET /auth/me", Some(&tampered), Value::Null).await;
    life.secrets.push(("API key", key));
    let new =
        NewEndpoint { url: "https://hooks.example.com/in".to_owned(), ..NewEndpoint::default() };
    let planned = world.platform.endpoints().create(account, new).await.unwrap();
    let secret = planned.value.secret.unwrap();
    let mut change = world.platform.begin_as("test");
    planned.writes.into_iter().for_each(|write| {
        change.add(write, changes::Conflict);
    });
    change.record(planned.entry);
    planned.event.into_iter().for_each(|event| change.emit(event));
    change.commit(Answer::no_content()).await.unwrap();
    life.secrets.push(("webhook secret", secret.trim_start_matches("whsec_").to_owned()));
}

/// Requests that are refused, with secrets where they should not be.
async fn mistakes(life: &mut Life<'_>) {
    let login = "POST /auth/login";
    life.expect(400, login, None, json!({ "name": 7, "password": PASSWORD })).await;
    life.expect(400, login, None, json!({ "name": EMAIL, "password": [PASSWORD] })).await;
    let unknown = json!({ "name": EMAIL, "password": LAST_PASSWORD, LAST_PASSWORD: 1 });
    let got = life.ask(login, None, unknown).await;
    // A field's name is told: whoever makes a password one is told theirs, and nobody else is.
    assert_eq!((got.status, got.fields()), (400, vec![LAST_PASSWORD.to_owned()]));
    life.answers.pop();
    let broken = life.world.call(login).header("content-type", "application/json");
    let got = broken.text(&format!("{{\"password\":\"{PASSWORD}\"")).send().await;
    assert_eq!(got.status, 400);
    life.answers.push((login.to_owned(), got, Vec::new()));
    let line = format!("GET /auth/me?token={PASSWORD}");
    let token = format!("x.{}.y", URL_SAFE_NO_PAD.encode(PASSWORD));
    life.expect(401, &line, Some(&token), Value::Null).await;
    life.expect(404, &format!("GET /auth/{PASSWORD}"), None, Value::Null).await;
}

#[tokio::test]
async fn no_secret_is_written_down_anywhere() {
    let log = CapturedLog::start();
    let world = World::on_disk().open().await;
    let mut life = Life::new(&world);
    let pair = life.join().await;
    let me = life.expect(200, "GET /auth/me", Some(&pair.access), Value::Null).await;
    let account = me["account"]["accountId"].as_str().unwrap().to_owned();
    other_secrets(&world, &mut life, &account).await;
    mistakes(&mut life).await;
    let secret = life.set_up_app(&pair.access).await;
    world.advance(std::time::Duration::from_secs(600));
    life.rest(&pair, &secret).await;
    world.platform.later().flush().await.unwrap();
    world.database.close();

    let canaries: Vec<Canary> =
        life.secrets.iter().map(|(what, text)| Canary::new(what, text)).collect();
    let files = files(&world.folder.path().join("data"));
    // First that the search finds what is there.
    let is_stored = |text: &str| files.iter().any(|(_, bytes)| contains(bytes, text.as_bytes()));
    assert!(is_stored(EMAIL) && is_stored("$argon2id$") && is_stored("LOGOUT_EVERYWHERE"));
    let log = log.text();
    assert!(log.contains("enrolSecondFactor") && log.contains("loginSecondFactor"));
    let mut hits = Vec::new();
    for canary in &canaries {
        let places = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let places = places.chain([("the log", log.as_bytes())]);
        hits.extend(
            places
                .filter(|(_, bytes)| canary.is_in(bytes))
                .map(|(place, _)| format!("{} in {place}", canary.what)),
        );
        for (line, got, handed_out) in &life.answers {
            let headers = format!("{:?}", got.headers);
            let is_there = canary.is_in(&got.body) || canary.is_in(headers.as_bytes());
            if is_there && !handed_out.contains(&canary.text) {
                hits.push(format!("{} in an answer to {line}", canary.what));
            }
        }
        for mail in world.mails(EMAIL) {
            if canary.what != "mailed code" && canary.is_in(mail.as_bytes()) {
                hits.push(format!("{} in a mail", canary.what));
            }
        }
    }
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    println!(
        "canaries: {} secrets, {} files of {bytes} bytes, {} answers, {} bytes of log",
        canaries.len(),
        files.len(),
        life.answers.len(),
        log.len()
    );
    assert!(hits.is_empty(), "{hits:#?}");
    let kinds: std::collections::BTreeSet<&str> = canaries.iter().map(|one| one.what).collect();
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}
