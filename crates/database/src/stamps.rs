//! Whether items are still as they were read, without reading them again.
//!
//! Every item has a place in a small table of stamps, which it shares with others. A group that writes
//! the item marks the place before its commit can be seen, and stamps it after that and before anybody
//! is answered. So whoever took a place's stamp, read the item, and finds the same stamp later, would
//! read the same item. A place that is marked tells nothing, and a stamp that has changed may have been
//! changed for another item: both only cost a read.

use std::sync::atomic::{AtomicU64, Ordering};

use values::Item;
use xxhash_rust::xxh3::xxh3_64;

use crate::commit::Group;
use crate::keys::ItemKey;
use crate::storage::Space;
use crate::{Database, Error, item_checks};

/// A power of two. Each of the 30,000 writes of a busy second changes one.
const PLACES: usize = 1 << 15;

/// How some items were at a moment. Taken before they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Of the definitions of all tables.
    tables: u64,
    places: Vec<(usize, u64)>,
}

/// The stamps of all items. Even numbers are stamps, odd ones are marks.
#[derive(Debug)]
pub struct Stamps {
    tables: AtomicU64,
    places: Box<[AtomicU64]>,
    groups: AtomicU64,
}

impl Default for Stamps {
    fn default() -> Self {
        let places = (0..PLACES).map(|_| AtomicU64::new(0)).collect();
        Stamps { tables: AtomicU64::new(0), places, groups: AtomicU64::new(0) }
    }
}

impl Stamps {
    /// Marks what a group is about to change.
    pub fn mark(&self, group: &Group) {
        let number = self.groups.fetch_add(2, Ordering::Relaxed) + 2;
        self.set(group, number + 1);
    }

    /// Stamps what the group that was marked last has changed: whoever reads from here on sees it.
    pub fn stamp(&self, group: &Group) {
        let number = self.groups.load(Ordering::Relaxed);
        self.set(group, number);
    }

    fn set(&self, group: &Group, number: u64) {
        // The order of these stores and of the commit between them is what readers rely on.
        if group.catalog.is_some() {
            self.tables.store(number, Ordering::Release);
        }
        for key in group.writes.keys_of(Space::Items) {
            self.places[place(key)].store(number, Ordering::Release);
        }
    }

    fn take(&self, keys: &[ItemKey]) -> Option<Stamp> {
        let tables = self.tables.load(Ordering::Acquire);
        let taken = |key: &ItemKey| {
            let place = place(key.bytes());
            (place, self.places[place].load(Ordering::Acquire))
        };
        let stamp = Stamp { tables, places: keys.iter().map(taken).collect() };
        let is_marked = |number: u64| number % 2 == 1;
        let any_marked =
            is_marked(tables) || stamp.places.iter().any(|(_, number)| is_marked(*number));
        (!any_marked).then_some(stamp)
    }

    fn are_as(&self, stamp: &Stamp) -> bool {
        self.tables.load(Ordering::Acquire) == stamp.tables
            && stamp.places.iter().all(|(place, number)| {
                self.places.get(*place).is_some_and(|now| now.load(Ordering::Acquire) == *number)
            })
    }
}

fn place(key: &[u8]) -> usize {
    xxh3_64(key) as usize % PLACES
}

impl Database {
    /// How the items with these keys are now, to be asked before they are read. Nothing while one of
    /// them is being written.
    pub fn stamp<'k>(
        &self,
        keys: impl IntoIterator<Item = (&'k str, &'k Item)>,
    ) -> Result<Option<Stamp>, Error> {
        let key = |(table_name, key)| {
            let table = self.table("GetItem", table_name)?;
            item_checks::key(&table, key).map_err(Error::from)
        };
        let keys: Vec<ItemKey> = keys.into_iter().map(key).collect::<Result<_, Error>>()?;
        Ok(self.stamps().take(&keys))
    }

    /// Whether whoever reads the items now would read what was read after the stamp was taken. Not
    /// once the database has stopped: then reading tells why.
    pub fn is_unchanged(&self, stamp: &Stamp) -> bool {
        self.check_running().is_ok() && self.stamps().are_as(stamp)
    }
}
