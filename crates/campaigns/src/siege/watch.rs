//! The well-behaved client beside the attack.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::target::Target;

/// Between two health checks.
const PAUSE: Duration = Duration::from_millis(100);
/// A check that takes longer has failed.
const GIVE_UP: Duration = Duration::from_secs(5);

/// Checks, five a second, in which an idle connection must be closed: a minute and a little more.
const IDLE_LIMIT_CHECKS: u64 = 75 * 5;

/// What the health checks saw.
#[derive(Debug, Default)]
pub(super) struct Health {
    pub(super) answered: u64,
    pub(super) failed: u64,
    pub(super) slowest: Duration,
}

/// Asks for the server's health again and again, each time on a new connection.
pub(super) async fn health(target: &Target, time: Duration) -> Health {
    let started = Instant::now();
    let mut health = Health::default();
    while started.elapsed() < time {
        let asked = Instant::now();
        match tokio::time::timeout(GIVE_UP, get(target, "/health")).await {
            Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200") => health.answered += 1,
            _ => health.failed += 1,
        }
        health.slowest = health.slowest.max(asked.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    health
}

/// How many connections the server counts. Those that are gone get until the server's limit for idle
/// ones to be noticed: when thousands connect at once, the kernel loses the end of some.
pub(super) async fn open_connections(target: &Target) -> io::Result<u64> {
    let mut count = 0;
    for _ in 0..IDLE_LIMIT_CHECKS {
        let metrics = get(target, "/metrics").await?;
        let line = metrics.lines().find_map(|line| line.strip_prefix("plinth_connections "));
        count = line
            .and_then(|number| number.trim().parse().ok())
            .ok_or_else(|| io::Error::other("the metrics tell no connections"))?;
        if count <= 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(count)
}

async fn get(target: &Target, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(target.address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
