//! What all processes on one store keep together, tried.

use std::io;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::client::{Client, Got, new_key};
use super::fleet::{Fleet, LIMIT, LIMITED, REQUEST_SECONDS};
use crate::report::Report;

/// Requests against the limit, all at once.
const REQUESTS: usize = 400;
/// Requests with one Idempotency-Key, all at once.
const RACERS: usize = 64;
/// How long a claim holds.
const LEASE: Duration = Duration::from_secs(2 * REQUEST_SECONDS);

/// A limit of 100 admits exactly 100 of 400 requests that are spread over all processes.
pub async fn limit(fleet: &Fleet, client: &Client, report: &mut Report) -> io::Result<()> {
    let (_, secret) = client.make_key(fleet.services[0].address, "limited").await?;
    let mut asking = JoinSet::new();
    for number in 0..REQUESTS {
        let at = fleet.services[number % fleet.services.len()].address;
        let (client, secret) = (client.clone(), secret.clone());
        asking.spawn(async move {
            client.send(at, &format!("GET {LIMITED}"), &[("x-api-key", &secret)], None).await
        });
    }
    let (mut admitted, mut refused) = (0, 0);
    while let Some(got) = asking.join_next().await {
        let got = got.map_err(io::Error::other)??;
        match got.status {
            200 => admitted += 1,
            429 => {
                refused += 1;
                if !got.headers.contains_key("retry-after") {
                    report.finding("a refusal does not say when to come again".to_owned());
                }
            }
            _ => report.finding(format!("limited: neither admitted nor refused: {}", got.told())),
        }
    }
    report.row("limit of 100: admitted, refused", format!("{admitted}, {refused}"));
    if admitted != LIMIT {
        report.finding(format!("a limit of {LIMIT} admitted {admitted} of {REQUESTS}"));
    }
    Ok(())
}

/// A key that is revoked in one process fails on the very next request in every other.
pub async fn revocations(
    fleet: &Fleet,
    client: &Client,
    count: u32,
    report: &mut Report,
) -> io::Result<()> {
    let mut later = 0;
    for number in 0..count {
        let revoker = number as usize % fleet.services.len();
        let at = fleet.services[revoker].address;
        let (id, secret) = client.make_key(at, &format!("to-be-revoked-{number}")).await?;
        for got in everywhere(fleet, client, &secret).await? {
            if got.status != 200 {
                report.finding(format!("a new key is not accepted everywhere: {}", got.told()));
            }
        }
        let because = serde_json::json!({ "reason": "the campaign" });
        let line = format!("POST /ops/v1.0/keys/{id}/revoke");
        let got = client.ask(at, &line, &[], Some(&because)).await?;
        if got.status != 200 {
            report.finding(format!("a key was not revoked: {}", got.told()));
        }
        for got in everywhere(fleet, client, &secret).await? {
            if got.status != 401 {
                later += 1;
                report.finding(format!("a revoked key got an answer: {}", got.told()));
            }
        }
    }
    report.row("revocations, later acceptances", format!("{count}, {later}"));
    Ok(())
}

/// One request with this key to each process, all at once.
async fn everywhere(fleet: &Fleet, client: &Client, secret: &str) -> io::Result<Vec<Got>> {
    let mut asking = JoinSet::new();
    for service in &fleet.services {
        let (at, client, secret) = (service.address, client.clone(), secret.to_owned());
        asking.spawn(async move {
            client.send(at, &format!("GET {LIMITED}"), &[("x-api-key", &secret)], None).await
        });
    }
    let mut answers = Vec::new();
    while let Some(got) = asking.join_next().await {
        answers.push(got.map_err(io::Error::other)??);
    }
    Ok(answers)
}

