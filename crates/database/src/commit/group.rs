//! The writes of several jobs that become durable together.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh3::Xxh3Default;

use super::Completion;
use crate::catalog::Catalog;
use crate::log::LogHead;
use crate::storage::{Space, Write};

type Hasher = BuildHasherDefault<Xxh3Default>;

/// Writes by key: the last one of a key counts, so that no key occurs twice in a batch.
#[derive(Default)]
pub struct PendingWrites {
    writes: HashMap<(Space, Bytes), Option<Bytes>, Hasher>,
}

impl PendingWrites {
    /// Nothing yet, with room for so many keys.
    pub fn with_room(keys: usize) -> PendingWrites {
        PendingWrites { writes: HashMap::with_capacity_and_hasher(keys, Hasher::default()) }
    }

    /// Adds a write, replacing an earlier one of the same key.
    pub fn set(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        match self.writes.entry((space, key)) {
            Entry::Occupied(mut entry) => {
                entry.insert(value);
            }
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
        }
    }

    /// What is pending for a key: `Some(None)` is a removal, `None` nothing.
    pub fn get(&self, space: Space, key: &Bytes) -> Option<Option<Bytes>> {
        self.writes.get(&(space, key.clone())).cloned()
    }

    /// Takes everything another set of writes holds.
    pub fn absorb(&mut self, later: &mut PendingWrites) {
        self.writes.reserve(later.len());
        for ((space, key), value) in later.writes.drain() {
            self.set(space, key, value);
        }
    }

    /// Forgets everything, and gives back room for more than so many keys.
    pub fn clear_to(&mut self, keys: usize) {
        self.writes.clear();
        self.writes.shrink_to(keys);
    }

    /// The keys that are written in a space, in no order.
    pub fn keys_of(&self, space: Space) -> impl Iterator<Item = &Bytes> {
        self.writes.keys().filter(move |(of, _)| *of == space).map(|(_, key)| key)
    }

    /// How many keys are written.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Is nothing written?
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The writes, for the storage: in the order of their keys, so that neighbours are written
    /// one after the other.
    pub fn sorted(&self) -> impl Iterator<Item = Write> {
        let mut writes: Vec<_> = self.writes.iter().collect();
        writes.sort_unstable_by_key(|(key, _)| *key);
        writes.into_iter().map(|((space, key), value)| (*space, key.clone(), value.clone()))
    }
}

/// A group on its way to the storage.
pub struct Group {
    /// What to write. Shared with the executor, which reads through it until it is durable.
    pub writes: Arc<PendingWrites>,
    /// Whom to answer.
    pub completions: Vec<Completion>,
    /// The catalog to publish, if the group changes it.
    pub catalog: Option<Arc<Catalog>>,
    /// Where the log ends after this group.
    pub head: LogHead,
}
