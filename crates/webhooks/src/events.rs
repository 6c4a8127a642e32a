//! How do others hear of changes? An [`Event`] is written by the [`Outbox`] in the transaction of the
//! change itself; a worker of [`crate`] then brings it to endpoints and to [`Publisher`]s.

mod outbox;
mod publisher;

pub use outbox::{Outbox, PAYLOAD_BYTES_MAX, StoredEvent};
pub use publisher::{Message, Publisher, Publishing};