/// Of 64 requests with one Idempotency-Key one has an effect; every answer is the first one or 409,
/// and whoever asks again, anywhere, gets the first one byte for byte.
pub async fn race(
    fleet: &Fleet,
    client: &Client,
    number: u32,
    report: &mut Report,
) -> io::Result<()> {
    let name = format!("raced-for-{number}");
    let mut racing = JoinSet::new();
    for racer in 0..RACERS {
        let at = fleet.services[racer % fleet.services.len()].address;
        let (client, name) = (client.clone(), name.clone());
        racing.spawn(async move { make(&client, at, &name).await });
    }
    let mut answers = Vec::new();
    while let Some(got) = racing.join_next().await {
        answers.push(got.map_err(io::Error::other)??);
    }
    let first = made_once(&answers, &name, report);
    for service in &fleet.services {
        let again = make(client, service.address, &name).await?;
        let is_first = first.as_ref().is_some_and(|first| first.body == again.body);
        if !is_first || again.status != 201 || !again.headers.contains_key("idempotent-replayed") {
            report.finding(format!("{name}: asked again, another answer: {}", again.told()));
        }
    }
    one_effect(fleet, client, &name, report).await
}

/// The answer that all share which are not 409.
fn made_once(answers: &[Got], name: &str, report: &mut Report) -> Option<Got> {
    let mut first: Option<&Got> = None;
    for got in answers.iter().filter(|got| got.status != 409) {
        let is_same = first.is_none_or(|first| first.body == got.body);
        if got.status != 201 || !is_same {
            report.finding(format!("{name}: neither the first answer nor 409: {}", got.told()));
        }
        first.get_or_insert(got);
    }
    if first.is_none() {
        report.finding(format!("{name}: nobody got an answer"));
    }
    first.cloned()
}

async fn one_effect(
    fleet: &Fleet,
    client: &Client,
    name: &str,
    report: &mut Report,
) -> io::Result<()> {
    let effects = client.keys_named(fleet.services[0].address, name).await?;
    if effects != 1 {
        report.finding(format!("{name}: {effects} effects instead of one"));
    }
    Ok(())
}

async fn make(client: &Client, at: std::net::SocketAddr, name: &str) -> io::Result<Got> {
    // Not the name itself: the claim has the key in it, and the gate waits for what has the name.
    let key = name.to_uppercase();
    let headers = [("idempotency-key", key.as_str())];
    client.ask(at, "POST /ops/v1.0/keys", &headers, Some(&new_key(name))).await
}

/// A process is killed after it has claimed a request and before it commits: until its claim expires
/// others answer 409, then one of them does the work.
pub async fn kill(
    fleet: &mut Fleet,
    client: &Client,
    number: u32,
    report: &mut Report,
) -> io::Result<()> {
    let name = format!("killed-between-claim-and-commit-{number}");
    let victim = fleet.victim();
    let stopped = fleet.gate.stop_at(&name);
    let asked = Instant::now();
    let lost = tokio::spawn({
        let (client, at, name) = (client.clone(), fleet.services[victim].address, name.clone());
        async move { make(&client, at, &name).await }
    });
    let waited = tokio::time::timeout(Duration::from_secs(REQUEST_SECONDS), stopped).await;
    if waited.is_err() {
        report.finding(format!("{name}: no commit came to the gate"));
        return Ok(());
    }
    fleet.services[victim].kill()?;
    fleet.gate.open();
    if let Ok(Ok(got)) = lost.await {
        report.finding(format!("{name}: a killed process answered: {}", got.told()));
    }
    let (mut answers, mut taken_over) = (Vec::new(), None);
    while asked.elapsed() < LEASE * 3 && taken_over.is_none() {
        for service in &fleet.services[..victim] {
            let got = make(client, service.address, &name).await?;
            if got.status != 409 {
                taken_over.get_or_insert(asked.elapsed());
            }
            answers.push(got);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    made_once(&answers, &name, report);
    match taken_over {
        Some(after) if after + Duration::from_millis(500) < LEASE => {
            report.finding(format!("{name}: taken over after {after:?}, while the claim held"));
        }
        Some(after) => report.row("taken over after", format!("{:.1} s", after.as_secs_f64())),
        None => {}
    }
    let in_progress = answers.iter().filter(|got| got.status == 409).count();
    if in_progress == 0 {
        report.finding(format!("{name}: nobody was told that it is in progress"));
    }
    one_effect(fleet, client, &name, report).await?;
    fleet.replace_victim()
}
