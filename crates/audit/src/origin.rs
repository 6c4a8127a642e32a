//! Who did it, from where, and by which request: what the writer adds to an entry.

use std::net::IpAddr;
use std::sync::Arc;

use kernel::caller::Caller;
use kernel::moment::Moment;

/// Where entries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who did it.
    pub caller: Arc<Caller>,
    /// The request.
    pub request_id: Option<String>,
    /// The trace that the request is a part of.
    pub trace_id: Option<String>,
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The client's own name.
    pub user_agent: Option<String>,
    /// When it happened; when it is recorded if absent.
    pub occurred_at: Option<Moment>,
}

impl Origin {
    /// Done by this caller, outside any request.
    pub fn of(caller: impl Into<Arc<Caller>>) -> Origin {
        let caller = caller.into();
        let address = caller.address;
        Origin {
            caller,
            request_id: None,
            trace_id: None,
            address,
            user_agent: None,
            occurred_at: None,
        }
    }

    /// Done by Plinth itself.
    pub fn system(part: &'static str) -> Origin {
        Origin::of(Caller::system(part))
    }
}
