//! An account's keys as they are stored: wrapped, the newest last.

use kernel::moment::Moment;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::cipher::Key;
use super::envelope::KeyId;

/// The keys of one account.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    pub owner: String,
    /// Which master key wraps all of them; absent when they are destroyed.
    pub master_key_id: Option<String>,
    /// The newest last; none when they are destroyed.
    pub wrapped_keys: Vec<Wrapped>,
    /// When they were destroyed.
    pub destroyed_at: Option<Moment>,
    pub updated_at: Moment,
    /// Counts changes.
    pub version: i64,
}

/// One key, wrapped.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Wrapped {
    /// In hexadecimal.
    pub key_id: String,
    pub key_version: u32,
    pub wrapped: ByteBuf,
    pub made_at: Moment,
}

impl Wrapped {
    /// Its identifier as bytes.
    pub fn id(&self) -> Option<KeyId> {
        u128::from_str_radix(&self.key_id, 16).ok().map(u128::to_be_bytes)
    }
}

/// The keys of one account, unwrapped and in memory.
pub(super) struct Opened {
    /// The newest last.
    pub keys: Vec<OpenedKey>,
    /// When they were read.
    pub read_at: Moment,
}

pub(super) struct OpenedKey {
    pub id: KeyId,
    pub version: u32,
    pub key: Key,
}
