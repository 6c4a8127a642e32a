//! A storage that fails on purpose: the n-th call returns an error, once or from then on.
//!
//! Only tests use it, through the same seam as everything else, so that what they prove holds for
//! the code that ships. It fails reads (`get`, `range`) and commits alike; a failed commit writes
//! nothing, or (`torn`) everything, as a crash between the write and its acknowledgement would.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::{Durability, KeyValue, Snapshot, Space, Storage, StorageError, Write};

/// Which call fails, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first call that fails, counted from 1 at the time the fault is set; 0 for none.
    pub at_call: u64,
    /// All later calls fail too.
    pub sticky: bool,
    /// A failing commit is applied before the error is returned: the caller cannot know.
    pub torn: bool,
}

impl Fault {
    /// Never fails.
    pub const NONE: Fault = Fault { at_call: 0, sticky: false, torn: false };
}

/// Wraps a storage and injects a [`Fault`].
#[derive(Clone)]
pub struct FaultyStorage<S> {
    inner: S,
    plan: Arc<Plan>,
}

struct Plan {
    fault: std::sync::Mutex<Fault>,
    calls: AtomicU64,
    hits: AtomicU64,
}

impl<S> FaultyStorage<S> {
    /// A storage that behaves like `inner` until a fault is set.
    pub fn new(inner: S) -> Self {
        let plan = Plan {
            fault: std::sync::Mutex::new(Fault::NONE),
            calls: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        };
        FaultyStorage { inner, plan: Arc::new(plan) }
    }

    /// Sets the fault and starts counting calls anew.
    pub fn set_fault(&self, fault: Fault) {
        let mut current = self.plan.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *current = fault;
        self.plan.calls.store(0, Ordering::SeqCst);
        self.plan.hits.store(0, Ordering::SeqCst);
    }

    /// How many calls have failed since the fault was set.
    pub fn hits(&self) -> u64 {
        self.plan.hits.load(Ordering::SeqCst)
    }
}

impl Plan {
    /// Counts a call; `Some` if it must fail.
    fn strike(&self) -> Option<Fault> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = *self.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let fails =
            fault.at_call != 0 && (call == fault.at_call || (fault.sticky && call > fault.at_call));
        if fails {
            self.hits.fetch_add(1, Ordering::SeqCst);
        }
        fails.then_some(fault)
    }
}

fn injected(what: &str) -> StorageError {
    StorageError::Io(format!("injected failure of {what}"))
}

impl<S: Storage> Storage for FaultyStorage<S> {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(FaultySnapshot { inner: self.inner.snapshot(), plan: Arc::clone(&self.plan) })
    }

    fn commit(
        &self,
        writes: &mut dyn Iterator<Item = Write<'_>>,
        durability: Durability,
    ) -> Result<(), StorageError> {
        match self.plan.strike() {
            None => self.inner.commit(writes, durability),
            Some(fault) => {
                if fault.torn {
                    self.inner.commit(writes, durability)?;
                }
                Err(injected("a commit"))
            }
        }
    }

    fn flush(&self) -> Result<(), StorageError> {
        self.inner.flush()
    }

    fn release(&self) -> Result<(), StorageError> {
        self.inner.release()
    }

    fn settle(&self) -> Result<(), StorageError> {
        self.inner.settle()
    }

    fn disk_bytes(&self) -> u64 {
        self.inner.disk_bytes()
    }
}

struct FaultySnapshot {
    inner: Arc<dyn Snapshot>,
    plan: Arc<Plan>,
}

impl Snapshot for FaultySnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, StorageError> {
        match self.plan.strike() {
            None => self.inner.get(space, key),
            Some(_) => Err(injected("a read")),
        }
    }

    fn range<'a>(
        &'a self,
        space: Space,
        start: Bytes,
        end: Bytes,
        reverse: bool,
    ) -> Box<dyn Iterator<Item = Result<KeyValue, StorageError>> + 'a> {
        let entries = self.inner.range(space, start, end, reverse);
        Box::new(entries.map(|entry| match self.plan.strike() {
            None => entry,
            Some(_) => Err(injected("a range read")),
        }))
    }
}
