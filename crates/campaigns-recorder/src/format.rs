//! The trace: what the recorder writes and the image builder reads.
//!
//! ```text
//! trace: "recorder" version:u8 record*
//! record: kind:u8 | inode:u64 | number:u64 | length:u32 | data
//! ```
//!
//! All integers are little-endian. Files are known by their inode: names come and go. What `number`
//! and `data` mean, see [`Kind`]. Paths are relative to the watched folder.

/// How every trace starts.
pub const MAGIC: &[u8; 9] = b"recorder\x01";

/// Bytes before a record's data.
pub const HEADER_BYTES: usize = 1 + 8 + 8 + 4;

/// What a record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The data was written at offset `number`.
    Write = 1,
    /// The file has `number` bytes now.
    Resize = 2,
    /// A file was created at the path in the data.
    Create = 3,
    /// The data is two paths with a zero byte between them: the first became the second.
    Rename = 4,
    /// The path in the data was removed.
    Unlink = 5,
    /// A folder was created at the path in the data.
    MakeFolder = 6,
    /// The folder at the path in the data was removed.
    RemoveFolder = 7,
    /// Sync `number` of the file or folder has begun. Inode 0: of everything.
    SyncBegin = 8,
    /// Sync `number` has succeeded.
    SyncEnd = 9,
    /// The data was appended to the ledger.
    Ledger = 10,
    /// A call that the recorder cannot write down; the data is its name.
    Unsupported = 11,
}

/// The bytes of a record before its data.
pub fn header(kind: Kind, inode: u64, number: u64, length: usize) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[0] = kind as u8;
    bytes[1..9].copy_from_slice(&inode.to_le_bytes());
    bytes[9..17].copy_from_slice(&number.to_le_bytes());
    // One call writes at most 2 GB (see write(2)).
    bytes[17..].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    bytes
}
