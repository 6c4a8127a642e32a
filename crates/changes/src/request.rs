//! The request that makes a change.

use std::net::IpAddr;
use std::sync::Arc;

use audit::Origin;
use kernel::caller::Caller;

use crate::idempotency::Claim;

/// A request, as far as a change needs to know it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its identifier.
    pub request_id: String,
    /// The trace that it is a part of.
    pub trace_id: Option<String>,
    /// Who asks.
    pub caller: Arc<Caller>,
    /// From where.
    pub address: Option<IpAddr>,
    /// The client's own name.
    pub user_agent: Option<String>,
    /// The claim, if the client sent an `Idempotency-Key`.
    pub claim: Option<Claim>,
}

impl Request {
    /// A request of this caller.
    pub fn new(request_id: impl Into<String>, caller: impl Into<Arc<Caller>>) -> Request {
        let caller = caller.into();
        let address = caller.address;
        let request_id = request_id.into();
        Request { request_id, trace_id: None, caller, address, user_agent: None, claim: None }
    }

    /// With this claim.
    #[must_use]
    pub fn claimed(mut self, claim: Claim) -> Request {
        self.claim = Some(claim);
        self
    }

    /// Where audit entries of it come from.
    pub fn origin(&self) -> Origin {
        self.clone().into_parts().0
    }

    /// Where audit entries of it come from, and its claim.
    pub(super) fn into_parts(self) -> (Origin, Option<Claim>) {
        let Request { request_id, trace_id, caller, address, user_agent, claim } = self;
        let request_id = Some(request_id);
        (Origin { caller, request_id, trace_id, address, user_agent, occurred_at: None }, claim)
    }
}
