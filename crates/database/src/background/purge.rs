//! Purging what a deleted table or index leaves behind.
//!
//! Deleting takes a table or index out of the catalog and leaves a note (`p`, see [`crate::keys`]);
//! numbers are never used again, so its keys are out of reach from then on and can go at leisure.
//! The note goes last.

use std::collections::HashMap;

use bytes::Bytes;

use super::{JOB_KEYS, ROUND_ITEMS, read_keys, remove_keys};
use crate::commit::Transaction;
use crate::keys::{self, IndexNumber, TableNumber};
use crate::storage::Space;
use crate::streams::view::damaged;
use crate::{Database, Error};

/// A deleted table (index 0) or index.
type Note = (TableNumber, IndexNumber);

/// Where each purge under way is: which of its ranges, and the next key in it.
#[derive(Debug, Default)]
pub struct Cursors(HashMap<Note, (usize, Bytes)>);

/// Removes what is left; gives how many keys were removed.
pub fn run(database: &Database, cursors: &mut Cursors) -> Result<usize, Error> {
    let start = keys::meta(b'p', &[]);
    let end = keys::prefix_end(&start);
    let notes = read_keys(&*database.snapshot(), Space::Meta, start, end, usize::MAX)?;
    let mut removed = 0;
    for note in notes {
        let number = decode_note(&note).ok_or_else(damaged)?;
        removed += purge(database, cursors, number)?;
    }
    Ok(removed)
}

fn decode_note(key: &[u8]) -> Option<Note> {
    let table = key.get(1..5)?.try_into().ok()?;
    let index = key.get(5..7)?.try_into().ok()?;
    Some((u32::from_be_bytes(table), u16::from_be_bytes(index)))
}

/// Everything that lies under a deleted table or index.
fn ranges((table, index): Note) -> Vec<(Space, Bytes)> {
    if index != 0 {
        return vec![(Space::Index, keys::index_prefix(table, index).into())];
    }
    let number = table.to_be_bytes();
    vec![
        (Space::Items, keys::table_prefix(table).into()),
        (Space::Index, keys::meta(b'g', &[&number])),
        (Space::Index, keys::expiry_prefix(table).into()),
        (Space::Meta, keys::meta(b'z', &[&number])),
        (Space::Meta, keys::meta(b'c', &[&number])),
    ]
}

fn purge(database: &Database, cursors: &mut Cursors, note: Note) -> Result<usize, Error> {
    let ranges = ranges(note);
    let (mut at, mut next) = cursors.0.remove(&note).unwrap_or_default();
    let mut removed = 0;
    while let Some((space, prefix)) = ranges.get(at) {
        if removed >= ROUND_ITEMS || database.background().is_stopped() {
            cursors.0.insert(note, (at, next));
            return Ok(removed);
        }
        let start = next.clone().max(prefix.clone());
        let keys =
            read_keys(&*database.snapshot(), *space, start, keys::prefix_end(prefix), JOB_KEYS)?;
        match keys.last() {
            None => {
                at += 1;
                next = Bytes::new();
            }
            Some(last) => {
                next = keys::after(last);
                removed += keys.len();
                database.options().points.reach("purge:chunk");
                remove_keys(database, *space, keys)?;
            }
        }
    }
    database.commit_blocking(move |transaction| finish(transaction, note))?;
    Ok(removed + 1)
}

/// Removes the note, and of an index its count.
fn finish(transaction: &mut Transaction<'_>, (number, index): Note) -> Result<(), Error> {
    if let Some(table) = transaction.catalog().table_by_number(number).cloned()
        && index != 0
    {
        transaction.counters_of(&table)?.indexes.remove(&index);
    }
    let note = keys::meta(b'p', &[&number.to_be_bytes(), &index.to_be_bytes()]);
    transaction.set(Space::Meta, note, None);
    Ok(())
}
