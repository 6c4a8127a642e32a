//! A storage that forgets. Persistent ordered maps: a snapshot is a clone that shares everything.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use imbl::OrdMap;

use super::{Durability, KeyValue, Snapshot, Space, Storage, StorageError, Write};

type Spaces = [OrdMap<Bytes, Bytes>; 4];

/// Everything in memory, nothing on disk. Clones are the same storage, so that a test can close a
/// database and open it again on what it left.
#[derive(Clone, Default)]
pub struct MemoryStorage {
    spaces: Arc<RwLock<Spaces>>,
}

impl Storage for MemoryStorage {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        let spaces = self.spaces.read().unwrap_or_else(PoisonError::into_inner);
        Arc::new(MemorySnapshot { spaces: spaces.clone() })
    }

    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write<'_>>,
        _durability: Durability,
    ) -> Result<(), StorageError> {
        let mut spaces = self.spaces.write().unwrap_or_else(PoisonError::into_inner);
        for (space, key, value) in writes {
            let map = &mut spaces[space as usize];
            match value {
                Some(value) => map.insert(key.clone(), value.clone()),
                None => map.remove(key),
            };
        }
        Ok(())
    }

    fn disk_bytes(&self) -> u64 {
        0
    }
}

struct MemorySnapshot {
    spaces: Spaces,
}

impl Snapshot for MemorySnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, StorageError> {
        Ok(self.spaces[space as usize].get(key).cloned())
    }

    fn range<'a>(
        &'a self,
        space: Space,
        start: Bytes,
        end: Bytes,
        reverse: bool,
    ) -> Box<dyn Iterator<Item = Result<KeyValue, StorageError>> + 'a> {
        if start >= end {
            return Box::new(std::iter::empty());
        }
        let entries = self.spaces[space as usize].range(start..end);
        let own = |(key, value): (&Bytes, &Bytes)| Ok((key.clone(), value.clone()));
        if reverse { Box::new(entries.rev().map(own)) } else { Box::new(entries.map(own)) }
    }
}
