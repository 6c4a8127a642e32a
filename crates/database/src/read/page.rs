//! One page: entries in order until the limit, a megabyte, or the end.

use bytes::Bytes;
use expressions::Condition;
use values::{Item, limits, size};

use super::{Shown, Target};
use crate::capacity::{self, Meter};
use crate::keys::{self, ItemKey};
use crate::operations::get_item;
use crate::shapes::ProjectionType;
use crate::storage::Snapshot;
use crate::{Error, stored};

/// What to read.
pub struct PageRequest<'a> {
    /// The table or index.
    pub target: Target<'a>,
    /// First storage key.
    pub start: Bytes,
    /// Storage key to stop before.
    pub end: Bytes,
    /// Descending.
    pub reverse: bool,
    /// How many entries to look at, before the filter (rule 27).
    pub limit: Option<usize>,
    /// Which of them to show.
    pub filter: Option<&'a Condition>,
    /// What to show of them.
    pub shown: &'a Shown,
    /// Charged twice as much.
    pub consistent: bool,
    /// What other ranges have added to the same page before this one.
    pub bytes_before: usize,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Page {
    /// The items, unless only their number was asked for.
    pub items: Option<Vec<Item>>,
    /// How many passed the filter.
    pub count: u64,
    /// How many were looked at.
    pub scanned_count: u64,
    /// Whether there is more to read than this page holds.
    pub more: bool,
    /// How many bytes of entries were read.
    pub bytes: usize,
    /// Where to go on.
    pub last_evaluated_key: Option<Item>,
    /// What it cost.
    pub meter: Meter,
}

impl PageRequest<'_> {
    /// Continues after this key.
    pub fn resume_after(&mut self, key: Bytes) {
        if self.reverse {
            self.end = key.min(self.end.clone());
        } else {
            self.start = keys::after(&key).max(self.start.clone());
        }
    }

    /// Reads the page from one snapshot.
    pub fn read(self, snapshot: &dyn Snapshot) -> Result<Page, Error> {
        let mut page = Page::default();
        let mut items = Vec::new();
        let mut entry_bytes = 0;
        let mut table_bytes = 0;
        // What the last entry looked at holds; decoded again only if the page ends there.
        let mut last: Option<Bytes> = None;
        let space = self.target.space();
        for entry in snapshot.range(space, self.start.clone(), self.end.clone(), self.reverse) {
            let (_, value) = entry.map_err(unreadable)?;
            let entry = self.entry(snapshot, &value)?;
            let entry_size = size::item_size(&entry);
            // The entry that would exceed the page begins the next one; a page is never empty for
            // that reason (rule 29).
            let bytes = self.bytes_before + entry_bytes;
            if bytes + entry_size > limits::PAGE_BYTES_MAX && bytes > 0 {
                page.more = true;
                break;
            }
            entry_bytes += entry_size;
            page.scanned_count += 1;
            let item = if self.shown.from_table {
                let item = self.whole_item(snapshot, &entry)?;
                table_bytes += size::item_size(&item);
                item
            } else {
                entry
            };
            let passes = match self.filter {
                None => true,
                Some(filter) => filter.holds(&item)?,
            };
            let at_limit = self.limit.is_some_and(|limit| page.scanned_count >= limit as u64);
            last = Some(value);
            if passes {
                page.count += 1;
                if !self.shown.count_only {
                    items.push(self.shown.apply(item));
                }
            }
            if at_limit {
                page.more = true;
                break;
            }
        }
        if page.more
            && let Some(value) = last
        {
            let entry = self.entry(snapshot, &value)?;
            page.last_evaluated_key = Some(self.target.last_evaluated_key(&entry));
        }
        page.bytes = entry_bytes;
        page.items = (!self.shown.count_only).then_some(items);
        self.charge(&mut page.meter, entry_bytes, table_bytes);
        Ok(page)
    }

    /// The item an entry stands for, as far as the index holds it.
    fn entry(&self, snapshot: &dyn Snapshot, value: &Bytes) -> Result<Item, Error> {
        match self.target.index {
            Some(index) if index.projection_type == ProjectionType::All => {
                let key = ItemKey::from_item_part(self.target.table.number, value);
                self.read_item(snapshot, &key)
            }
            _ => stored::item(value),
        }
    }

    /// The whole item of an entry that holds a part of it.
    fn whole_item(&self, snapshot: &dyn Snapshot, entry: &Item) -> Result<Item, Error> {
        let key = self.target.table.item_key(entry).ok_or_else(dangling)?;
        self.read_item(snapshot, &key)
    }

    fn read_item(&self, snapshot: &dyn Snapshot, key: &ItemKey) -> Result<Item, Error> {
        let bytes = get_item::read(snapshot, key)?.ok_or_else(dangling)?;
        stored::item(&bytes)
    }

    /// Bytes are added up before they are rounded to units, and charged before filter and projection
    /// (rule 54).
    fn charge(&self, meter: &mut Meter, entry_bytes: usize, table_bytes: usize) {
        let units = capacity::read_units(entry_bytes, self.consistent);
        match self.target.index {
            None => meter.charge_table(units),
            Some(index) => {
                meter.charge_index(&index.name, index.is_global(), units);
                if self.shown.from_table {
                    meter.charge_table(capacity::read_units(table_bytes, self.consistent));
                }
            }
        }
    }
}

fn unreadable(error: crate::storage::StorageError) -> Error {
    Error::Stopped(format!("The page cannot be read: {error}"))
}

/// An index entry whose item is gone: index and item are written in one commit and read from one
/// snapshot, so this is damage.
fn dangling() -> Error {
    Error::Stopped(
        "The database is damaged: an index entry leads to no item. Check the disk and restore from a \
         backup"
            .to_owned(),
    )
}
