//! The request that makes a change.

use std::net::IpAddr;

use crate::audit::Origin;
use crate::caller::Caller;
use crate::idempotency::Claim;

/// A request, as far as a change needs to know it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its identifier.
    pub request_id: String,
    /// The trace that it is a part of.
    pub trace_id: Option<String>,
    /// Who asks.
    pub caller: Caller,
    /// From where.
    pub address: Option<IpAddr>,
    /// The client's own name.
    pub user_agent: Option<String>,
    /// The claim, if the client sent an `Idempotency-Key`.
    pub claim: Option<Claim>,
}

impl Request {
    /// A request of this caller.
    pub fn new(request_id: impl Into<String>, caller: Caller) -> Request {
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
        Origin {
            caller: self.caller.clone(),
            request_id: Some(self.request_id.clone()),
            trace_id: self.trace_id.clone(),
            address: self.address,
            user_agent: self.user_agent.clone(),
            occurred_at: None,
        }
    }
}
