//! What a change asks of whoever tells others: items to write with it, from which the event goes out.

use std::future::Future;
use std::pin::Pin;

use kernel::error::Error;
use kernel::moment::Moment;
use store::Write;

use crate::Event;

/// The writes for an event, in time: who subscribes has to be looked up.
pub type OutboxWrites<'a> = Pin<Box<dyn Future<Output = Result<Vec<Write>, Error>> + Send + 'a>>;

/// Whoever tells others.
pub trait Outbox: Send + Sync + 'static {
    /// What is to be written with the change, so that the event goes out if and only if it happens.
    fn writes<'a>(&'a self, event: &'a Event, now: Moment) -> OutboxWrites<'a>;

    /// The change has been committed: there is something to tell.
    fn committed(&self) {}
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutbox;

impl Outbox for NoOutbox {
    fn writes<'a>(&'a self, _: &'a Event, _: Moment) -> OutboxWrites<'a> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
