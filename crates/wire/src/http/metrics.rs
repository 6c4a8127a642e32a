//! What the server counts, for Prometheus.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use database::Database;
use database::operations::{describe_table::DescribeTableRequest, list_tables::ListTablesRequest};
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use super::Connections;
use crate::json::Json;
use crate::{Operation, WireError};

/// Everything that is counted while the server runs.
pub struct Metrics {
    registry: Registry,
    /// In the order of [`Operation::ALL`].
    operations: Vec<OperationMetrics>,
    errors: Family<ErrorLabels, Counter>,
    pub(super) connections: Connections,
    requests: AtomicU64,
    /// Tells the request ids of this process from those of others.
    seed: [u64; 4],
}

struct OperationMetrics {
    requests: Counter,
    seconds: Histogram,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    operation: &'static str,
    error: ErrorName,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ErrorName(&'static str);

impl EncodeLabelValue for ErrorName {
    fn encode(
        &self,
        encoder: &mut prometheus_client::encoding::LabelValueEncoder<'_>,
    ) -> std::fmt::Result {
        EncodeLabelValue::encode(&self.0, encoder)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TableLabels {
    table: String,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("plinth");
        let requests = Family::<OperationLabels, Counter>::default();
        // From 50 microseconds to 1.6 seconds, doubling.
        let seconds = Family::<OperationLabels, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.000_05, 2.0, 16))
        });
        let errors = Family::<ErrorLabels, Counter>::default();
        let connections = Connections::default();
        registry.register("requests", "Requests answered, by operation", requests.clone());
        registry.register_with_unit(
            "request",
            "Time from the headers of a request to its answer, by operation",
            Unit::Seconds,
            seconds.clone(),
        );
        registry.register(
            "errors",
            "Requests that failed, by operation and exception",
            errors.clone(),
        );
        registry.register("connections", "Open connections", connections.open.clone());
        registry.register(
            "refused_connections",
            "Connections closed because there were too many",
            connections.refused.clone(),
        );
        let operations = Operation::ALL.iter().map(|operation| {
            let labels = OperationLabels { operation: operation.name() };
            OperationMetrics {
                requests: requests.get_or_create_owned(&labels),
                seconds: seconds.get_or_create_owned(&labels),
            }
        });
        let operations = operations.collect();
        let state = std::hash::RandomState::new();
        let random = |place: u64| std::hash::BuildHasher::hash_one(&state, place);
        Metrics {
            registry,
            operations,
            errors,
            connections,
            requests: AtomicU64::new(0),
            seed: [random(0), random(1), random(2), random(3)],
        }
    }

    /// Bits that no other request has had.
    pub(super) fn next_request(&self) -> [u64; 4] {
        let count = self.requests.fetch_add(1, Ordering::Relaxed);
        // An odd factor makes neighbours look different and keeps them distinct.
        let mixed = |factor: u64| count.wrapping_mul(factor);
        let [a, b, c, d] = self.seed;
        [
            a ^ mixed(0x9E37_79B9_7F4A_7C15),
            b ^ mixed(0xC2B2_AE3D_27D4_EB4F).rotate_left(31),
            c ^ mixed(0x1656_67B1_9E37_79F9),
            d ^ mixed(0x85EB_CA77_C2B2_AE63).rotate_left(17),
        ]
    }

    pub(super) fn count(
        &self,
        operation: Operation,
        outcome: &Result<Json, WireError>,
        time: Duration,
    ) {
        if let Some(metrics) = self.operations.get(operation as usize) {
            metrics.requests.inc();
            metrics.seconds.observe(time.as_secs_f64());
        }
        if let Err(error) = outcome {
            let error = ErrorName(error.kind.name());
            let labels = ErrorLabels { operation: operation.name(), error };
            self.errors.get_or_create(&labels).inc();
        }
    }

    /// Everything in Prometheus' text format.
    pub(super) async fn text(&self, database: &Database, body_bytes: usize) -> String {
        let mut text = String::new();
        let mut now = Registry::with_prefix("plinth");
        register_database(&mut now, database);
        register_tables(&mut now, database).await;
        let bytes = ConstGauge::new(i64::try_from(body_bytes).unwrap_or(i64::MAX));
        now.register("request_bodies_bytes", "Bytes of request bodies in memory", bytes);
        // Writing to a string does not fail.
        let _ = encode(&mut text, &now);
        // One document has one end.
        let end = text.rfind("# EOF").unwrap_or(text.len());
        text.truncate(end);
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn register_database(registry: &mut Registry, database: &Database) {
    let statistics = database.statistics();
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let counters = [
        ("commit_groups", "Groups of writes made durable", load(&statistics.groups)),
        ("commit_jobs", "Writes in those groups", load(&statistics.jobs)),
    ];
    for (name, help, value) in counters {
        registry.register(name, help, ConstCounter::new(value));
    }
    let seconds = load(&statistics.commit_micros) as f64 / 1e6;
    registry.register(
        "commit_time_seconds",
        "Time spent writing and syncing groups; divide by commit_groups for the time of one",
        ConstCounter::new(seconds),
    );
    let gauge = |value: u64| ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
    registry.register("log_sequence", "The last durable commit", gauge(load(&statistics.sequence)));
    registry.register("disk_bytes", "Bytes of the storage on disk", gauge(database.disk_bytes()));
    let lag = database.expiry_lag_seconds();
    let help = "How far the sweeper of expired items is behind the clock, at most";
    registry.register("expiry_lag_seconds", help, gauge(lag));
    let is_stopped = u64::from(database.stopped().is_some());
    let help = "1 if the database has stopped after a failed write";
    registry.register("stopped", help, gauge(is_stopped));
    let is_refusing = u64::from(database.writes_refused().is_some());
    let help = "1 while writes are refused because the disk is nearly full";
    registry.register("writes_refused", help, gauge(is_refusing));
}

/// Items and bytes of every table.
async fn register_tables(registry: &mut Registry, database: &Database) {
    let items = Family::<TableLabels, Gauge>::default();
    let bytes = Family::<TableLabels, Gauge>::default();
    let mut start = None;
    loop {
        let request = ListTablesRequest { exclusive_start_table_name: start, limit: None };
        let Ok(page) = database.list_tables(request).await else { break };
        for name in &page.table_names {
            let request = DescribeTableRequest { table_name: name.clone() };
            let Ok(described) = database.describe_table(request).await else { continue };
            let labels = TableLabels { table: name.clone() };
            let gauge = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
            items.get_or_create(&labels).set(gauge(described.table.item_count));
            bytes.get_or_create(&labels).set(gauge(described.table.table_size_bytes));
        }
        start = page.last_evaluated_table_name;
        if start.is_none() {
            break;
        }
    }
    registry.register("table_items", "Items of each table", items);
    registry.register("table_bytes", "Bytes of each table's items", bytes);
}
