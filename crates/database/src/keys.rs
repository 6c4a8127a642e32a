//! Every key shape in the storage, one per line. All integers are big-endian, so that the order of
//! the bytes is the order of the numbers. `⟨x⟩` is the memory-comparable encoding of a key value
//! (`values::key`), which says itself where it ends.
//!
//! | space | key | value |
//! |---|---|---|
//! | meta  | `t` name | table definition (`catalog`) |
//! | meta  | `s` stream:u32 | stream definition (`catalog`) |
//! | meta  | `c` table:u32 | counters of the table and its indexes (`counters.rs`) |
//! | meta  | `k` kind:u8 token | client token: fingerprint and time (`tokens.rs`) |
//! | meta  | `x` time:u64 kind:u8 token | when a client token may be forgotten |
//! | meta  | `p` table:u32 index:u16 | left to purge: a deleted table (index 0) or index |
//! | meta  | `l` | last verified point of the log: sequence, hash (`log.rs`) |
//! | meta  | `a` | anchor of the log: the commit before the oldest kept one |
//! | meta  | `n` | the last table and stream numbers given out |
//! | meta  | `z` table:u32 bucket:u32 ⟨hash⟩ | bytes of an item collection (tables with local indexes) |
//! | items | table:u32 bucket:u32 ⟨hash⟩ ⟨sort⟩? | item (`values::codec`) |
//! | index | `g` table:u32 index:u16 bucket:u32 ⟨hash⟩… ⟨sort⟩… item-key | projected item, or the item's key |
//! | index | `e` table:u32 expiry:u64 item-key | nothing: the item expires at that second |
//! | index | `r` stream:u32 sequence:u64 position:u16 | nothing: the commit's record holds the change |
//! | log   | sequence:u64 | commit record (`log.rs`) |
//! | all others | `FF` | mark: up to which commit the space has been written (`mark.rs`) |
//!
//! `bucket` is the first half of a 64-bit hash of the encoded hash key: it spreads partitions evenly
//! over the key space, so that the segments of a parallel scan are ranges of it. `item-key` is
//! everything after `table` in the item's own key.

use bytes::Bytes;
use values::{AttributeType, AttributeValue, key};
use xxhash_rust::xxh3::xxh3_64;

use crate::scratch;

/// The number that stands for a table in storage keys. Never used again for another table.
pub type TableNumber = u32;
/// The number that stands for an index of a table in storage keys. Starts at 1.
pub type IndexNumber = u16;
/// The number that stands for a stream in storage keys.
pub type StreamNumber = u32;

/// Where the item's own part starts in an items key.
const ITEM_KEY_OFFSET: usize = 4;

/// The place of an encoded hash key in the key space.
pub fn bucket(encoded_hash_key: &[u8]) -> u32 {
    (xxh3_64(encoded_hash_key) >> 32) as u32
}

/// The storage key of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ItemKey(Bytes);

impl ItemKey {
    /// The key of the item with these key values; `None` if a value cannot be a key.
    pub fn new(
        table: TableNumber,
        hash: &AttributeValue,
        sort: Option<&AttributeValue>,
    ) -> Option<ItemKey> {
        let bytes = scratch::perhaps(|bytes| {
            append_partition(bytes, table, hash)?;
            sort.is_none_or(|sort| key::encode(sort, bytes)).then_some(())
        })?;
        Some(ItemKey(bytes))
    }

    /// The key with this item part.
    pub fn from_item_part(table: TableNumber, item_part: &[u8]) -> ItemKey {
        let mut bytes = Vec::with_capacity(ITEM_KEY_OFFSET + item_part.len());
        bytes.extend_from_slice(&table.to_be_bytes());
        bytes.extend_from_slice(item_part);
        ItemKey(bytes.into())
    }

    /// The whole key.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// Everything after the table number.
    pub fn item_part(&self) -> &[u8] {
        self.0.get(ITEM_KEY_OFFSET..).unwrap_or_default()
    }
}

/// Reads the key values back from an item part.
pub fn decode_item_part(
    item_part: &[u8],
    hash: AttributeType,
    sort: Option<AttributeType>,
) -> Option<(AttributeValue, Option<AttributeValue>)> {
    let rest = item_part.get(4..)?;
    let (hash, length) = key::decode(hash, rest)?;
    let rest = rest.get(length..)?;
    let (sort, length) = match sort {
        None => (None, 0),
        Some(sort) => key::decode(sort, rest).map(|(value, length)| (Some(value), length))?,
    };
    (length == rest.len()).then_some((hash, sort))
}

/// What all items of a partition start with.
pub fn partition_prefix(table: TableNumber, hash: &AttributeValue) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(64);
    append_partition(&mut bytes, table, hash)?;
    Some(bytes)
}

