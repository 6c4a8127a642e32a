//! Was this request seen before?
//!
//! A request with an `Idempotency-Key` is claimed: in a store that others share by one conditional put,
//! which holds for a while (the lease) and has a number (the fence); in a store of this process in
//! memory, for as long as somebody works on it. Its answer is kept in the transaction that does its
//! work, on condition that nobody else has claimed or answered it: a crash leaves either both or
//! neither, and who was too slow cannot answer any more. A repeated request gets that answer byte for
//! byte, for 24 hours (R003-idem-1 to R003-idem-4, C3-08, C3-09, CX-15).

mod claim;
mod fingerprint;
mod kept;
mod key;
mod record;
mod running;

use std::sync::Arc;
use std::time::Duration;

pub use claim::{Begun, Claim};
pub use fingerprint::Request;
use http::HeaderName;
use kernel::clock::Clock;
use kernel::error::{Code, Error};
use kernel::moment::Moment;
pub use key::Key;
use patterns::platform::IdempotencyKeys;
pub use record::Seen;
use running::Running;
use secrets::Seal;
use store::{Page, Store};

/// The key came with another request before.
pub const IDEMPOTENCY_KEY_REUSED: Code = Code::new("IDEMPOTENCY_KEY_REUSED", 422);
/// The request with this key is being worked on.
pub const REQUEST_IN_PROGRESS: Code = Code::new("REQUEST_IN_PROGRESS", 409);
/// The header that says that an answer was given before.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// For how long a claim holds, unless somebody says otherwise.
const LEASE: Duration = Duration::from_secs(60);
/// For how long an answer is kept (R003-idem-4).
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The requests that were seen. Cloning is cheap.
#[derive(Clone)]
pub struct Idempotency {
    store: Store,
    table: IdempotencyKeys,
    clock: Arc<dyn Clock>,
    seal: Arc<dyn Seal>,
    lease: Duration,
    /// The claims of this process, if they need not be stored.
    running: Option<Arc<Running>>,
}

impl Idempotency {
    /// Requests in this store; answers are sealed, as they may hold what is shown only once.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        seal: Arc<dyn Seal>,
    ) -> Result<Idempotency, Error> {
        let table = IdempotencyKeys::open(&store)?;
        let running = store.is_in_process().then(Arc::default);
        Ok(Idempotency { store, table, clock, seal, lease: LEASE, running })
    }

    /// The same, whose claims hold for this long. It must be longer than any request may take.
    #[must_use]
    pub fn held_for(self, lease: Duration) -> Idempotency {
        Idempotency { lease, ..self }
    }

    /// An account's requests, the newest first, without their answers.
    pub async fn list(
        &self,
        account: &str,
        caller: &str,
        limit: u32,
        token: Option<&str>,
    ) -> Result<Page<Seen>, Error> {
        Ok(self.table.list_requests(account).page(caller, limit, token).await?)
    }

    fn now(&self) -> Moment {
        Moment::from_millis(self.clock.now_millis())
    }
}
