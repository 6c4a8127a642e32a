//! The first start of Plinth: how soon it answers, and how much memory it holds with nothing to do.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::servers::{Process, free_port};
use crate::measure::median;
use crate::progress::Progress;

/// How often it is started, each time on a new data folder.
const STARTS: usize = 3;
/// When a process that nobody asks anything is idle.
const IDLE_AFTER: Duration = Duration::from_secs(5);
/// Longer than any start takes.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// What the first start takes: the medians.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FirstStart {
    /// From the start of the process to its first answer.
    pub answer_millis: f64,
    /// Once nothing was asked for a while.
    pub idle_bytes: f64,
}

/// Starts the whole product, database and services, as a new user does.
pub async fn measure(
    plinth: &Path,
    folder: &Path,
    progress: &Progress,
) -> anyhow::Result<FirstStart> {
    let stage = progress.stage("Starting plinth on new data folders", STARTS as u64);
    let (mut answers, mut idle) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        stage.reach(start as u64);
        let data = folder.join(format!("first-start-{start}"));
        let (answer, process) = first_answer(plinth, &data).await?;
        answers.push(answer.as_secs_f64() * 1e3);
        tokio::time::sleep(IDLE_AFTER).await;
        idle.push(process.resident_bytes()? as f64);
    }
    Ok(FirstStart {
        answer_millis: median(answers.into_iter()),
        idle_bytes: median(idle.into_iter()),
    })
}

async fn first_answer(plinth: &Path, data: &Path) -> anyhow::Result<(Duration, Process)> {
    let (port, services_port) = (free_port()?, free_port()?);
    let mut command = Command::new(plinth);
    command.arg("serve").arg("--data").arg(data).args(["--log", "warn"]);
    command.args(["--listen", &format!("127.0.0.1:{port}")]);
    command.args(["--services-listen", &format!("127.0.0.1:{services_port}")]);
    let started = Instant::now();
    let process = Process::spawn(command.stdout(Stdio::null()))?;
    while !is_answered(port).await {
        if started.elapsed() > ANSWER_WITHIN {
            bail!("nobody answers on port {port}");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok((started.elapsed(), process))
}

/// Whether a question about the server's health is answered with 200.
async fn is_answered(port: u16) -> bool {
    let ask = async {
        let mut connection = TcpStream::connect(("127.0.0.1", port)).await.context("no server")?;
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        connection.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).await?;
        anyhow::Ok(answer.starts_with(b"HTTP/1.1 200 "))
    };
    ask.await.unwrap_or(false)
}
