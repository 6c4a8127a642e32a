//! Who did what, when and from where?
//!
//! One writer records every event among those of its kind, and a reference to it among those of its
//! account, in the transaction of the change it belongs to. The events of an account are a chain: gap-free numbers,
//! each event with the hash of the one before. Where the chain ends is kept apart and marked; every day
//! a signed checkpoint says what it holds; events expire only behind a checkpoint. So whatever is
//! changed, removed, inserted or cut off is found, and named.

mod again;
mod canonical;
mod chain;
mod checkpoint;
mod commit;
mod entry;
mod export;
mod head;
mod later;
mod offline;
mod origin;
mod query;
mod redact;
mod reference;
mod repeated;
mod reseal;
mod retention;
mod row;
mod sealing;
mod sheet;
mod signing;
mod tally;
mod verify;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use checkpoint::Checkpoint;
pub use commit::Failure;
pub use entry::{Entry, Outcome};
pub use export::{Export, Format, Period, Progress};
pub use head::{Head, RETENTION_DAYS};
use kernel::clock::Clock;
use kernel::error::Error;
use kernel::ids::Ids;
use kernel::moment::Moment;
pub use later::Later;
pub use offline::verify_lines;
pub use origin::Origin;
use patterns::platform::AuditLogs;
pub use query::Query;
pub use redact::{REDACTED, Redacted};
pub use reseal::Resealing;
pub use retention::{Adjust, NewRule, RETENTION_DAYS_MAX};
pub use row::Row;
pub use sealing::Sealed;
pub use signing::{PublicKey, Signing};
use store::Store;
pub use verify::{Bad, Place, Report};

/// The audit log. Cloning is cheap.
#[derive(Clone)]
pub struct Audit {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    table: AuditLogs,
    clock: Arc<dyn Clock>,
    ids: Ids,
    signing: Signing,
    chains: chain::Chains,
    shards: BTreeMap<String, u32>,
}

impl Audit {
    /// The log in this store.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Ids,
        signing: Signing,
    ) -> Result<Audit, Error> {
        Audit::split(store, clock, ids, signing, BTreeMap::new())
    }

    /// The same with days of busy kinds split into so many parts each (C3-04).
    pub fn split(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Ids,
        signing: Signing,
        shards: BTreeMap<String, u32>,
    ) -> Result<Audit, Error> {
        let (table, chains) = (AuditLogs::open(&store)?, chain::Chains::default());
        let inner = Inner { store, table, clock, ids, signing, chains, shards };
        Ok(Audit { inner: Arc::new(inner) })
    }

    /// The keys that verify its checkpoints.
    pub fn signing(&self) -> &Signing {
        &self.inner.signing
    }

    /// The time.
    pub fn now(&self) -> Moment {
        Moment::from_millis(self.inner.clock.now_millis())
    }

    fn table(&self) -> &AuditLogs {
        &self.inner.table
    }
}
