//! One page: entries in order until the limit, a megabyte, or the end.

use bytes::Bytes;
use expressions::Condition;
use values::{Item, limits, size};

use super::form::{ItemForm, formed};
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
#[derive(Debug)]
pub struct Page<F> {
    /// The items, unless only their number was asked for.
    pub items: Option<Vec<F>>,
    /// How many passed the filter.
    pub count: u64,
    /// How many were looked at.
    pub scanned_count: u64,
    /// Whether there is more to read than this page holds.
    pub more: bool,
    /// How many bytes were read: entries, and items from the table besides.
    pub bytes: usize,
    /// Where to go on.
    pub last_evaluated_key: Option<Item>,
    /// What it cost.
    pub meter: Meter,
}

impl<F> Default for Page<F> {
    fn default() -> Page<F> {
        Page {
            items: None,
            count: 0,
            scanned_count: 0,
            more: false,
            bytes: 0,
            last_evaluated_key: None,
            meter: Meter::default(),
        }
    }
}

/// An entry that was looked at.
struct Looked<F> {
    /// In the form to be shown, if it passes the filter.
    shown: Option<F>,
    /// What the entry weighs.
    entry_bytes: usize,
    /// What the item weighs that had to be read from the table besides.
    table_bytes: usize,
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
    pub fn read<F: ItemForm>(self, snapshot: &dyn Snapshot) -> Result<Page<F>, Error> {
        let mut page = Page::default();
        let mut items = Vec::new();
        let (mut entry_bytes, mut table_bytes) = (0, 0);
        // The last entry that is part of the page; decoded only if the page ends there.
        let mut last: Option<Bytes> = None;
        let space = self.target.space();
        for entry in snapshot.range(space, self.start.clone(), self.end.clone(), self.reverse) {
            let (_, value) = entry.map_err(unreadable)?;
            let entry = self.entry(snapshot, value)?;
            // The entry that would exceed the page begins the next one; a page is never empty for
            // that reason (rule 29).
            let room = match self.bytes_before + entry_bytes + table_bytes {
                0 => usize::MAX,
                bytes => limits::PAGE_BYTES_MAX.saturating_sub(bytes),
            };
            let Some(looked) = self.look::<F>(snapshot, &entry, room)? else {
                page.more = true;
                break;
            };
            entry_bytes += looked.entry_bytes;
            table_bytes += looked.table_bytes;
            page.scanned_count += 1;
            last = Some(entry);
            if let Some(item) = looked.shown {
                page.count += 1;
                if !self.shown.count_only {
                    items.push(item);
                }
            }
            if self.limit.is_some_and(|limit| page.scanned_count >= limit as u64) {
                page.more = true;
                break;
            }
        }
        if page.more
            && let Some(entry) = last
        {
            page.last_evaluated_key = Some(self.target.last_evaluated_key(&entry)?);
        }
        page.bytes = entry_bytes + table_bytes;
        page.items = (!self.shown.count_only).then_some(items);
        self.charge(&mut page.meter, entry_bytes, table_bytes);
        Ok(page)
    }

    /// The stored item that an entry stands for, as far as the index holds it.
    fn entry(&self, snapshot: &dyn Snapshot, value: Bytes) -> Result<Bytes, Error> {
        match self.target.index {
            Some(index) if index.projection_type == ProjectionType::All => {
                let key = ItemKey::from_item_part(self.target.table.number, &value);
                get_item::read(snapshot, &key)?.ok_or_else(dangling)
            }
            _ => Ok(value),
        }
    }

    /// Looks at an entry that the page has room for. Only a filter, a projection, or what the table
    /// alone holds make it necessary to decode it.
    fn look<F: ItemForm>(
        &self,
        snapshot: &dyn Snapshot,
        entry: &Bytes,
        room: usize,
    ) -> Result<Option<Looked<F>>, Error> {
        let Shown { projection, from_table, .. } = self.shown;
        if self.filter.is_none() && projection.is_none() && !from_table {
            let (item, entry_bytes) = formed(entry)?;
            let looked = Looked { shown: Some(item), entry_bytes, table_bytes: 0 };
            return Ok((entry_bytes <= room).then_some(looked));
        }
        let entry = stored::item(entry)?;
        let entry_bytes = size::item_size(&entry);
        let (item, table_bytes) = if *from_table {
            let item = self.whole_item(snapshot, &entry)?;
            let table_bytes = size::item_size(&item);
            (item, table_bytes)
        } else {
            (entry, 0)
        };
        if entry_bytes + table_bytes > room {
            return Ok(None);
        }
        let passes = match self.filter {
            None => true,
            Some(filter) => filter.holds(&item)?,
        };
        let shown = passes.then(|| F::from_item(self.shown.apply(item)));
        Ok(Some(Looked { shown, entry_bytes, table_bytes }))
    }

    /// The whole item of an entry that holds a part of it.
    fn whole_item(&self, snapshot: &dyn Snapshot, entry: &Item) -> Result<Item, Error> {
        let key = self.target.table.item_key(entry).ok_or_else(dangling)?;
        stored::item(&get_item::read(snapshot, &key)?.ok_or_else(dangling)?)
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
