//! One commit in the making: what a job reads and stages.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use values::{AttributeValue, Item, size};

use super::executor::State;
use super::group::PendingWrites;
use crate::Error;
use crate::catalog::{Catalog, Index, StreamDefinition, Table, TableDefinition};
use crate::counters::Counters;
use crate::index_entries::{self, Held, IndexCharge};
use crate::keys::{self, ItemKey, TableNumber};
use crate::log::{self, ItemChange};
use crate::shapes::{IndexStatus, StreamViewType};
use crate::storage::{Space, StorageError};
use crate::stored::{self, NewItem};

/// What a job sees and stages. Reads show the result of every job before this one and of this job
/// itself; the staged writes become real together, if the job succeeds.
pub struct Transaction<'a> {
    state: &'a mut State,
    writes: PendingWrites,
    changes: Vec<u8>,
    change_count: u16,
    catalog: Option<Arc<Catalog>>,
    counters: BTreeMap<TableNumber, Counters>,
    failure: Option<StorageError>,
}

/// What one transaction after the other fills and empties.
#[derive(Default)]
pub(super) struct Buffers {
    writes: PendingWrites,
    changes: Vec<u8>,
}

impl Buffers {
    /// Those that are empty again. What an unusual transaction needed is given back.
    fn emptied(mut writes: PendingWrites, mut changes: Vec<u8>) -> Buffers {
        const KEYS_MAX: usize = 128;
        const BYTES_MAX: usize = 64 * 1024;
        writes.clear_to(KEYS_MAX);
        changes.clear();
        changes.shrink_to(BYTES_MAX);
        Buffers { writes, changes }
    }
}

/// What a write did, for answers and capacity.
#[derive(Clone, Debug, Default)]
pub struct WriteEffect {
    /// Bytes of the item before; 0 if there was none.
    pub old_size: usize,
    /// Bytes of the item after; 0 if there is none.
    pub new_size: usize,
    /// What each index is charged.
    pub index_charges: Vec<IndexCharge>,
    /// Bytes of the item collection after the write, for tables with local indexes.
    pub collection_bytes: Option<u64>,
}