fn append_partition(bytes: &mut Vec<u8>, table: TableNumber, hash: &AttributeValue) -> Option<()> {
    bytes.extend_from_slice(&table.to_be_bytes());
    append_bucketed(bytes, std::iter::once(hash))
}

/// Appends the bucket of the hash values and their encodings.
fn append_bucketed<'a>(
    bytes: &mut Vec<u8>,
    hash: impl Iterator<Item = &'a AttributeValue>,
) -> Option<()> {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; 4]);
    append_all(bytes, hash)?;
    let place = bucket(&bytes[start + 4..]);
    bytes[start..start + 4].copy_from_slice(&place.to_be_bytes());
    Some(())
}

fn append_all<'a>(
    bytes: &mut Vec<u8>,
    mut values: impl Iterator<Item = &'a AttributeValue>,
) -> Option<()> {
    values.all(|value| key::encode(value, bytes)).then_some(())
}

/// What all items of a table start with.
pub fn table_prefix(table: TableNumber) -> Vec<u8> {
    table.to_be_bytes().to_vec()
}

/// What all entries of an index start with.
pub fn index_prefix(table: TableNumber, index: IndexNumber) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    append_index(&mut bytes, table, index);
    bytes
}

fn append_index(bytes: &mut Vec<u8>, table: TableNumber, index: IndexNumber) {
    bytes.push(b'g');
    bytes.extend_from_slice(&table.to_be_bytes());
    bytes.extend_from_slice(&index.to_be_bytes());
}

/// What all entries of a partition of an index start with.
pub fn index_partition_prefix<'a>(
    table: TableNumber,
    index: IndexNumber,
    hash: impl Iterator<Item = &'a AttributeValue>,
) -> Option<Vec<u8>> {
    let mut bytes = index_prefix(table, index);
    append_bucketed(&mut bytes, hash)?;
    Some(bytes)
}

/// The key of an index entry; `None` if a value cannot be a key.
pub fn index_entry<'a>(
    table: TableNumber,
    index: IndexNumber,
    hash: impl Iterator<Item = &'a AttributeValue>,
    sort: impl Iterator<Item = &'a AttributeValue>,
    item_key: &ItemKey,
) -> Option<Bytes> {
    scratch::perhaps(|bytes| {
        append_index(bytes, table, index);
        append_bucketed(bytes, hash)?;
        append_all(bytes, sort)?;
        bytes.extend_from_slice(item_key.item_part());
        Some(())
    })
}

/// What all expiry entries of a table start with.
pub fn expiry_prefix(table: TableNumber) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5);
    append_expiry(&mut bytes, table);
    bytes
}

fn append_expiry(bytes: &mut Vec<u8>, table: TableNumber) {
    bytes.push(b'e');
    bytes.extend_from_slice(&table.to_be_bytes());
}

/// The key of an expiry entry.
pub fn expiry_entry(table: TableNumber, expiry_seconds: u64, item_key: &ItemKey) -> Bytes {
    scratch::bytes(|bytes| {
        append_expiry(bytes, table);
        bytes.extend_from_slice(&expiry_seconds.to_be_bytes());
        bytes.extend_from_slice(item_key.item_part());
    })
}

/// The second and the item part of an expiry entry's key.
pub fn decode_expiry_entry(key: &[u8]) -> Option<(u64, &[u8])> {
    let seconds = key.get(5..13)?.try_into().ok()?;
    Some((u64::from_be_bytes(seconds), key.get(13..)?))
}

/// The key of a stream pointer.
pub fn stream_pointer(stream: StreamNumber, sequence: u64, position: u16) -> Bytes {
    let mut bytes = Vec::with_capacity(15);
    bytes.push(b'r');
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(&sequence.to_be_bytes());
    bytes.extend_from_slice(&position.to_be_bytes());
    bytes.into()
}

/// The commit and position a stream pointer leads to.
pub fn decode_stream_pointer(key: &[u8]) -> Option<(u64, u16)> {
    let sequence = key.get(5..13)?.try_into().ok()?;
    let position = key.get(13..15)?.try_into().ok()?;
    Some((u64::from_be_bytes(sequence), u16::from_be_bytes(position)))
}

/// The key of a commit record.
pub fn log_record(sequence: u64) -> Bytes {
    Bytes::copy_from_slice(&sequence.to_be_bytes())
}

/// The sequence of a commit record's key.
pub fn decode_log_record(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}

/// A key of the meta space: a kind and the parts that follow it.
pub fn meta(kind: u8, parts: &[&[u8]]) -> Bytes {
    let mut bytes = vec![kind];
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes.into()
}

/// The smallest key that is larger than every key with this prefix.
pub fn prefix_end(prefix: &[u8]) -> Bytes {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end.into();
        }
    }
    // Only a prefix of nothing but FF gets here; no key shape starts so.
    Bytes::from_static(&[0xFF; 64])
}

/// The smallest key after this one.
pub fn after(key: &[u8]) -> Bytes {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next.into()
}
