//! Loading a server, and one measured round.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;

use super::connection::{Connection, request};
use super::requests;
use super::servers::Server;
use crate::measure::Tally;
use crate::workload::{Dataset, HISTORY, ORDERS, Operation, Picker};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// PutItem of new items.
    PutItem,
    /// UpdateItem under a condition that holds.
    UpdateItem,
    /// TransactWriteItems of one put and two conditional updates.
    TransactWriteItems,
    /// GetItem.
    GetItem,
    /// Query of 20 items of a table.
    Query,
    /// Query of 20 items of an index.
    QueryIndex,
}

impl Workload {
    /// In the order in which they are measured.
    pub const ALL: [Workload; 6] = [
        Workload::PutItem,
        Workload::UpdateItem,
        Workload::TransactWriteItems,
        Workload::GetItem,
        Workload::Query,
        Workload::QueryIndex,
    ];

    /// What the table of results calls it.
    pub fn name(self) -> &'static str {
        match self {
            Workload::PutItem => "PutItem",
            Workload::UpdateItem => "UpdateItem with condition",
            Workload::TransactWriteItems => "TransactWriteItems of 3",
            Workload::GetItem => "GetItem",
            Workload::Query => "Query of 20",
            Workload::QueryIndex => "index Query of 20",
        }
    }

    /// How many requests are made beforehand for each second of a round.
    fn requests_per_second(self) -> f64 {
        match self {
            // New items: more than any server takes, since none may come twice.
            Workload::PutItem | Workload::TransactWriteItems => 40_000.0,
            // These are used again.
            Workload::UpdateItem | Workload::GetItem => 10_000.0,
            Workload::Query | Workload::QueryIndex => 3_000.0,
        }
    }

    /// Whether the same request may be sent again.
    fn repeats(self) -> bool {
        !matches!(self, Workload::PutItem | Workload::TransactWriteItems)
    }

    /// The same, as the database is measured with it.
    fn operation(self) -> Operation {
        match self {
            Workload::PutItem => Operation::PutItem,
            Workload::UpdateItem => Operation::UpdateItem,
            Workload::TransactWriteItems => Operation::TransactWriteItems,
            Workload::GetItem => Operation::GetItem,
            Workload::Query => Operation::Query,
            Workload::QueryIndex => Operation::QueryIndex,
        }
    }
}

/// All rounds of a workload on one server, taken together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    pub operations_per_second: f64,
    pub p50_micros: f64,
    pub p99_micros: f64,
    pub server_cpu_micros: f64,
    pub server_resident_bytes: f64,
}

/// Items that are loaded with one request.
const BATCH_ITEMS: u64 = 25;
/// Connections that load.
const LOADERS: u64 = 4;
/// Where the numbers of new items begin: beyond all that are loaded.
const FRESH: u64 = 1 << 40;

/// Makes the tables and fills them.
pub async fn load(
    server: &Arc<Server>,
    dataset: Dataset,
    progress: impl Fn(u64),
) -> anyhow::Result<()> {
    let mut connection = Connection::open(server).await?;
    for table in requests::tables() {
        call(&mut connection, server, "CreateTable", &table).await?;
        wait_active(&mut connection, server, &table["TableName"]).await?;
    }
    let mut lanes = JoinSet::new();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for lane in 0..LOADERS {
        lanes.spawn(load_lane(Arc::clone(server), dataset, lane, sender.clone()));
    }
    drop(sender);
    let mut done = 0;
    while let Some(items) = receiver.recv().await {
        done += items;
        progress(done);
    }
    while let Some(outcome) = lanes.join_next().await {
        outcome??;
    }
    Ok(())
}

/// One of the connections that load: every so many-th batch.
async fn load_lane(
    server: Arc<Server>,
    dataset: Dataset,
    lane: u64,
    done: UnboundedSender<u64>,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(&server).await?;
    let mut start = lane * BATCH_ITEMS;
    while start < dataset.items {
        let numbers = start..(start + BATCH_ITEMS).min(dataset.items);
        let orders = requests::batch(ORDERS, numbers.clone().map(|number| dataset.order(number)));
        let history = requests::batch(HISTORY, numbers.map(|number| dataset.history(number)));
        for body in [orders, history] {
            call(&mut connection, &server, "BatchWriteItem", &body).await?;
        }
        // Whoever listened may have given up.
        let _ = done.send(2 * BATCH_ITEMS);
        start += LOADERS * BATCH_ITEMS;
    }
    Ok(())
}

