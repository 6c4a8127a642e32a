//! Filling a new index, or the expiry index, with the items that were there before it.
//!
//! From the moment an index is in the catalog every write keeps it up to date, so the backfill only
//! has to visit each item once, in any order and at any time: it enters the item as it is *then*,
//! unless it has been entered already. Nobody is blocked meanwhile.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use values::{Item, size};

use super::ROUND_ITEMS;
use crate::catalog::{Catalog, Index, Table};
use crate::commit::{Transaction, expiry_seconds};
use crate::index_entries::{self, Held};
use crate::keys::{self, IndexNumber, ItemKey, TableNumber};
use crate::shapes::IndexStatus;
use crate::storage::{Snapshot, Space};
use crate::streams::view::unreadable;
use crate::{Database, Error};

/// Items that one job enters at most.
const CHUNK_ITEMS: usize = 200;

/// Bytes of items that one job reads, about.
const CHUNK_BYTES: usize = 1 << 20;

/// What is to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Target {
    Index(IndexNumber),
    Expiry,
}

type Task = (TableNumber, Target);

/// The next item of each task under way.
#[derive(Debug, Default)]
pub struct Cursors(HashMap<Task, Bytes>);

/// Fills what is to be filled; gives how many items were visited.
pub fn run(database: &Database, cursors: &mut Cursors) -> Result<usize, Error> {
    let tasks = tasks(&database.catalog());
    cursors.0.retain(|task, _| tasks.contains(task));
    let mut visited = 0;
    for task in tasks {
        visited += fill(database, cursors, task)?;
    }
    Ok(visited)
}

fn tasks(catalog: &Catalog) -> BTreeSet<Task> {
    let of_table = |table: &Arc<Table>| {
        let number = table.number;
        let indexes = table.indexes.iter().filter(|index| index.status == IndexStatus::Creating);
        let indexes: Vec<Task> =
            indexes.map(|index| (number, Target::Index(index.number))).collect();
        let expiry = table.time_to_live.as_ref().filter(|time_to_live| time_to_live.backfilling);
        indexes.into_iter().chain(expiry.map(|_| (number, Target::Expiry)))
    };
    catalog.tables.values().flat_map(of_table).collect()
}

/// Visits items in chunks, from where the last round ended.
fn fill(database: &Database, cursors: &mut Cursors, task: Task) -> Result<usize, Error> {
    let prefix = keys::table_prefix(task.0);
    let mut visited = 0;
    while visited < ROUND_ITEMS && !database.background().is_stopped() {
        let start = cursors.0.get(&task).cloned().unwrap_or_else(|| Bytes::from(prefix.clone()));
        let chunk = next_chunk(&*database.snapshot(), start, keys::prefix_end(&prefix))?;
        let Some(last) = chunk.last() else {
            database.options().points.reach("backfill:finish");
            database.commit_blocking(move |transaction| finish(transaction, task))?;
            cursors.0.remove(&task);
            return Ok(visited + 1);
        };
        let next = keys::after(last);
        visited += chunk.len();
        database.options().points.reach("backfill:chunk");
        database.commit_blocking(move |transaction| enter(transaction, task, &chunk))?;
        cursors.0.insert(task, next);
    }
    Ok(visited)
}

fn next_chunk(snapshot: &dyn Snapshot, start: Bytes, end: Bytes) -> Result<Vec<Bytes>, Error> {
    let mut chunk = Vec::new();
    let mut chunk_bytes = 0;
    for entry in snapshot.range(Space::Items, start, end, false).take(CHUNK_ITEMS) {
        let (key, value) = entry.map_err(unreadable)?;
        chunk_bytes += value.len();
        chunk.push(key);
        if chunk_bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(chunk)
}

/// Enters the items of a chunk as they are now. A task that has gone meanwhile, with its table or
/// index, has nothing to enter.
fn enter(transaction: &mut Transaction<'_>, task: Task, chunk: &[Bytes]) -> Result<(), Error> {
    let (number, target) = task;
    let Some(table) = transaction.catalog().table_by_number(number).cloned() else { return Ok(()) };
    for key in chunk {
        let key = ItemKey::from_item_part(number, key.get(4..).unwrap_or_default());
        let Some(item) = transaction.item(&key)? else { continue };
        match target {
            Target::Index(number) => {
                let index = table.indexes.iter().find(|index| index.number == number);
                let Some(index) = index else { return Ok(()) };
                enter_into_index(transaction, &table, index, &key, &item)?;
            }
            Target::Expiry => {
                let Some(time_to_live) = &table.time_to_live else { return Ok(()) };
                if let Some(seconds) = expiry_seconds(&item, &time_to_live.attribute_name) {
                    let entry = keys::expiry_entry(table.number, seconds, &key);
                    transaction.set(Space::Index, entry, Some(Bytes::new()));
                }
            }
        }
    }
    Ok(())
}

/// Stages the index entry of an item, unless it has one: what a write since the index was added has
/// entered, it has counted too. Items whose values cannot be index keys are left out (rule 46).
fn enter_into_index(
    transaction: &mut Transaction<'_>,
    table: &Table,
    index: &Index,
    key: &ItemKey,
    item: &Item,
) -> Result<(), Error> {
    let held = Held::of(index, item, size::item_size(item));
    let change = index_entries::change(table, index, key, None, held);
    if let Some((entry, value)) = change.added
        && transaction.get(Space::Index, &entry)?.is_none()
    {
        transaction.set(Space::Index, entry, Some(value));
        let count = transaction.counters_of(table)?.indexes.entry(index.number).or_default();
        count.change(None, change.new_size);
    }
    Ok(())
}

/// Every item has been visited: the index is ready.
fn finish(transaction: &mut Transaction<'_>, task: Task) -> Result<(), Error> {
    let (number, target) = task;
    let table = transaction.catalog().table_by_number(number);
    let Some(mut definition) = table.map(|table| table.definition().clone()) else {
        return Ok(());
    };
    match target {
        Target::Index(number) => {
            let index = definition.indexes.iter_mut().find(|index| index.number == number);
            let Some(index) = index.filter(|index| index.status == IndexStatus::Creating) else {
                return Ok(());
            };
            index.status = IndexStatus::Active;
        }
        Target::Expiry => match &mut definition.time_to_live {
            None => return Ok(()),
            Some(time_to_live) => time_to_live.backfilling = false,
        },
    }
    transaction.put_table(definition);
    Ok(())
}
