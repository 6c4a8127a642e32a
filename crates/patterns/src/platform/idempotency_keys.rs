//! Answers given to requests, so that a repeated request gets the same one, for 24 hours.
//!
//! Generated from `tables/platform/idempotency_keys.json`: do not edit, `ACCEPT=1 cargo nextest run
//! -p tables` writes it anew.

use store::{Delete, Error, Get, Kind, List, Put, Store, TableHandle};
use values::{AttributeValue, Number};

/// The table `platform/idempotency_keys`. Cloning is cheap.
#[derive(Clone)]
pub struct IdempotencyKeys(TableHandle);

impl IdempotencyKeys {
    /// The table of a store.
    pub fn open(store: &Store) -> Result<IdempotencyKeys, Error> {
        let fingerprint = 0x1a42_624f_bea0_0c85;
        TableHandle::generated(store, "platform/idempotency_keys", fingerprint).map(IdempotencyKeys)
    }

    /// Start a request, unless it was seen before (R003-idem-1, C3-08).
    pub fn begin_request(&self, now: impl Into<Number>) -> Put {
        Put::new(&self.0, 0, [AttributeValue::N(now.into())])
    }

    /// Get a request that was seen before (R003-idem-1, R003-idem-3).
    pub fn get_request(&self, request_hash: &str) -> Get {
        Get::new(&self.0, 1, [request_hash.into()])
    }

    /// Keep the answer (R003-idem-1).
    pub fn complete_request(&self, fencing_token: impl Into<Number>) -> Put {
        Put::new(&self.0, 2, [AttributeValue::N(fencing_token.into())])
    }

    /// Take over a request whose worker did not answer in time (R003-idem-1).
    pub fn take_over_request(&self, fencing_token: impl Into<Number>) -> Put {
        Put::new(&self.0, 3, [AttributeValue::N(fencing_token.into())])
    }

    /// Forget a request that came to nothing (R003-idem-1).
    pub fn release_request(&self, request_hash: &str, fencing_token: impl Into<Number>) -> Delete {
        Delete::new(&self.0, 4, [request_hash.into(), AttributeValue::N(fencing_token.into())])
    }

    /// Get a part of a large answer (R003-idem-1).
    pub fn get_answer_chunk(
        &self,
        parent_hash: &str,
        fencing_token: impl Into<Number>,
        chunk: impl Into<Number>,
    ) -> Get {
        let values = [
            parent_hash.into(),
            AttributeValue::N(fencing_token.into()),
            AttributeValue::N(chunk.into()),
        ];
        Get::new(&self.0, 5, values)
    }

    /// List the requests of an account, newest first (R003-idem-2).
    pub fn list_requests(&self, account_id: &str) -> List {
        List::new(&self.0, 6, [account_id.into()])
    }

    /// Items of the kind `request`. One request.
    pub fn request(&self) -> Kind<'_> {
        Kind::new(&self.0, 0)
    }

    /// Items of the kind `answer_chunk`. A part of an answer that is too large for the request's
    /// item.
    pub fn answer_chunk(&self) -> Kind<'_> {
        Kind::new(&self.0, 1)
    }
}