async fn wait_active(
    connection: &mut Connection,
    server: &Server,
    table: &Value,
) -> anyhow::Result<()> {
    for _ in 0..200 {
        let body = serde_json::json!({ "TableName": table });
        let answer = call(connection, server, "DescribeTable", &body).await?;
        if answer["Table"]["TableStatus"] == "ACTIVE" {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bail!("{table} does not become active")
}

async fn call(
    connection: &mut Connection,
    server: &Server,
    operation: &str,
    body: &Value,
) -> anyhow::Result<Value> {
    let (status, answer) = connection.call(server, operation, &body.to_string()).await?;
    if status != 200 {
        bail!("{operation}: {status} {}", String::from_utf8_lossy(answer));
    }
    Ok(serde_json::from_slice(answer)?)
}

/// What is asked for, and over how many connections.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub dataset: Dataset,
    pub workload: Workload,
    pub connections: usize,
    pub seconds: f64,
}

/// What the rounds so far have found.
pub struct Rounds {
    tally: Tally,
    cpu: Duration,
    resident_bytes: u64,
}

impl Rounds {
    pub fn new() -> anyhow::Result<Rounds> {
        Ok(Rounds { tally: Tally::new()?, cpu: Duration::ZERO, resident_bytes: 0 })
    }

    /// One more: asks as fast as the answers come.
    pub async fn run(&mut self, server: &Arc<Server>, load: Load) -> anyhow::Result<()> {
        let prepared = prepare(server, load).await?;
        let before = server.cpu()?;
        let started = Instant::now();
        let mut callers = JoinSet::new();
        for (connection, prepared) in prepared {
            let (repeats, duration) =
                (load.workload.repeats(), Duration::from_secs_f64(load.seconds));
            callers.spawn(ask(connection, prepared, repeats, started, duration));
        }
        while let Some(tally) = callers.join_next().await {
            self.tally.add(&tally??)?;
        }
        self.tally.elapsed += started.elapsed();
        self.cpu += server.cpu()?.saturating_sub(before);
        self.resident_bytes = server.resident_bytes()?;
        Ok(())
    }

    /// All of them together.
    pub fn measured(&self) -> Measured {
        let Rounds { tally, cpu, resident_bytes } = self;
        let operations = tally.operations().max(1) as f64;
        Measured {
            operations_per_second: operations / tally.elapsed.as_secs_f64(),
            p50_micros: tally.quantile_micros(0.50),
            p99_micros: tally.quantile_micros(0.99),
            server_cpu_micros: cpu.as_secs_f64() * 1e6 / operations,
            server_resident_bytes: *resident_bytes as f64,
        }
    }
}

/// Connections, each with the requests that it will send.
async fn prepare(
    server: &Arc<Server>,
    load: Load,
) -> anyhow::Result<Vec<(Connection, Vec<Vec<u8>>)>> {
    let Load { dataset, workload, connections, seconds } = load;
    // New items differ from round to round.
    static ROUND: AtomicU64 = AtomicU64::new(0);
    let first = FRESH + (ROUND.fetch_add(1, Ordering::Relaxed) << 28);
    let fresh = Arc::new(AtomicU64::new(first));
    let count = (workload.requests_per_second() * seconds) as usize / connections + 1;
    let mut opened = Vec::new();
    for caller in 0..connections {
        let mut connection = Connection::open(server).await?;
        let mut picker =
            Picker::new(workload.operation(), dataset, caller as u64, Arc::clone(&fresh));
        let prepared: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let (operation, body) = requests::request(&dataset, picker.next());
                request(server, operation, &body.to_string())
            })
            .collect();
        // The first request of a connection is not measured.
        connection.call(server, "DescribeLimits", "{}").await?;
        opened.push((connection, prepared));
    }
    Ok(opened)
}

async fn ask(
    mut connection: Connection,
    prepared: Vec<Vec<u8>>,
    repeats: bool,
    started: Instant,
    duration: Duration,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::new()?;
    loop {
        for request in &prepared {
            let asked = Instant::now();
            if asked.duration_since(started) >= duration {
                return Ok(tally);
            }
            let (status, answer) = connection.send(request).await?;
            tally.record(asked.elapsed());
            if status != 200 {
                bail!("{status} {}", String::from_utf8_lossy(answer));
            }
        }
        if !repeats {
            return Ok(tally);
        }
    }
}
