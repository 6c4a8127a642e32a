//! Where an operation is executed: on the thread that has received it, or, if its body is large, on a
//! thread of its own. Reading a large body as JSON and dropping it again takes so long that other
//! requests would wait behind it. There are no more large ones at one time than there is memory for.

use std::sync::Arc;

use bytes::Bytes;
use database::Database;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::json::{self, Json};
use crate::{Operation, WireError};

/// A body up to here is read as JSON where it came: that takes less than to hand it over and wait.
const QUICK_BYTES: usize = 256 << 10;
/// What all of them together may take as JSON. One that takes more than all is let in alone.
const MEBIBYTES_MAX: u32 = 512;
/// What an object takes in memory, about, and a value: it is read as JSON and then as an item's part.
const OBJECT_BYTES: usize = 300;
const VALUE_BYTES: usize = 40;

/// Executes operations, and bounds the memory that large bodies take as JSON.
pub(super) struct Dispatcher {
    mebibytes: Arc<Semaphore>,
}

impl Dispatcher {
    pub(super) fn new() -> Dispatcher {
        Dispatcher { mebibytes: Arc::new(Semaphore::new(MEBIBYTES_MAX as usize)) }
    }

    /// Reads a body as JSON and executes the operation on it.
    pub(super) async fn execute(
        &self,
        database: &Database,
        operation: Operation,
        body: Bytes,
    ) -> Result<Json, WireError> {
        if body.len() <= QUICK_BYTES {
            return json::execute(database, operation, &json::parse(&body)?).await;
        }
        let room = Arc::clone(&self.mebibytes).acquire_many_owned(mebibytes(&body)).await;
        let (database, runtime) = (database.clone(), Handle::current());
        let done = tokio::task::spawn_blocking(move || {
            let _room = room;
            let parsed = json::parse(&body)?;
            drop(body);
            runtime.block_on(json::execute(&database, operation, &parsed))
        });
        done.await.unwrap_or_else(|error| {
            let message = format!("The request ended in an internal error: {error}");
            Err(WireError::framework("InternalServerError", message))
        })
    }
}

/// What a body takes as JSON, about: many small objects take fifty times their text.
fn mebibytes(body: &[u8]) -> u32 {
    let objects = memchr::memchr_iter(b'{', body).count();
    let values = memchr::memchr2_iter(b',', b'[', body).count();
    let bytes = body.len() + objects * OBJECT_BYTES + values * VALUE_BYTES;
    u32::try_from((bytes >> 20) + 1).unwrap_or(u32::MAX).min(MEBIBYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_objects_weigh_more_than_their_text() {
        assert_eq!(mebibytes(&vec![b'x'; 3 << 20]), 4);
        assert_eq!(mebibytes("{},".repeat(100_000).as_bytes()), 33);
        assert_eq!(mebibytes("{},".repeat(5_000_000).as_bytes()), MEBIBYTES_MAX);
    }
}
