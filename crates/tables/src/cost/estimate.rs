//! The cost of one table.

use super::{Assumptions, Prices};
use crate::document::{
    AccessPattern, Environment, Frequency, Load, Operation, ProjectionType, System, Table,
};

const READ_UNIT_BYTES: u64 = 4_096;
const WRITE_UNIT_BYTES: u64 = 1_024;
const GIGABYTE: f64 = 1_073_741_824.0;
/// What an index entry weighs that holds keys only, and what is stored besides each item.
const KEYS_BYTES: u64 = 100;

/// What a table costs in a month, in dollars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCost {
    /// `system/table`.
    pub table: String,
    /// Whether its load is assumed, not stated.
    pub assumed: bool,
    /// Reads.
    pub reads: f64,
    /// Writes of the table.
    pub writes: f64,
    /// Writes of its indexes.
    pub index_writes: f64,
    /// Reads of its stream.
    pub stream: f64,
    /// Storage of the table and its indexes.
    pub storage: f64,
    /// Point-in-time recovery.
    pub recovery: f64,
    /// Scheduled backups, with their copies.
    pub backups: f64,
    /// The replica in another region.
    pub replica: f64,
}

impl TableCost {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.reads
            + self.writes
            + self.index_writes
            + self.stream
            + self.storage
            + self.recovery
            + self.backups
            + self.replica
    }
}

/// Estimates a table's cost in an environment.
pub fn estimate(
    table: &Table,
    system: &System,
    environment: Environment,
    assumptions: &Assumptions,
    prices: &Prices,
) -> TableCost {
    let name = format!("{}/{}", table.system, table.table_name);
    let stated = assumptions.loads.get(&name).or(table.load.as_ref());
    let load = stated.cloned().unwrap_or_else(|| assumed(table, assumptions));
    let units = count_units(table, &load, assumptions);
    let site = system.site(environment);
    let gigabytes = stored_gigabytes(table, &load);
    let table_gigabytes = (load.items * (load.average_item_bytes + KEYS_BYTES)) as f64 / GIGABYTE;
    let million = 1e6;
    let all_writes = (units.writes + units.index_writes) / million;
    let streamed = if table.streams.enabled { units.changes } else { 0.0 };
    let mut cost = TableCost {
        table: name,
        assumed: stated.is_none(),
        reads: units.reads / million * prices.million_reads,
        writes: units.writes / million * prices.million_writes,
        index_writes: units.index_writes / million * prices.million_writes,
        stream: streamed / 1e5 * prices.hundred_thousand_stream_reads,
        storage: gigabytes * prices.storage_gigabyte,
        recovery: if table.pitr.enabled { table_gigabytes * prices.recovery_gigabyte } else { 0.0 },
        backups: 0.0,
        replica: 0.0,
    };
    let regions = if site.backup_copy_region.is_some() { 2.0 } else { 1.0 };
    let kept = backups_kept(table, environment);
    cost.backups = table_gigabytes * kept * regions * prices.backup_gigabyte;
    if site.replica_region.is_some() {
        let changed = units.changes * load.average_item_bytes as f64 / GIGABYTE;
        cost.replica = all_writes * prices.million_replicated_writes
            + gigabytes * prices.storage_gigabyte
            + changed * prices.transfer_gigabyte;
    }
    cost
}

/// Units per month.
#[derive(Default)]
struct Units {
    reads: f64,
    writes: f64,
    index_writes: f64,
    changes: f64,
}

fn assumed(table: &Table, assumptions: &Assumptions) -> Load {
    let requests = |access: &AccessPattern| {
        let reads = access.operation.reads();
        if reads { assumptions.reads_per_pattern } else { assumptions.writes_per_pattern }
    };
    let patterns = table.access_patterns.iter();
    Load {
        average_item_bytes: assumptions.item_bytes,
        items: assumptions.items,
        requests_per_month: patterns.map(|access| (access.id.clone(), requests(access))).collect(),
    }
}

fn count_units(table: &Table, load: &Load, assumptions: &Assumptions) -> Units {
    let mut units = Units::default();
    let size = load.average_item_bytes;
    for access in &table.access_patterns {
        let requests = load.requests_per_month.get(&access.id).copied().unwrap_or_default() as f64;
        if access.operation.reads() {
            let bytes = match access.operation {
                Operation::Query => read_size(table, access, size) * assumptions.items_per_query,
                _ => size,
            };
            let consistent = if access.consistent_read { 1.0 } else { 0.5 };
            units.reads += requests * bytes.div_ceil(READ_UNIT_BYTES) as f64 * consistent;
        } else {
            let transaction = access.operation == Operation::TransactWriteItems;
            let factor = if transaction { 2.0 } else { 1.0 };
            units.changes += requests;
            units.writes += requests * size.div_ceil(WRITE_UNIT_BYTES) as f64 * factor;
            for index in table.indexes() {
                let bytes = entry_size(index.projection_type, size);
                units.index_writes += requests * bytes.div_ceil(WRITE_UNIT_BYTES) as f64;
            }
        }
    }
    units
}

fn read_size(table: &Table, access: &AccessPattern, size: u64) -> u64 {
    let index = access.index.as_deref().and_then(|name| table.index(name));
    index.map_or(size, |index| entry_size(index.projection_type, size))
}

fn entry_size(projection: ProjectionType, size: u64) -> u64 {
    match projection {
        ProjectionType::All => size,
        ProjectionType::KeysOnly => KEYS_BYTES.min(size),
        ProjectionType::Include => (2 * KEYS_BYTES).min(size),
    }
}

fn stored_gigabytes(table: &Table, load: &Load) -> f64 {
    let size = load.average_item_bytes;
    let entries = table.indexes().map(|index| entry_size(index.projection_type, size) + KEYS_BYTES);
    let bytes = load.items * (size + KEYS_BYTES + entries.sum::<u64>());
    bytes as f64 / GIGABYTE
}

/// Every backup is a whole copy.
fn backups_kept(table: &Table, environment: Environment) -> f64 {
    let backup = table.backup.get(environment);
    let days = f64::from(backup.retention_days.unwrap_or_default());
    match backup.frequency {
        Frequency::None => 0.0,
        Frequency::Daily => days,
        Frequency::Hourly => days * 24.0,
    }
}
