//! The writes of several jobs that become durable together.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Completion;
use crate::catalog::Catalog;
use crate::log::LogHead;
use crate::storage::{Space, Write};

type Writes = HashMap<Bytes, Option<Bytes>, BuildHasherDefault<KeyHasher>>;

/// Keys of items.
pub type KeySet = HashSet<Bytes, BuildHasherDefault<KeyHasher>>;

/// Writes by key: the last one of a key counts, so that no key occurs twice in a batch.
#[derive(Default)]
pub struct PendingWrites {
    /// Of each space, in the order of [`Space::ALL`].
    spaces: [Writes; Space::ALL.len()],
}

impl PendingWrites {
    /// Nothing yet, with room for as many keys as these hold.
    pub fn with_room_of(others: &PendingWrites) -> PendingWrites {
        let room = |writes: &Writes| Writes::with_capacity_and_hasher(writes.len(), <_>::default());
        PendingWrites { spaces: others.spaces.each_ref().map(room) }
    }

    /// Adds a write, replacing an earlier one of the same key.
    pub fn set(&mut self, space: Space, key: Bytes, value: Option<Bytes>) {
        self.spaces[space as usize].insert(key, value);
    }

    /// What is pending for a key: `Some(None)` is a removal, `None` nothing.
    pub fn get(&self, space: Space, key: &[u8]) -> Option<Option<Bytes>> {
        self.spaces[space as usize].get(key).cloned()
    }

    /// Takes everything another set of writes holds.
    pub fn absorb(&mut self, later: &mut PendingWrites) {
        for (writes, later) in self.spaces.iter_mut().zip(&mut later.spaces) {
            writes.extend(later.drain());
        }
    }

    /// Forgets everything, and gives back room for more than so many keys of a space.
    pub fn clear_to(&mut self, keys: usize) {
        for writes in &mut self.spaces {
            writes.clear();
            writes.shrink_to(keys);
        }
    }

    /// The keys that are written in a space, in no order.
    pub fn keys_of(&self, space: Space) -> impl Iterator<Item = &Bytes> {
        self.spaces[space as usize].keys()
    }

    /// How many keys are written.
    pub fn len(&self) -> usize {
        self.spaces.iter().map(HashMap::len).sum()
    }

    /// Is nothing written?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The writes, for the storage: in the order of their keys, so that neighbours are written
    /// one after the other.
    pub fn sorted(&self) -> impl Iterator<Item = Write<'_>> {
        Space::ALL.into_iter().zip(&self.spaces).flat_map(|(space, writes)| {
            let mut writes: Vec<_> = writes.iter().collect();
            writes.sort_unstable_by_key(|(key, _)| *key);
            writes.into_iter().map(move |(key, value)| (space, key, value.as_ref()))
        })
    }
}

/// Hashes a key in one go: a hasher that takes it piece by piece has half a kilobyte to set up first.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    /// How long the key is, which its hash knows anyway.
    fn write_usize(&mut self, length: usize) {
        self.0 ^= length as u64;
    }

    fn finish(&self) -> u64 {
        self.0
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