/// One item's change.
pub struct ItemWrite<'a> {
    /// The table.
    pub table: &'a Table,
    /// The item's storage key.
    pub key: &'a ItemKey,
    /// What was there.
    pub old: Option<&'a Item>,
    /// What shall be there.
    pub new: Option<&'a NewItem>,
    /// The item has expired.
    pub by_time_to_live: bool,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(state: &'a mut State) -> Self {
        let Buffers { writes, changes } = std::mem::take(&mut state.buffers);
        Transaction {
            state,
            writes,
            changes,
            change_count: 0,
            catalog: None,
            counters: BTreeMap::new(),
            failure: None,
        }
    }

    /// The tables as they are for this commit.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.catalog.as_ref().unwrap_or(&self.state.catalog)
    }

    /// The time of this commit in milliseconds.
    pub fn now_millis(&self) -> u64 {
        self.state.clock.now_millis().max(self.state.head.time)
    }

    /// The number this commit will have.
    pub fn sequence(&self) -> u64 {
        self.state.head.sequence + 1
    }

    /// The value of a key.
    pub fn get(&mut self, space: Space, key: &Bytes) -> Result<Option<Bytes>, Error> {
        if let Some(pending) = self.writes.get(space, key) {
            return Ok(pending);
        }
        self.state.get(space, key).map_err(|error| {
            let stopped = Error::Stopped(error.to_string());
            self.failure = Some(error);
            stopped
        })
    }

    /// The item with this key.
    pub fn item(&mut self, key: &ItemKey) -> Result<Option<Item>, Error> {
        let bytes = self.get(Space::Items, key.bytes())?;
        bytes.as_deref().map(stored::item).transpose()
    }

    /// Stages a raw write.
    pub fn set(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        self.writes.set(space, key, value);
    }

    /// Stages the change of one item with everything that follows from it: index entries, expiry,
    /// stream pointer, log record, counters. A write that changes nothing stages nothing (and writes
    /// no stream record: rule 58).
    pub fn write_item(&mut self, write: ItemWrite<'_>) -> Result<WriteEffect, Error> {
        let ItemWrite { table, key, old, new, .. } = write;
        let mut effect = WriteEffect {
            old_size: old.map_or(0, size::item_size),
            new_size: new.map_or(0, |new| new.size),
            ..WriteEffect::default()
        };
        let new_bytes = new.map(|new| &new.bytes);
        let new = new.map(|new| &*new.item);
        let changed = old != new;
        if changed {
            self.log_item_change(table, key, old, new_bytes, write.by_time_to_live);
            self.set(Space::Items, key.bytes().clone(), new_bytes.cloned());
            self.write_expiry(table, key, old, new);
        }
        let old_size = old.map(|_| effect.old_size);
        let new_size = new.map(|_| effect.new_size);
        let mut local_bytes = 0_i64;
        for index in &table.indexes {
            let after = new.and_then(|new| Held::of(index, new, effect.new_size));
            let before = match changed {
                true => self.entered(table, index, key, old, effect.old_size)?,
                false => after,
            };
            let change = index_entries::change(table, index, key, before, after);
            if let Some(removed) = change.removed {
                self.set(Space::Index, removed, None);
            }
            if let Some((added, value)) = change.added {
                self.set(Space::Index, added, Some(value));
            }
            if changed {
                let count = self.counters_of(table)?.indexes.entry(index.number).or_default();
                count.change(change.old_size, change.new_size);
            }
            if !index.is_global() {
                let size = |size: Option<usize>| size.unwrap_or(0) as i64;
                local_bytes += size(change.new_size) - size(change.old_size);
            }
            if change.units > 0 {
                effect.index_charges.push(IndexCharge {
                    index_name: index.name.clone(),
                    is_global: index.is_global(),
                    units: change.units,
                });
            }
        }
        if changed {
            self.counters_of(table)?.table.change(old_size, new_size);
        }
        if table.has_local_indexes() {
            let grown = effect.new_size as i64 - effect.old_size as i64 + local_bytes;
            effect.collection_bytes = Some(self.grow_collection(table, key, grown)?);
        }
        Ok(effect)
    }

    /// The item before a write, as far as an index knows it: not if its index key is one that only
    /// items from before the index can have, and not if it is still to be entered.
    fn entered<'i>(
        &mut self,
        table: &Table,
        index: &Index,
        key: &ItemKey,
        old: Option<&'i Item>,
        size: usize,
    ) -> Result<Option<Held<'i>>, Error> {
        let old = old.and_then(|old| Held::of(index, old, size));
        match old.filter(|_| index.status == IndexStatus::Creating) {
            None => Ok(old),
            Some(held) => match index_entries::entry_key(table, index, key, held.index_key) {
                None => Ok(None),
                Some(entry) => Ok(self.get(Space::Index, &entry)?.map(|_| held)),
            },
        }
    }

    fn log_item_change(
        &mut self,
        table: &Table,
        key: &ItemKey,
        old: Option<&Item>,
        new_bytes: Option<&Bytes>,
        by_time_to_live: bool,
    ) {
        let stream = table.stream.and_then(|number| self.catalog().streams.get(&number).cloned());
        let keeps_old = stream.as_ref().is_some_and(|stream| {
            matches!(stream.view_type, StreamViewType::OldImage | StreamViewType::NewAndOldImages)
        });
        let old_bytes = old.filter(|_| keeps_old).map(stored::encode);
        log::append_item_change(
            &mut self.changes,
            &ItemChange {
                table: table.number,
                item_key: key.item_part(),
                existed: old.is_some(),
                old: old_bytes.as_deref(),
                new: new_bytes.map(|bytes| bytes.as_ref()),
                by_time_to_live,
            },
        );
        if let Some(stream) = stream {
            let pointer = keys::stream_pointer(stream.number, self.sequence(), self.change_count);
            self.set(Space::Index, pointer, Some(Bytes::new()));
        }
        self.change_count += 1;
    }

    fn write_expiry(
        &mut self,
        table: &Table,
        key: &ItemKey,
        old: Option<&Item>,
        new: Option<&Item>,
    ) {
        let Some(time_to_live) = &table.time_to_live else { return };
        let before = old.and_then(|item| expiry_seconds(item, &time_to_live.attribute_name));
        let after = new.and_then(|item| expiry_seconds(item, &time_to_live.attribute_name));
        if before == after {
            return;
        }
        if let Some(seconds) = before {
            self.set(Space::Index, keys::expiry_entry(table.number, seconds, key), None);
        }
        if let Some(seconds) = after {
            let entry = keys::expiry_entry(table.number, seconds, key);
            self.set(Space::Index, entry, Some(Bytes::new()));
        }
    }

    /// The counts of a table, to be changed by this commit.
    pub fn counters_of(&mut self, table: &Table) -> Result<&mut Counters, Error> {
        use std::collections::btree_map::Entry;
        match self.counters.entry(table.number) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let counters = self.state.counters(table.number).map_err(|error| {
                    let stopped = Error::Stopped(error.to_string());
                    self.failure = Some(error);
                    stopped
                })?;
                Ok(entry.insert(counters))
            }
        }
    }

    /// Changes the stored size of an item's collection and gives the new one.
    fn grow_collection(&mut self, table: &Table, key: &ItemKey, grown: i64) -> Result<u64, Error> {
        let sort_type = table.sort_attribute().map(|attribute| attribute.attribute_type);
        let hash_type = table.hash_attribute().attribute_type;
        let place = keys::decode_item_part(key.item_part(), hash_type, sort_type)
            .and_then(|(hash, _)| keys::partition_prefix(table.number, &hash))
            .map(|prefix| keys::meta(b'z', &[&prefix]))
            .ok_or_else(stored::damaged)?;
        let before = match self.get(Space::Meta, &place)? {
            None => 0,
            Some(bytes) => u64::from_be_bytes((&*bytes).try_into().map_err(|_| stored::damaged())?),
        };
        let after = before.saturating_add_signed(grown);
        if grown != 0 {
            let value = (after > 0).then(|| Bytes::copy_from_slice(&after.to_be_bytes()));
            self.set(Space::Meta, place, value);
        }
        Ok(after)
    }

    /// Stages the creation or change of a table.
    pub fn put_table(&mut self, definition: TableDefinition) -> Arc<Table> {
        let bytes = stored::encode_record(&definition);
        log::append_table_defined(&mut self.changes, &bytes);
        self.change_count += 1;
        self.set(Space::Meta, keys::meta(b't', &[definition.name.as_bytes()]), Some(bytes));
        let table = Arc::new(Table::new(definition));
        self.catalog_mut().put_table(Arc::clone(&table));
        table
    }

    /// Stages the removal of a table. Its items are purged afterwards, in the background.
    pub fn remove_table(&mut self, table: &Table) {
        log::append_table_deleted(&mut self.changes, table.number);
        self.change_count += 1;
        self.set(Space::Meta, keys::meta(b't', &[table.name.as_bytes()]), None);
        self.set(Space::Meta, keys::meta(b'c', &[&table.number.to_be_bytes()]), None);
        self.purge_later(table.number, 0);
        self.catalog_mut().remove_table(&table.name);
    }

    /// Stages a note that a deleted table (index 0) or index is left to purge.
    pub fn purge_later(&mut self, table: TableNumber, index: keys::IndexNumber) {
        let key = keys::meta(b'p', &[&table.to_be_bytes(), &index.to_be_bytes()]);
        self.set(Space::Meta, key, Some(Bytes::new()));
    }

    /// Stages the creation or change of a stream.
    pub fn put_stream(&mut self, stream: StreamDefinition) {
        let key = keys::meta(b's', &[&stream.number.to_be_bytes()]);
        self.set(Space::Meta, key, Some(stored::encode_record(&stream)));
        self.catalog_mut().streams.insert(stream.number, Arc::new(stream));
    }

    /// Stages the end of a stream whose records have all been trimmed.
    pub fn remove_stream(&mut self, number: keys::StreamNumber) {
        self.set(Space::Meta, keys::meta(b's', &[&number.to_be_bytes()]), None);
        self.catalog_mut().streams.remove(&number);
    }

    /// A number for a new table.
    pub fn next_table_number(&mut self) -> TableNumber {
        let catalog = self.catalog_mut();
        catalog.last_table += 1;
        let number = catalog.last_table;
        self.store_last_numbers();
        number
    }

    /// A number for a new stream.
    pub fn next_stream_number(&mut self) -> keys::StreamNumber {
        let catalog = self.catalog_mut();
        catalog.last_stream += 1;
        let number = catalog.last_stream;
        self.store_last_numbers();
        number
    }

    fn store_last_numbers(&mut self) {
        let catalog = self.catalog();
        let numbers = stored::encode_record(&(catalog.last_table, catalog.last_stream));
        self.set(Space::Meta, keys::meta(b'n', &[]), Some(numbers));
    }

    fn catalog_mut(&mut self) -> &mut Catalog {
        let current = &self.state.catalog;
        Arc::make_mut(self.catalog.get_or_insert_with(|| Arc::clone(current)))
    }

    /// Makes the staged writes part of the current group, as one commit of the log.
    pub(super) fn accept(self) {
        let Transaction { state, mut writes, changes, catalog, counters, .. } = self;
        if let Some(catalog) = catalog {
            state.catalog = Arc::clone(&catalog);
            state.group.catalog = Some(catalog);
        }
        for (table, counters) in counters {
            if state.catalog.table_by_number(table).is_some() {
                state.set_counters(table, counters);
            }
        }
        if !changes.is_empty() {
            state.append_to_log(&changes);
        }
        state.group.writes.absorb(&mut writes);
        state.buffers = Buffers::emptied(writes, changes);
    }

    /// The storage error that a read of this job met, if any.
    pub(super) fn take_failure(&mut self) -> Option<StorageError> {
        self.failure.take()
    }
}

/// The second at which an item expires, if its attribute says so: only a number counts, and of that
/// the whole seconds (rule 61).
pub fn expiry_seconds(item: &Item, attribute_name: &str) -> Option<u64> {
    match item.get(attribute_name)? {
        AttributeValue::N(number) => {
            number.whole_part().and_then(|seconds| u64::try_from(seconds).ok())
        }
        _ => None,
    }
}
