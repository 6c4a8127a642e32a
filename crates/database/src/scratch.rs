//! Bytes whose length is known only when they are written. They stay in memory until a table holds them,
//! so they take just their length: they are written where there is room, and copied from there.

use std::cell::RefCell;

use bytes::Bytes;

/// What a thread keeps of the room that was needed once.
const KEPT_BYTES_MAX: usize = 16 * 1024;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What `write` appends to an empty vector.
pub fn bytes(write: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    perhaps(|scratch| {
        write(scratch);
        Some(())
    })
    .unwrap_or_default()
}

/// The same, unless it gives nothing.
pub fn perhaps(write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<Bytes> {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.clear();
        let written = write(scratch);
        let bytes = written.map(|()| Bytes::copy_from_slice(scratch));
        scratch.shrink_to(KEPT_BYTES_MAX);
        bytes
    })
}
