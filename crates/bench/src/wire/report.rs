//! The table of results, and the figures that are promised.

use std::fmt;

use serde::Serialize;

use super::drive::{Measured, Workload};
use super::servers::Kind;
use super::start::FirstStart;
use crate::report::table::{Table, figure};

/// What one round found.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub workload: Workload,
    pub connections: usize,
    pub server: Kind,
    pub measured: Measured,
}

/// A promised figure and what was found.
#[derive(Clone, Debug, Serialize)]
pub struct Promise {
    name: String,
    found: f64,
    least: Option<f64>,
    most: Option<f64>,
}

impl Promise {
    fn is_met(&self) -> bool {
        self.least.is_none_or(|least| self.found >= least)
            && self.most.is_none_or(|most| self.found <= most)
    }
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct WireReport {
    items: u64,
    seconds: f64,
    first_start: Option<FirstStart>,
    rows: Vec<Row>,
    promises: Vec<Promise>,
}

/// How many figures are promised: two for each workload, one beside the bare server, and two for the
/// first start.
const PROMISES: usize = 2 * Workload::ALL.len() + 3;
/// At so many connections the figures are promised.
const PROMISED_AT: usize = 64;

impl WireReport {
    /// Judges the rounds.
    pub fn new(
        items: u64,
        seconds: f64,
        first_start: Option<FirstStart>,
        rows: Vec<Row>,
    ) -> WireReport {
        let mut promises = promises(&rows);
        promises.extend(first_start.into_iter().flat_map(promises_of_start));
        WireReport { items, seconds, first_start, rows, promises }
    }

    /// Is every promise kept? What was not measured is not.
    pub fn is_met(&self) -> bool {
        self.promises.len() == PROMISES && self.promises.iter().all(Promise::is_met)
    }
}

fn find(rows: &[Row], workload: Workload, connections: usize, server: Kind) -> Option<&Measured> {
    let is_it = |row: &&Row| {
        row.workload == workload && row.connections == connections && row.server == server
    };
    rows.iter().find(is_it).map(|row| &row.measured)
}

fn promises(rows: &[Row]) -> Vec<Promise> {
    let mut promises = Vec::new();
    for workload in Workload::ALL {
        let at = |server| find(rows, workload, PROMISED_AT, server);
        let (Some(ours), Some(theirs)) = (at(Kind::Plinth), at(Kind::Dynoxide)) else { continue };
        let least = match workload {
            Workload::PutItem | Workload::UpdateItem | Workload::TransactWriteItems => 8.0,
            Workload::GetItem => 3.0,
            Workload::Query | Workload::QueryIndex => 4.0,
        };
        promises.push(Promise {
            name: format!("{}: ops/s, plinth / dynoxide", workload.name()),
            found: ours.operations_per_second / theirs.operations_per_second,
            least: Some(least),
            most: None,
        });
        promises.push(Promise {
            name: format!("{}: p99 of plinth / p50 of dynoxide", workload.name()),
            found: ours.p99_micros / theirs.p50_micros,
            least: None,
            most: Some(1.0),
        });
    }
    let at = |server| find(rows, Workload::GetItem, PROMISED_AT, server);
    if let (Some(ours), Some(bare)) = (at(Kind::Plinth), at(Kind::Bare)) {
        promises.push(Promise {
            name: "GetItem: server CPU, plinth / bare hyper".to_owned(),
            found: ours.server_cpu_micros / bare.server_cpu_micros,
            least: None,
            most: Some(3.0),
        });
    }
    promises
}

fn promises_of_start(start: FirstStart) -> [Promise; 2] {
    let most = |name: &str, found, most| Promise {
        name: name.to_owned(),
        found,
        least: None,
        most: Some(most),
    };
    [
        most("first start: ms to the first answer", start.answer_millis, 100.0),
        most("first start: MB of memory when idle", start.idle_bytes / 1e6, 40.0),
    ]
}

impl fmt::Display for WireReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} items in each table, rounds of {} s\n", self.items, self.seconds)?;
        let mut table = Table::new(&[
            "workload",
            "connections",
            "server",
            "ops/s",
            "ratio",
            "p50 µs",
            "p99 µs",
            "CPU µs/op",
            "MB",
        ]);
        for row in &self.rows {
            let ours = find(&self.rows, row.workload, row.connections, Kind::Plinth);
            let ratio = ours.filter(|_| row.server != Kind::Plinth).map_or(String::new(), |ours| {
                let ratio = ours.operations_per_second / row.measured.operations_per_second;
                format!("{}×", figure(ratio))
            });
            let measured = &row.measured;
            table.row(vec![
                row.workload.name().to_owned(),
                row.connections.to_string(),
                row.server.name().to_owned(),
                figure(measured.operations_per_second),
                ratio,
                figure(measured.p50_micros),
                figure(measured.p99_micros),
                figure(measured.server_cpu_micros),
                figure(measured.server_resident_bytes / 1e6),
            ]);
        }
        writeln!(f, "{table}\nratio: how many times as fast Plinth is\n")?;
        let mut table = Table::new(&["figure", "found", "promised", ""]);
        for promise in &self.promises {
            let limit = match (promise.least, promise.most) {
                (Some(least), _) => format!("≥ {}", figure(least)),
                (None, most) => format!("≤ {}", figure(most.unwrap_or(f64::NAN))),
            };
            let verdict = if promise.is_met() { "met" } else { "MISSED" };
            table.row(vec![promise.name.clone(), figure(promise.found), limit, verdict.to_owned()]);
        }
        writeln!(f, "{table}")
    }
}
