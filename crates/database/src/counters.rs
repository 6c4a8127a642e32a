//! How many items and bytes a table and each of its indexes hold: exact, and stored in the same
//! commit as the items they count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::keys::IndexNumber;

/// Items and bytes of a table or an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many items or entries.
    pub items: u64,
    /// What they weigh together.
    pub bytes: u64,
}

impl Count {
    /// Counts the change of one item from one size to another; `None` is no item.
    pub fn change(&mut self, old_size: Option<usize>, new_size: Option<usize>) {
        if let Some(size) = old_size {
            self.items = self.items.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(size as u64);
        }
        if let Some(size) = new_size {
            self.items += 1;
            self.bytes += size as u64;
        }
    }
}

/// The counts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The table's own items.
    pub table: Count,
    /// The entries of each index.
    pub indexes: BTreeMap<IndexNumber, Count>,
}
